"""`aune completion`: commands and options at the press of a key."""

from __future__ import annotations

from typing import Literal

GROUP = "This tool"


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print the script that lets a shell complete commands and options.

    bash: aune completion bash > ~/.local/share/bash-completion/completions/aune. zsh: aune completion zsh into a file
    _aune in a folder of $fpath. fish: aune completion fish > ~/.config/fish/completions/aune.fish.

    Parameters
    ----------
    shell
        bash, zsh or fish.
    """
    from aune.cli._application import application

    print(application().generate_completion(prog_name="aune", shell=shell))
