"""JSON lines of entities with their mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.entities.model import Span, make_document
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def test_entities_come_back() -> None:
    arguments = read(TASK, str(SAMPLES / "ace_jsonl-one.jsonl")).documents
    (again,) = read_text("entities", "ace_jsonl", write_text("entities", "ace_jsonl", arguments))
    assert again.referents == arguments[0].referents and again.triples() == arguments[0].triples()


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="ace_jsonl cannot represent a document without a name"):
        write_text("entities", "ace_jsonl", [make_document("", [])])


def test_what_positions_count_comes_back() -> None:
    """Entities of APF stand over characters: scored against their own conversion they were spans over tokens."""
    arguments = read(TASK, str(SAMPLES / "apf-one.apf.xml")).documents
    again = read_text("entities", "ace_jsonl", write_text("entities", "ace_jsonl", arguments))
    assert TASK.reading.count_losses is not None and not TASK.reading.count_losses(arguments[0], again[0])
    assert aune.score("entities", arguments, again, measures=["ace_value"])["ace_value"].ledr == 1


def test_a_unit_that_changes_is_a_loss() -> None:
    over_characters, over_tokens = (
        make_document("d", [Span(0, 1, "PER")], unit=unit) for unit in ("character", "token")
    )
    assert TASK.reading.count_losses is not None and TASK.reading.count_losses(over_characters, over_tokens) == {
        "places": 1
    }
