"""Sandboxes for the organiser's own scorer: without network, and with as little access to the machine as possible.

bubblewrap   reads the system's programs and aune, writes the folder of its job, and sees nothing else
namespaces   `unshare` of util-linux: no network and no other processes, but all files of the user; only for the
             code of one's own campaign, never for the code in a stranger's archive

If neither works, nothing is run, and the reason is reported.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import aune
from aune.errors import UsageError

BUBBLEWRAP, NAMESPACES = "bubblewrap", "namespaces"
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
PROBE_SECONDS = 20
SCRATCH = "/tmp"


class NoSandboxError(UsageError):
    """Raised if this machine has no sandbox in which a scorer can run."""


class Sandbox(NamedTuple):
    """A way to run a command without network."""

    name: str

    def command(self, folder: Path, command: Sequence[str]) -> list[str]:
        """A command line that runs a command in the sandbox, which may write to one folder."""
        if self.name == NAMESPACES:
            return [*_UNSHARE, "--", *command]
        places = [*SYSTEM_FOLDERS, *(place for place in _python_folders() if not folder.is_relative_to(place))]
        shown = [part for place in places for part in ("--ro-bind-try", place, place)]
        return [
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--tmpfs", SCRATCH, *shown, "--dev", "/dev",
            "--bind", str(folder), str(folder), "--chdir", str(folder), "--", *command,
        ]  # fmt: skip


_UNSHARE = (
    "unshare", "--user", "--map-current-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
)  # fmt: skip


def _python_folders() -> list[str]:
    """The folders of this Python, its packages and aune; not the working folder, which `python -m` adds to the path."""
    here = str(Path.cwd())
    on_path = [place for place in sys.path if place != here]
    places = [sys.prefix, sys.base_prefix, *on_path, str(Path(aune.__file__).parent.parent)]
    folders = dict.fromkeys(str(Path(place).resolve()) for place in places if place and Path(place).is_dir())
    return [*folders, *dict.fromkeys(place for place in places if place and Path(place).is_symlink())]


def choose_sandbox(*, for_strangers: bool = False) -> Sandbox:
    """The sandbox in which scorers run on this machine; raises `NoSandboxError` with the reasons if there is none."""
    reasons = []
    for name in (BUBBLEWRAP,) if for_strangers else (BUBBLEWRAP, NAMESPACES):
        reason = _obstacle(name)
        if not reason:
            return Sandbox(name)
        reasons.append(reason)
    advice = "install bubblewrap (`apt install bubblewrap`), and allow user namespaces"
    raise NoSandboxError(f"a scorer runs only without network, and this machine cannot: {'; '.join(reasons)}; {advice}")


@cache
def _obstacle(name: str) -> str:
    """The reason why a sandbox does not work here; '' if it works."""
    program = "bwrap" if name == BUBBLEWRAP else "unshare"
    if shutil.which(program) is None:
        return f"{program} is not installed"
    check = [sys.executable, "-c", "import json"]
    try:
        outcome = subprocess.run(
            Sandbox(name).command(Path(aune.__file__).parent, check),
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} does not start ({error})"
    last = outcome.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"{program} is refused ({last[:200]})" if outcome.returncode else ""
