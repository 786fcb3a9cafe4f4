"""The commands of docs/campaign.md work as they stand, from an empty folder to the first accepted submission."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from aune.cli import run
from aune.cli.campaign import app

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "campaign.md"


def commands(text: str) -> list[list[str]]:
    blocks = re.findall(r"^```(?:text|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("aune ")]


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What lies between two commands of the guide is done here: tagging the texts, and going on to later phases."""
    monkeypatch.chdir(tmp_path)
    said = {"DISPUTE": "", "HEAD": ""}

    def phase(*names: str) -> None:
        for name in names:
            assert run(["campaign", "phase", "demo", name]) == 0

    for words in commands(GUIDE.read_text("utf-8")):
        command = words[1]
        if command == "check":
            Path("mine.tsv").write_text(Path("handout/try.tsv").read_text().replace("\t_", "\tNOUN"))
        elif command == "key":
            for name in ("adjudicated", "ann", "ben"):
                Path(f"{name}.tsv").write_bytes(Path("demo/keys/final.tsv").read_bytes())
        elif command == "dispute":
            phase("dry adjudication")
        elif command == "archive":
            phase("test", "test adjudication", "publication", "archive")
        capsys.readouterr()
        assert run([said.get(word, word) for word in words]) == 0, words
        printed = capsys.readouterr().out
        if command == "submit":
            said["HEAD"] = re.findall(r'"head": "(\w+)"', printed)[0]
            assert '"state": "scored"' in printed
        if command == "dispute":
            said["DISPUTE"] = printed.strip()
        if command == "verify":
            assert printed.endswith("everything holds\n")


def test_the_guide_names_every_command() -> None:
    """By its name, or by what it does for those that need no explanation."""
    text = GUIDE.read_text("utf-8")
    plain = {"show", "status", "participants", "freeze", "consent", "withdraw", "validate"}
    for name in app:
        if not name.startswith("-") and name not in plain:
            assert re.search(rf"campaign {name}\b|`{name}`", text), name
