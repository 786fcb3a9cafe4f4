"""JSON lines of entities with their mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.core import registry
from aune.core.corpus import read
from aune.core.errors import UsageError
from aune.tasks.entities.model import document
from tests.tasks.formats import read as read_text
from tests.tasks.formats import written

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def test_entities_come_back() -> None:
    given = read(TASK, str(SAMPLES / "ace_jsonl-one.jsonl")).documents
    (again,) = read_text("entities", "ace_jsonl", written("entities", "ace_jsonl", given))
    assert again.referents == given[0].referents and again.triples() == given[0].triples()


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="ace_jsonl cannot hold a document without a name"):
        written("entities", "ace_jsonl", [document("", [])])
