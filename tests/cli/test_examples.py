"""`aune examples`: the files of the documentation, from an installation or a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import examples as command
from aune.cli import run

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_examples_are_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "mine"
    assert run(["examples", str(target)]) == 0
    shown = capsys.readouterr().out
    names = [path.relative_to(target) for path in target.rglob("*") if path.is_file()]
    assert shown.startswith(f"{len(names)} files in {target}:\n  {target / 'alternatives'}: ")
    assert all((target / name).read_bytes() == (ROOT / "examples" / name).read_bytes() for name in names)
    assert Path("coref", "key.conll") in names and Path("own_measure.py") in names
    assert run(["examples", str(target)]) == 0, "the same files may be there"


def test_a_changed_file_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = tmp_path / "coref" / "key.conll"
    changed.parent.mkdir()
    changed.write_text("mine\n")
    assert run(["examples", str(tmp_path)]) == 2
    message = f"aune: {changed}: is there already and is no example of this version: name another folder\n"
    assert capsys.readouterr().err == message
    assert changed.read_text() == "mine\n" and [path.name for path in tmp_path.iterdir()] == ["coref"]


def test_an_installation_without_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "HOMES", (tmp_path / "nowhere",))
    assert run(["examples", str(tmp_path / "mine")]) == 2
    assert "this installation has no examples" in capsys.readouterr().err
