"""JSON lines of texts with spans."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aune.contract import registry
from aune.reading.corpus import Corpus, read
from aune.tasks.entities.model import Span, documents, make_document
from tests.tasks.formats import messages, read_with_warnings, splice_documents, write_text
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def statements_of(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


def test_inclusive_ends() -> None:
    assert statements_of(read(TASK, str(SAMPLES / "jsonl-nervaluate.json"), ends="inclusive")) == {
        "1": [(2, 5, "PER")],
        "2": [(1, 3, "LOC")],
    }


def test_what_a_document_holds_comes_back() -> None:
    arguments = [
        make_document("a", [Span(0, 5, "x", 0), Span(0, 5, "b", 1), Span(2, 9, "p", 0, ((2, 3), (8, 9)))],
                 unit="character", text="some text", length=9, sentences=np.array([0, 5])),
        make_document("é", [Span(0, 1, "y")], words=["a b", ""].copy, length=2),
        make_document("c", [Span(3, 4, "z")], unit="character"),
        make_document("", []),
    ]  # fmt: skip
    again = read_text("entities", "jsonl", write_text("entities", "jsonl", arguments))
    for before, after in zip(arguments, again, strict=True):
        for name in ("id", "unit", "text", "segments", "tokens"):
            assert getattr(after, name) == getattr(before, name)
        assert after.triples() == before.triples()
        assert np.array_equal(after.depths, before.depths)


def test_empty_spans_and_spans_beyond_the_text_are_refused() -> None:
    """[1, 1, "X"] gave ETER 200 against itself, and 80 bytes could claim a text of 900 million characters."""
    assert len(messages("entities", "jsonl", '{"spans": [[1, 1, "X"], [0, 900000000, "X"]]}')) == 2
    assert messages("entities", "jsonl", '{"text": "ab", "spans": [[0, 3, "X"]]}') == [
        "1:26: found the span 0 to 3, expected one inside 0 to 2: mend the offsets"
    ]
    assert messages("entities", "jsonl", '{"spans": [[1, 1, "X"]]}', ends="inclusive") == []


def test_what_a_pipeline_of_hugging_face_gives() -> None:
    """Spans of characters, of a text that is not there; a text without entities is one of characters too."""
    text = '[[{"entity_group": "LOC", "score": 0.9, "word": "Paris", "start": 0, "end": 5}], []]'
    result = read_text("entities", "jsonl", text)
    assert [(item.triples(), item.unit) for item in result] == [([(0, 5, "LOC")], "character"), ([], "character")]


ANN = '{"_input_hash": 7, "text": "Ann ran", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": "ann"}'
PRODIGY = f"""{ANN}
{{"text": "Ann ran", "_input_hash": 7, "spans": [], "_annotator_id": "ben"}}
"""


def test_annotators_of_prodigy() -> None:
    assert "annotation of 2 annotators (ann, ben)" in messages("entities", "jsonl", PRODIGY)[0]
    [document] = read_text("entities", "jsonl", PRODIGY, annotator="ann")
    assert (document.id, document.triples()) == ("7", [(0, 3, "PER")])
    [document] = read_text("entities", "jsonl", PRODIGY, annotator="ben")
    assert (document.id, document.triples()) == ("7", [])
    assert "no annotator 'eva'" in messages("entities", "jsonl", PRODIGY, annotator="eva")[0]


def test_answers_and_relations_between_tokens_of_prodigy_are_counted() -> None:
    relations = '"relations": [{"head": 0, "child": 1, "label": "x"}, {}]'
    text = PRODIGY.replace('"ben"', '"ann", "answer": "reject"').replace('"PER"}]', f'"PER"}}], {relations}')
    documents, warnings = read_with_warnings("entities", "jsonl", text)
    assert len(documents) == 1
    assert warnings == ["not read: 2 relations between what is no span, 1 texts with the answer reject"]


def test_a_prediction_of_argilla_beside_an_annotation_must_be_chosen() -> None:
    spans = '[{"start": 0, "end": 3, "label": "PER"}]'
    text = f'{{"text": "Ann ran", "annotation": {spans}, "prediction": {spans}, "annotation_agent": "a", "id": "1"}}'
    assert "--spans-field annotation --response-spans-field prediction" in messages("entities", "jsonl", text)[0]
    for field in ("annotation", "prediction"):
        assert read_text("entities", "jsonl", text, spans_field=(field,))[0].triples() == [(0, 3, "PER")]


def test_a_task_without_a_list_of_spans_gets_one() -> None:
    text = b'{"text": "Ann ran", "_task_hash": 1}\n'
    [document] = read_text("entities", "jsonl", text)
    assert splice_documents("entities", "jsonl", text, [document]) == text
    changed = make_document(document.id, [Span(0, 3, "PER")], length=7, unit="character", text="Ann ran")
    new = b'{"text": "Ann ran", "_task_hash": 1, "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n'
    assert splice_documents("entities", "jsonl", text, [changed]) == new


def test_records_of_argilla_that_nobody_annotated_are_left_out() -> None:
    record = '{"text": "Ann ran", "prediction": null, "annotation": %s, "annotation_agent": null, "id": "%s"}\n'
    text = record % ('[{"start": 0, "end": 3, "label": "PER"}]', "a") + record % ("null", "b") + record % ("[]", "c")
    documents, warnings = read_with_warnings("entities", "jsonl", text)
    assert {document.id: document.triples() for document in documents} == {"a": [(0, 3, "PER")], "c": []}
    assert warnings == ["1 text left out, which the annotator did not annotate (first at line 2)"]
    assert registry.format("entities", "jsonl").sniff(text)


def test_several_right_answers() -> None:
    text = (SAMPLES / "jsonl-alternatives.jsonl").read_text()
    first, second = read_text(
        "entities", "jsonl", text.replace('[1, 3, "LOC"]', '[1, 3, "LOC"], [[0, 2, "ORG"], [2, 3, "LOC"]]')
    )
    answers = {tuple((span.start, span.end, span.label) for span in spans) for spans in first.others[0]}
    assert answers == {(), ((1, 3, "LOC"),), ((0, 2, "ORG"), (2, 3, "LOC"))}
    assert [key.triples() for key in first.other_keys] == [[(0, 3, "ORG")], []]
    assert not second.has_alternatives
    again = read_text("entities", "jsonl", write_text("entities", "jsonl", [first, second]))
    assert [[span[:5] for span in spans] for spans in again[0].others[0]] == [
        [span[:5] for span in spans] for spans in first.others[0]
    ]
    assert [key.triples() for key in again[0].other_keys] == [[(0, 3, "ORG")], []]


def test_python_says_the_same() -> None:
    span = {"start": 1, "end": 3, "label": "ORG", "optional": True, "alternatives": [(1, 3, "LOC"), [(0, 2, "ORG")]]}
    (document,) = documents({"tokens": ["The", "White", "House"], "spans": [span], "other_keys": [[(0, 3, "ORG")]]})
    answers = {tuple((span.start, span.end, span.label) for span in spans) for spans in document.others[0]}
    assert answers == {(), ((1, 3, "LOC"),), ((0, 2, "ORG"),)}
    assert document.other_keys[0].triples() == [(0, 3, "ORG")]
