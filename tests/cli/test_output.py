"""Where results go, and what is seen meanwhile."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from aune.cli import _output, run
from aune.cli._output import progress, put_text
from aune.core.result import plain_value


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_output, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as told:
        if told is not None:
            told("comparing A", 0.25)
            told("scoring A", 1.0)
    return stream.getvalue()


def test_a_bar_when_work_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "A" in shown(monkeypatch, Terminal(), -1.0)


def test_no_bar_when_work_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), 60.0) == ""


def test_no_bar_when_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), -1.0) == ""


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put_text("new", target)
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    put_text("caf\udce9", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"caf\\udce9"


def test_problems_fill_a_screen_and_no_more(tmp_path, capsys, monkeypatch):
    """A file of the wrong kind gives a problem per line: a screenful of each file is shown, and how to see the rest."""
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text("{}\n" + "no JSON\n" * 100)
    files = [str(tmp_path / f"{name}.jsonl") for name in "ab"]
    assert run(["score", "coref", *files, "--input-format", "jsonlines"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert 40 <= len(lines) <= 45 and sum("more: set AUNE_ALL=1 to see all" in line for line in lines) == 2
    monkeypatch.setenv("AUNE_ALL", "1")
    assert run(["score", "coref", *files, "--input-format", "jsonlines"]) == 3
    assert len(capsys.readouterr().err.splitlines()) > 200


def test_no_negative_zero():
    assert str(plain_value(-0.0)) == "0.0"
