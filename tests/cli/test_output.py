"""Where results go, and what is seen meanwhile."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from aune.cli import _output, run
from aune.cli._output import SCREENFUL, problem_lines, progress, put_text, warn
from aune.errors import Place, Problem
from aune.results.result import plain_value


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show_values(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_output, "PROGRESS_DELAY", patience)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as display:
        if display is not None:
            display("comparing A", 0.25)
            display("scoring A", 1.0)
    return stream.getvalue()


def test_a_bar_when_work_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "A" in show_values(monkeypatch, Terminal(), -1.0)


def test_no_bar_when_work_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show_values(monkeypatch, Terminal(), 60.0) == ""


def test_no_bar_when_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show_values(monkeypatch, io.StringIO(), -1.0) == ""


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")

    def raise_interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", raise_interrupt)
    with pytest.raises(KeyboardInterrupt):
        put_text("new", target)
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    put_text("caf\udce9", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"caf\\udce9"


def test_problems_fill_a_screen_and_no_more():
    """A screenful of all files together, those that say the same once, and how to see the rest."""
    problems = [Problem("line.malformed", Place(name, line), str(line)) for name in ("a", "b") for line in range(1, 51)]
    problems += [Problem("line.malformed", Place("c", line), "no text") for line in range(1, 1001)]
    lines = list(problem_lines(sorted(problems), SCREENFUL))
    assert lines[0] == "a:1:1: found 1" and lines[-1] == "c:1:1: found no text (and 999 more like this)"
    assert len(lines) <= SCREENFUL and "a: … and 44 more: set AUNE_ALL=1 to see all" in lines
    assert len(list(problem_lines(problems, None))) == len(problems)


def test_names_that_differ_make_no_other_message():
    problems = [
        Problem("document.repeated", Place("c", line), f"document 'd{line}' a second time") for line in range(1, 101)
    ]
    assert list(problem_lines(problems, SCREENFUL)) == [
        "c:1:1: found document 'd1' a second time (and 99 more like this)"
    ]


def test_a_wrong_field_is_one_message(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "x"}\n' * 500)
    words = ["score", "asr", str(tmp_path / "a.jsonl"), str(tmp_path / "a.jsonl"), "--response-text-field", "txt"]
    assert run(words) == 3
    assert "(and 499 more like this)" in capsys.readouterr().err
    monkeypatch.setenv("AUNE_ALL", "1")
    assert run(words) == 3
    assert len(capsys.readouterr().err.splitlines()) > 500


def test_warnings_fill_a_screen_and_no_more(capsys, monkeypatch):
    every = [f"system {number}: 3 documents missing" for number in range(50)]
    warn([*every, *every])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == SCREENFUL + 1 and lines[-1].startswith("aune: … and 30 more warnings like these: ")
    monkeypatch.setenv("AUNE_ALL", "1")
    warn(every)
    assert len(capsys.readouterr().err.splitlines()) == 50


def test_what_is_about_the_numbers_comes_before_what_is_about_files(tmp_path, capsys):
    """Warnings of many files fill the screen; that no system can be told apart must be seen all the same."""
    (tmp_path / "key.conll").write_text("w B-PER\nx B-LOC\n\n" * 20)
    for number in range(25):
        (tmp_path / f"s{number}.conll").write_text("w I-PER\nx I-LOC\n\n" * 20)
    files = [str(tmp_path / name) for name in ("key.conll", *(f"s{number}.conll" for number in range(25)))]
    assert run(["score", "ner", *files, "-m", "f1", "--layout", "paper", "--ci", "--draws", "99"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "cannot tell any of 25 systems apart" in lines[0] and lines[-1].startswith("aune: … and 6 more warnings")


def test_no_negative_zero():
    assert str(plain_value(-0.0)) == "0.0"


def test_a_folder_has_one_warning_for_each_cause(tmp_path, capsys):
    """Not one for each of its files, nor one for each batch of them: with their number, and where it is first."""
    for side, text in (("key", "w B-PER\nx B-LOC\n"), ("a", "w I-PER\nx I-LOC\n")):
        (tmp_path / side).mkdir()
        for number in range(30):
            (tmp_path / side / f"{number:02}.conll").write_text(text)
    assert run(["score", "ner", str(tmp_path / "key"), str(tmp_path / "a"), "-m", "f1"]) == 0
    output = capsys.readouterr().err
    assert output == f"aune: warning: {tmp_path / 'a' / '00.conll'} and 29 more files: the tags are in IOB1\n"
