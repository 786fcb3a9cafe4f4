"""Fields under other names: every task reads them, for both sides or for responses alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.errors import InputError
from aune.reading.source import Source
from aune.syntax.field_names import FieldName, rename_fields
from aune.syntax.jsonlines import Record, locate

RECORDS: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "entities": (
        "jsonl",
        {"nr": "a", "body": "Ann ran", "marks": [{"start": 0, "end": 3, "cls": "PER"}], "id": "b", "text": "x"},
        {"id_field": "nr", "text_field": "body", "spans_field": "marks", "labels_field": "cls"},
    ),
    "doccano": (
        "doccano",
        {"nr": 1, "body": "Ann ran", "marks": [{"start_offset": 0, "end_offset": 3, "cls": "PER"}], "label": []},
        {"id_field": "nr", "text_field": "body", "spans_field": "marks", "labels_field": "cls"},
    ),
    "tags": (
        "tags_jsonl",
        {"nr": "a", "pieces": ["Ann", "ran"], "y": ["B-PER", "O"], "ner_tags": ["O", "O"]},
        {"id_field": "nr", "text_field": "pieces", "tags_field": "y"},
    ),
    "tagging": (
        "jsonl", {"nr": "a", "w": ["le", "chat"], "y": ["D", "N"], "upos": ["X", "X"]},
        {"id_field": "nr", "text_field": "w", "tags_field": "y"},
    ),
    "coref": (
        "jsonlines",
        {"nr": "a", "w": ["Ann", "saw", "her"], "c": [[[0, 0], [2, 2]]], "clusters": [], "doc_key": "z"},
        {"id_field": "nr", "text_field": "w", "clusters_field": "c"},
    ),
    "anaphora": (
        "jsonlines", {"nr": "a", "document": "z", "anaphors": [{"anaphor": "3", "ante": "1"}]},
        {"id_field": "nr", "antecedent_field": "ante"},
    ),
    "speech": (
        "manifest", {"nr": "a", "said": "Ann ran", "marks": [[0, 1, "PER"]], "text": "x"},
        {"id_field": "nr", "text_field": "said", "spans_field": "marks"},
    ),
}  # fmt: skip
TASKS = {"doccano": "entities", "tags": "entities"}
MEASURES = {
    "entities": "f_measure", "tagging": "accuracy", "coref": "muc", "anaphora": "accuracy",
    "speech": "wer",
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_fields_have_other_names(name: str, tmp_path: Path) -> None:
    form, record, options = RECORDS[name]
    task = TASKS.get(name, name)
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    result = (
        aune.evaluate(task, str(path), [str(path)], measures=MEASURES[task], key_format=form, response_format=form,
                      **options)
    )  # fmt: skip
    assert result.scores[0].main == (0.0 if task == "speech" else 1.0)
    assert set(result.scores[0].rows.attributes["document"]) <= {"a", "1"}


@pytest.mark.parametrize("name", RECORDS)
def test_responses_have_names_of_their_own(name: str, tmp_path: Path) -> None:
    form, record, options = RECORDS[name]
    task = TASKS.get(name, name)
    old, new = options["id_field"], "number"
    paths = [str(tmp_path / "key.jsonl"), str(tmp_path / "response.jsonl")]
    Path(paths[0]).write_text(json.dumps(record) + "\n")
    Path(paths[1]).write_text(json.dumps({new: record[old], **record, old: "other"}) + "\n")
    result = aune.evaluate(
        task, paths[0], paths[1:], measures=MEASURES[task], key_format=form, response_format=form, **options,
        response_id_field=new,
    )  # fmt: skip
    assert result.scores[0].main == (0.0 if task == "speech" else 1.0)


def test_a_missing_field_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "spans": []}\n')
    with pytest.raises(InputError, match="found no field `nr` among text, spans"):
        aune.evaluate("entities", str(path), [str(path)], id_field="nr")


def test_problems_keep_their_places() -> None:
    record = Record(1, 1, '{"old": 1, "content": {"a": 2}, "text": [",", "}"], "last": 3}')
    choices = [FieldName("text_field", ("content",), "text", ("text",))]
    [renamed] = rename_fields(Source("a", b""), [record], choices)
    assert json.loads(renamed.text) == {"old": 1, "text": {"a": 2}, "last": 3}
    assert locate(renamed, "text.a") == (1, record.text.index("2") + 1)
    assert locate(renamed, "last") == (1, record.text.index("3}") + 1)


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1', "nothing", '"a"'])
def test_what_is_no_object_is_left_to_the_reader(text: str) -> None:
    record = Record(1, 1, text)
    assert list(rename_fields(Source("a", b""), [record], [FieldName("id_field", ("x",), "id", ())])) == [record]


def test_the_first_member_may_go() -> None:
    record = Record(1, 1, '{"id": 1, "doc_id": 2, "nr": 3, "x": 4}')
    [renamed] = rename_fields(Source("a", b""), [record], [FieldName("id_field", ("nr",), "id", ("id", "doc_id"))])
    assert json.loads(renamed.text) == {"id": 3, "x": 4} and len(renamed.text) == len(record.text)
