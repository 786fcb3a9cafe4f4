"""Runs every `$ aune …` command shown in the README and the documentation, and puts its real output under it.

`python docs/refresh.py` rewrites the pages; the tests check that nothing would change. Commands see the files of the
repository's root; what they write is in a folder of its own for each page.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from aune.cli import run

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Every page that people read, the generated ones apart."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refresh_page(text: str) -> str:
    """The page with the output of its commands as it is today."""
    with tempfile.TemporaryDirectory() as folder:
        for entry in ROOT.iterdir():
            Path(folder, entry.name).symlink_to(entry)
        with chdir(folder):
            return BLOCK.sub(lambda block: "```console\n" + "".join(_lines(block[1])) + "```", text)


def _lines(block: str) -> Iterator[str]:
    commands = re.split(r"^(?=\$ )", block, flags=re.MULTILINE)
    for part in commands:
        command, _, shown = part.partition("\n")
        if part.startswith("$ "):
            yield f"{command}\n"
            yield _output(command[2:]) if command.startswith("$ aune ") else shown
        else:
            yield part


def _output(command: str) -> str:
    """What a command prints, on either stream."""
    out = io.StringIO()
    words = shlex.split(command)[1:]
    os.environ["COLUMNS"] = "100"
    with redirect_stdout(out), redirect_stderr(out):
        run(words)
    return out.getvalue()


if __name__ == "__main__":
    for page in pages():
        page.write_text(refresh_page(page.read_text()))
