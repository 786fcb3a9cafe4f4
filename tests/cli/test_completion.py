"""Commands, options and names at the press of a key."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aune.cli import run
from aune.cli._application import application
from aune.cli.completion import SCRIPTS, complete_words
from aune.contract import registry


def test_commands_and_those_inside_them() -> None:
    assert complete_words([""]) == [name for name in application() if not name.startswith("-")]
    assert complete_words(["sc"]) == ["score"] and complete_words(["speech", "train", "at"]) == ["atene"]


def test_options_of_the_command_and_of_the_task() -> None:
    assert complete_words(["score", "--meas"]) == ["--measures"]
    assert complete_words(["score", "ner", "key", "--bet"]) == ["--beta"] and complete_words(["score", "--bet"]) == []


def test_other_names_once_something_is_typed() -> None:
    assert complete_words(["score", "n"]) == ["ner"] and "ner" not in complete_words(["score", ""])
    assert complete_words(["score", "coref", "k", "a", "-m", "muc,b3"]) == ["muc,b3"]


@pytest.mark.parametrize("task", registry.task_names())
def test_every_name_of_a_task_is_there(task: str) -> None:
    assert task in complete_words(["score", ""]) and task in complete_words(["score", "--digits", "1", ""])
    measures = [measure.short for measure in registry.measures(task)]
    assert complete_words(["compare", task, "key", "-m", ""]) == measures
    assert (
        complete_words(["compare", task, "key", f"--measures={measures[0]},"])[0]
        == f"--measures={measures[0]},{measures[0]}"
    )
    assert [item.name for item in registry.formats(task)] == complete_words(["convert", task, "a", "b", "--to", ""])
    assert f"{task}.{measures[0]}" in complete_words(["cite", ""])


def test_values_choices_and_conventions() -> None:
    assert complete_words(["score", "coref", "-m", "muc."]) == ["muc.recall", "muc.precision", "muc.f1"]
    assert complete_words(["score", "coref", "--convention", "=", "conl"]) == ["conll"], "as bash cuts words"
    assert complete_words(["score", "coref", "--undefined", ""])[0] in ("one", "zero")
    assert "latex" in complete_words(["score", "coref", "k", "r", "-f", ""]) and complete_words(["list", "m"]) == [
        "measures"
    ]
    assert "scores" in complete_words(["figure", ""]) and "recent" in complete_words(["baseline", "anaphora", ""])


def test_files_are_left_to_the_shell() -> None:
    assert complete_words(["score", "coref", ""]) == complete_words(["score", "coref", "key", ""]) == []
    assert complete_words(["score", "coref", "key", "-o", ""]) == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_real_shell(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert run(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    program = tmp_path / "aune"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m aune "$@"\n')
    program.chmod(0o755)
    scripts = {
        "bash": ". ./script; COMP_WORDS=(aune score ent); COMP_CWORD=2; _aune; echo ${COMPREPLY[@]}",
        "fish": "source script; complete -C 'aune score ent'",
        "zsh": "compdef() { :; }; compadd() { shift; print -- $@; }; . ./script; "
        "words=(aune score ent); CURRENT=3; _aune",
    }[shell]
    process = subprocess.run(
        [shell, "-c", scripts],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["entities"], process.stderr
