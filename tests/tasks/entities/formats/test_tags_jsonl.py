"""Rows of data sets: the entities of a file are those of the same rows in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aune.contract.registry import task
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.entities.model import documents
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

ROWS: list[dict[str, Any]] = [
    {"tokens": ["Laurent", "Blanc", "joue"], "ner_tags": ["B-pers", "I-pers", "O"]},
    {"tokens": ["Nice"], "ner_tags": ["B-loc"]},
    {"tokens": [], "ner_tags": []},
]


def test_as_in_python(tmp_path: Path) -> None:
    lines, whole = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    whole.write_text(json.dumps(ROWS), encoding="utf-8")
    expected = [(document.id, document.triples(), document.tokens) for document in documents(ROWS)]
    for path in (lines, whole):
        corpus = read(task("entities"), path)
        assert [(document.id, document.triples(), document.tokens) for document in corpus.documents] == expected
        assert corpus.format == "tags_jsonl"


def test_the_scheme_is_that_of_the_file(tmp_path: Path) -> None:
    """A row of IOB1 alone looks like IOB2 with an entity that begins in mid-air."""
    rows = [
        {"tokens": ["a", "b"], "ner_tags": ["I-A", "I-A"]},
        {"tokens": ["c", "d", "e"], "ner_tags": ["I-A", "B-A", "O"]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    corpus = read(task("entities"), path)
    assert [document.triples() for document in corpus.documents] == [[(0, 2, "A")], [(0, 1, "A"), (1, 2, "A")]]
    assert list(corpus.warnings) == [f"{path}: the tags are in IOB1"]


NUMBERED = '{"tokens": ["Ann", "Lee", "ran"], "ner_tags": [1, 2, 0]}\n'


def test_numbered_tags_by_their_names(tmp_path: Path) -> None:
    assert "--tag-names O,B-PER,…" in messages("entities", "tags_jsonl", NUMBERED)[0]
    names = ("O", "B-PER", "I-PER")
    assert read_text("entities", "tags_jsonl", NUMBERED, tag_names=names)[0].triples() == [(0, 2, "PER")]
    assert "found the number 2 in `ner_tags`" in messages("entities", "tags_jsonl", NUMBERED, tag_names=names[:2])[0]
    file = tmp_path / "names.json"
    numbers = '{"0": "O", "1": "B-PER", "2": "I-PER"}'
    for content in ('["O", "B-PER", "I-PER"]', '{"O": 0, "B-PER": 1, "I-PER": 2}', f'{{"id2label": {numbers}}}'):
        file.write_text(content)
        assert read_text("entities", "tags_jsonl", NUMBERED, tag_names=(str(file),))[0].triples() == [(0, 2, "PER")]
    file.write_text("{}")
    with pytest.raises(UsageError, match="found no names of tags"):
        read_text("entities", "tags_jsonl", NUMBERED, tag_names=(str(file),))


def test_names_beside_the_rows(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(NUMBERED)
    (tmp_path / "rows.label.json").write_text('{"O": 0, "B-PER": 1, "I-PER": 2}')
    [document] = read(task("entities"), str(tmp_path / "rows.json")).documents
    assert document.triples() == [(0, 2, "PER")]
