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
from aune.cli.completion import SCRIPTS, completed
from aune.core import registry


def test_commands_and_those_inside_them() -> None:
    assert completed([""]) == [name for name in application() if not name.startswith("-")]
    assert completed(["sc"]) == ["score"] and completed(["speech", "train", "at"]) == ["atene"]


def test_options_of_the_command_and_of_the_task() -> None:
    assert completed(["score", "--meas"]) == ["--measures"]
    assert completed(["score", "ner", "key", "--bet"]) == ["--beta"] and completed(["score", "--bet"]) == []


def test_other_names_once_something_is_typed() -> None:
    assert completed(["score", "n"]) == ["ner"] and "ner" not in completed(["score", ""])
    assert completed(["score", "coref", "k", "a", "-m", "muc,b3"]) == ["muc,b3"]


@pytest.mark.parametrize("task", registry.task_names())
def test_every_name_of_a_task_is_there(task: str) -> None:
    assert task in completed(["score", ""]) and task in completed(["score", "--digits", "1", ""])
    measures = [one.short for one in registry.measures(task)]
    assert completed(["compare", task, "key", "-m", ""]) == measures
    assert (
        completed(["compare", task, "key", f"--measures={measures[0]},"])[0]
        == f"--measures={measures[0]},{measures[0]}"
    )
    assert [one.name for one in registry.formats(task)] == completed(["convert", task, "a", "b", "--to", ""])
    assert f"{task}.{measures[0]}" in completed(["cite", ""])


def test_values_choices_and_conventions() -> None:
    assert completed(["score", "coref", "-m", "muc."]) == ["muc.recall", "muc.precision", "muc.f1"]
    assert completed(["score", "coref", "--convention", "=", "conl"]) == ["conll"], "as bash cuts words"
    assert completed(["score", "coref", "--undefined", ""])[0] in ("one", "zero")
    assert "latex" in completed(["score", "coref", "k", "r", "-f", ""]) and completed(["list", "m"]) == ["measures"]
    assert "scores" in completed(["figure", ""]) and "recent" in completed(["baseline", "anaphora", ""])


def test_files_are_left_to_the_shell() -> None:
    assert completed(["score", "coref", ""]) == completed(["score", "coref", "key", ""]) == []
    assert completed(["score", "coref", "key", "-o", ""]) == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_real_shell(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert run(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    program = tmp_path / "aune"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m aune "$@"\n')
    program.chmod(0o755)
    asked = {
        "bash": ". ./script; COMP_WORDS=(aune score ent); COMP_CWORD=2; _aune; echo ${COMPREPLY[@]}",
        "fish": "source script; complete -C 'aune score ent'",
        "zsh": "compdef() { :; }; compadd() { shift; print -- $@; }; . ./script; "
        "words=(aune score ent); CURRENT=3; _aune",
    }[shell]
    told = subprocess.run(
        [shell, "-c", asked],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["entities"], told.stderr
