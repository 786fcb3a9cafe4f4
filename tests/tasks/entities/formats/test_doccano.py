"""doccano's JSON lines."""

from __future__ import annotations

import pytest

from tests.exports import needs_exports, read_export, span_count
from tests.tasks.formats import messages, read_with_warnings, write_text
from tests.tasks.formats import read as read_text

TWO_USERS = (
    '{"id": 1, "text": "Ann ran", "annotations": [{"label": 4, "start_offset": 0, "end_offset": 3, "user": 1},'
    ' {"label": 5, "start_offset": 0, "end_offset": 7, "user": 2}]}\n{"id": 2, "text": "no", "annotations": []}\n'
)


def test_several_annotators_are_refused_until_one_is_named() -> None:
    [message] = messages("entities", "doccano", TWO_USERS)
    assert message.startswith("1:107: found annotation of 2 annotators (1, 2), expected that of one")
    assert "--annotator 1 --response-annotator 2" in message
    documents = read_text("entities", "doccano", TWO_USERS, annotator="2")
    assert [document.triples() for document in documents] == [[(0, 7, "5")], []]
    assert (
        "found no annotator '3', expected one of 1, 2" in messages("entities", "doccano", TWO_USERS, annotator="3")[0]
    )


def test_tokens_are_written_as_their_text() -> None:
    [document] = read_text("entities", "jsonl", '{"id": "d", "tokens": ["Ann", "ran"], "spans": [[1, 2, "X"]]}')
    text = write_text("entities", "doccano", [document])
    assert text == '{"id": "d", "text": "Ann ran", "label": [[4, 7, "X"]]}\n'
    assert write_text("entities", "doccano", read_text("entities", "doccano", text)) == text


def test_relations_to_nothing_are_counted() -> None:
    text = '{"text": "ab", "entities": [{"start_offset": 0, "end_offset": 2, "label": "A"}], "relations": [{"id": 1}]}'
    documents, warnings = read_with_warnings("entities", "doccano", text)
    assert len(documents[0]) == 1 and warnings == ["not read: 1 relations between what is no span"]


@needs_exports
@pytest.mark.parametrize(
    ("name", "texts", "spans"),
    [("data_export.relation_extraction.example.jsonl", 1, 4), ("data_export.sequence_labeling.example.jsonl", 3, 4),
     ("data_import.sequence_labeling.example_overlapping.jsonl", 1, 2),
     ("transformer.labeling_text_label.jsonl", 2, 11)],
)  # fmt: skip
def test_exports(name: str, texts: int, spans: int) -> None:
    corpus = read_export("entities", f"doccano/{name}")
    assert (corpus.format, len(corpus.documents), span_count(corpus)) == ("doccano", texts, spans)


@needs_exports
@pytest.mark.parametrize(("name", "texts", "spans"), [("AliceInWonderland", 16, 568), ("Emma", 15, 731)])
def test_exports_of_three_annotators(name: str, texts: int, spans: int) -> None:
    corpora = [read_export("entities", f"doccano/{name}.jsonl.gz", annotator=user) for user in "123"]
    assert {len(corpus.documents) for corpus in corpora} == {texts}
    assert sum(map(span_count, corpora)) == spans
