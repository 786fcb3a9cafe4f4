"""Rows of data sets: the entities of a file are those of the same rows in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aune.contract.registry import task
from aune.reading.corpus import read
from aune.tasks.entities.model import documents

ROWS: list[dict[str, Any]] = [
    {"tokens": ["Laurent", "Blanc", "joue"], "ner_tags": ["B-pers", "I-pers", "O"]},
    {"tokens": ["Nice"], "ner_tags": ["B-loc"]},
    {"tokens": [], "ner_tags": []},
]


def test_as_in_python(tmp_path: Path) -> None:
    lines, whole = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    whole.write_text(json.dumps(ROWS), encoding="utf-8")
    expected = [(one.id, one.triples(), one.tokens) for one in documents(ROWS)]
    for path in (lines, whole):
        corpus = read(task("entities"), path)
        assert [(one.id, one.triples(), one.tokens) for one in corpus.documents] == expected
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
    assert [one.triples() for one in corpus.documents] == [[(0, 2, "A")], [(0, 1, "A"), (1, 2, "A")]]
    assert list(corpus.warnings) == [f"{path}: the tags are in IOB1"]
