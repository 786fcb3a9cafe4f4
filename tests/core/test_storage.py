"""Rows on disk say what the result said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.core import rows as rows_module
from aune.core.measure import Layout
from aune.core.rows import Rows, blocked, group
from aune.statistics.intervals import with_intervals
from tests.core.test_streams import corpus, measures, written

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("task", ["speech", "coref", "entities", "tagging", "anaphora"])
def test_everything_comes_back(task: str, tmp_path: Path) -> None:
    key, response = corpus(task)
    result = aune.evaluate(
        task, written(tmp_path, "key", key), {"A": written(tmp_path, "a", response)}, measures=measures(task)
    )
    aune.save(result, tmp_path / "rows")
    again = aune.load(tmp_path / "rows")
    assert again.inputs == result.inputs and again.warnings == result.warnings
    for before, after in zip(result, again, strict=True):
        assert after.values == before.values and after.signature == before.signature
        assert after.rows.matrix.tolist() == before.rows.matrix.tolist()
        assert {name: list(one) for name, one in after.rows.attributes.items()} == {
            name: list(one) for name, one in before.rows.attributes.items()
        }
    assert [one.intervals for one in with_intervals(again, draws=100)] == [
        one.intervals for one in with_intervals(result, draws=100)
    ]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, response = corpus("speech")
    paths = written(tmp_path, "key", key), written(tmp_path, "a", response)
    folder = str(tmp_path / "rows")
    assert run(["score", "speech", *paths, "-m", "wer,cer", "--rows", folder, "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run(["score", "--from-rows", folder, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert run(["score", "--from-rows", folder, "-m", "cer", "--by", "speaker"]) == 0
    assert "s1" in capsys.readouterr().out
    assert run(["score", "speech", "--from-rows", folder]) == 2
    assert run(["score", "--from-rows", str(tmp_path)]) == 3
    assert run(["score", "speech"]) == 2


def test_many_units_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MOST_UNITS", 50)
    monkeypatch.setattr(rows_module, "BLOCKS", 20)
    names = [f"u{number}" for number in range(200)]
    matrix = np.random.default_rng(1).integers(0, 9, (200, 2)).astype(float)
    layout = Layout(tuple, ("a", "b"), ((), ()))
    found = blocked(Rows({"document": names}, matrix, layout), "document")
    assert found is not None and len(found) == 20
    assert found.total.tolist() == matrix.sum(axis=0).tolist()
    order = np.random.default_rng(2).permutation(200)
    again = blocked(Rows({"document": [names[place] for place in order]}, matrix[order], layout), "document")
    assert again is not None and again.matrix.tolist() == found.matrix.tolist()
    few = Rows({"document": [f"u{number % 40}" for number in range(200)]}, matrix, layout)
    assert blocked(few, "document") is None and len(group(few, "document")) == 40


def test_the_signature_says_that_blocks_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MOST_UNITS", 10)
    texts = [f"one two {number}" for number in range(30)]
    result = aune.score("speech", texts, [text.replace("two", "too") for text in texts], measures=["wer"])
    assert "blocks" in with_intervals(result, draws=50)["wer"].signature.options
