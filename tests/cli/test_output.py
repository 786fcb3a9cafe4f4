"""Where results go, and what is seen meanwhile."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from aune.cli import _output
from aune.cli._output import progress, put_text


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
