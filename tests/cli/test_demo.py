"""`aune demo`: an example of every task, in commands that can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from aune.cli import run
from aune.cli.demo import EXAMPLES
from aune.contract import registry


def test_every_task_has_a_demonstration() -> None:
    assert set(EXAMPLES) == set(registry.task_names())


def test_the_commands_that_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("aune.cli.demo.EXAMPLES", {"speech": EXAMPLES["speech"]})
    assert run(["demo", str(tmp_path)]) == 0
    commands = [line[2:] for line in capsys.readouterr().out.splitlines() if line.startswith("$ ")]
    assert len(commands) == 2 and (tmp_path / "speech.html").exists()
    assert run(shlex.split(commands[0])[1:]) == 0
