"""`aune correspond` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import run


def test_figure_3(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = examples / "coref" / "denotation"
    assert run(["correspond", str(folder / "key.jsonl"), str(folder / "response.jsonl")]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "{Clinton, his, he} ⇔ {Clinton}   (0.86)" in shown
    assert "∅ ⇔ {it}" in shown
    assert "missing: key: it denotes slavery" in shown


def test_options_are_those_of_the_measure(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = examples / "coref" / "denotation"
    paths = [str(folder / "key.jsonl"), str(folder / "response.jsonl")]
    assert run(["correspond", *paths, "--specificity", "name=1,noun=2"]) == 2
    assert "decrease" in capsys.readouterr().err
    assert run(["correspond", *paths, "--kinds", "english"]) == 0
