"""The commands of docs/campaign.md work as they stand, from an empty folder to the first accepted submission."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from aune.cli import run
from aune.cli.campaign import app

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "campaign.md"


def commands(text: str) -> list[list[str]]:
    blocks = re.findall(r"^```(?:text|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith(("aune ", "sed "))]


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Typed word by word; only what annotators bring is made here, and names stand for what was printed."""
    monkeypatch.chdir(tmp_path)
    fields = {"DISPUTE": "", "HEAD": "", "SUBMISSION": ""}
    for name in ("description.md", "guidelines.txt"):
        Path(name).write_text("# The task\n", "utf-8")

    for program, *words in commands(GUIDE.read_text("utf-8")):
        if program == "sed" and "-i" in words:
            subprocess.run(["sed", *words], check=True)
            continue
        if program == "sed":
            *options, _, target = words
            Path(target).write_bytes(subprocess.run(["sed", *options], capture_output=True, check=True).stdout)
            continue
        command = words[1]
        if command == "key":
            for name in ("adjudicated", "ann", "ben"):
                Path(f"{name}.tsv").write_bytes(Path("demo/keys/final.tsv").read_bytes())
        if command == "plan":
            key = Path("demo/keys/try.tsv").read_text("utf-8")
            Path("a.tsv").write_text(key, "utf-8")
            Path("b.tsv").write_text(key.replace("NOUN", "VERB", 1), "utf-8")
        capsys.readouterr()
        assert run([fields.get(word, word) for word in words]) == 0, words
        printed = capsys.readouterr().out
        if command == "submit":
            fields["HEAD"] = re.findall(r'"head": "(\w+)"', printed)[0]
            fields["SUBMISSION"] = re.findall(r'"submission": "([\w-]+)"', printed)[0]
            assert '"state": "scored"' in printed
        if command == "dispute":
            fields["DISPUTE"] = printed.strip()
        if command == "verify":
            assert printed.endswith("everything holds\n")


def test_the_guide_names_every_command() -> None:
    """By its name, or by what it does for those that need no explanation."""
    text = GUIDE.read_text("utf-8")
    plain = {"show", "status", "participants", "freeze", "consent", "withdraw", "validate"}
    for name in app:
        if not name.startswith("-") and name not in plain:
            assert re.search(rf"campaign {name}\b|`{name}`", text), name
