"""What an entity recogniser makes of a transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aune
from aune.cli import run
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.downstream import (
    EntityErrors,
    entity_errors,
    inserted_per_segment,
    pae,
    projected_entities,
    scored_entities,
    total,
)  # fmt: skip
from aune.tasks.speech.model import Entity, documents


def test_entities_are_projected_on_the_transcript() -> None:
    key = {"u": {"text": "ann met bob in new york", "entities": [(0, 1, "PER"), (2, 3, "PER"), (4, 6, "LOC")]}}
    both = compare(list(zip(documents(key), documents({"u": "uh an met in newyork city"}), strict=True)))
    found = projected_entities(both)[0]
    assert found[0] == Entity(1, 2, "PER") and found[1].start == found[1].end == 3
    assert found[2] == Entity(4, 6, "LOC")


def test_errors_by_kind() -> None:
    key = [[Entity(0, 2, "PER"), Entity(3, 4, "LOC"), Entity(5, 5, "ORG"), Entity(6, 8, "ORG")]]
    response = [[Entity(0, 2, "PER"), Entity(3, 4, "ORG"), Entity(7, 9, "ORG"), Entity(10, 11, "PER")]]
    found = entity_errors(key, response)
    assert found == [EntityErrors(correct=1, substitutions=2, deletions=1, insertions=1)]
    assert found[0].slot_error_rate == 1.0 and found[0].f1 == 2 / 8
    assert total([found[0], found[0]]).insertions == 2 and total([]).f1 is None


def test_pae_by_hand() -> None:
    """Eq. 5.2: 20 deletions on manual transcripts and 30 on automatic ones are 50 % more."""
    manual, automatic = EntityErrors(70, 10, 20, 0), EntityErrors(60, 10, 30, 7)
    assert pae(manual, automatic) == {"substitutions": 0.0, "deletions": 50.0, "insertions": None}


def test_inserted_entities_per_stretch() -> None:
    key = [[Entity(2, 3, "PER")], []]
    response = [[Entity(0, 1, "LOC"), Entity(1, 2, "LOC"), Entity(2, 3, "PER")], []]
    assert inserted_per_segment(key, response, [5, 4]) == {0: 2, 2: 1}


def test_ser_and_eter_come_from_the_entities_task() -> None:
    side = {"u": (["ann", "met", "bob"], [Entity(0, 1, "PER"), Entity(2, 3, "PER")])}
    if "entities" in aune.core.registry.task_names():
        assert scored_entities(side, side, ["ser"])["ser"].main == 0.0
    else:
        with pytest.raises(aune.UsageError, match="which this version of aune does not have"):
            scored_entities(side, side)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = {"id": "u", "text": "ann met bob in paris", "entities": [[0, 1, "PER"], [2, 3, "PER"], [4, 5, "LOC"]]}
    manual = {**key, "entities": [[0, 1, "PER"], [2, 3, "PER"]]}
    automatic = {"id": "u", "text": "an met bob in the parish", "entities": [[2, 3, "PER"], [3, 4, "LOC"]]}
    paths = []
    for name, record in (("key", key), ("automatic", automatic), ("manual", manual)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
        paths.append(str(tmp_path / f"{name}.jsonl"))
    assert run(["downstream", *paths[:2], "--manual", paths[2], "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["downstream"]
    assert found["automatic"] == {"correct": 1, "substitutions": 0, "deletions": 2, "insertions": 1}
    assert found["manual"] == {"correct": 2, "substitutions": 0, "deletions": 1, "insertions": 0}
    assert found["pae"] == {"substitutions": None, "deletions": 100.0, "insertions": None}
    assert found["ser"] == pytest.approx(1.0) and found["eter"] == pytest.approx(1.0)
    assert found["inserted"] == {"0": 1, "1": 1}
    assert run(["downstream", *paths[:2]]) == 0
    assert "words inserted" in capsys.readouterr().out
