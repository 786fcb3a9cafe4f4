"""A file with the annotation of several people becomes a response, or an annotator, of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aune
from aune.cli import run
from aune.errors import InputError

TEXT = "Ann Lee met Bob."
SPANS = {"ann": [(0, 7, "PER"), (12, 15, "PER")], "ben": [(0, 3, "PER"), (12, 15, "PER")]}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Two annotators in doccano's older export."""
    annotations = [
        {"start_offset": start, "end_offset": end, "label": label, "user": user}
        for user, spans in SPANS.items() for start, end, label in spans
    ]  # fmt: skip
    path = tmp_path / "export.jsonl"
    path.write_text(json.dumps({"id": 1, "text": TEXT, "annotations": annotations}) + "\n")
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.jsonl"
    path.write_text(json.dumps({"id": 1, "text": TEXT, "label": SPANS["ann"]}) + "\n")
    return path


def test_each_annotator_is_a_response(key: Path, export: Path) -> None:
    result = aune.evaluate("entities", str(key), [str(export)], measures="f1")
    assert {score.system: score.f1 for score in result.scores} == {"ann": 1.0, "ben": 0.5}
    assert "annotator" not in result.scores[0].signature.options


def test_annotators_of_one_file_among_several_have_its_name(key: Path, export: Path) -> None:
    result = aune.evaluate("entities", str(key), [str(export), f"same={key}"], measures="f1")
    assert [score.system for score in result.scores] == ["export/ann", "export/ben", "same"]


def test_an_option_names_one(key: Path, export: Path) -> None:
    result = aune.evaluate("entities", str(key), [str(export)], measures="f1", response_annotator="ben")
    assert [(score.system, score.f1) for score in result.scores] == [("export", 0.5)]


def test_a_key_needs_a_name(export: Path) -> None:
    with pytest.raises(InputError, match="annotation of 2 annotators"):
        aune.evaluate("entities", str(export), [str(export)])
    result = aune.evaluate("entities", str(export), [str(export)], annotator="ann", response_annotator="ben")
    assert result["f_measure"].f1 == 0.5


def test_agreement_and_combination_take_one_file(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["agreement", "ner", str(export), "-m", "f1"]) == 0
    table = capsys.readouterr().out
    assert "ann" in table and "ben" in table and "50.00" in table
    vote = tmp_path / "vote.jsonl"
    assert run(["combine", "ner", str(export), "-o", str(vote)]) == 0
    assert json.loads(vote.read_text())["label"] == [[12, 15, "PER"]]


def test_one_annotator_is_too_few(key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agreement", "ner", str(key)]) == 2
    assert "at least two annotators" in capsys.readouterr().err
