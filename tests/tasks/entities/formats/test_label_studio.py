"""Label Studio's JSON and JSON-MIN."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.exports import needs_exports, read_export, span_count
from tests.tasks.formats import messages, read_with_warnings, write_text
from tests.tasks.formats import read as read_text


def region(start: int, end: int, label: str = "PER", **value: Any) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": start, "end": end, "labels": [label], **value}}


def task(text: str, *annotations: Any, **fields: Any) -> str:
    made = [{"completed_by": person, "result": regions, **more} for person, regions, more in annotations]
    return json.dumps([{"id": 1, "data": {"text": text}, "annotations": made, **fields}])


def test_people_and_predictions() -> None:
    text = task("Ann ran", ("ann", [region(0, 3)], {}), (7, [region(4, 7)], {}),
                predictions=[{"model_version": "m1", "result": [region(0, 7)]}])  # fmt: skip
    [message] = messages("entities", "label_studio", text)
    assert "found annotation of 2 annotators (ann, 7), expected that of one" in message
    spans = {name: read_text("entities", "label_studio", text, annotator=name)[0].triples() for name in ("7", "m1")}
    assert spans == {"7": [(4, 7, "PER")], "m1": [(0, 7, "PER")]}
    alone = task("Ann ran", predictions=[{"result": [region(0, 7)]}])
    assert len(read_text("entities", "label_studio", alone)[0]) == 1


def test_cancelled_and_repeated_annotations() -> None:
    annotations = [("a", [region(0, 1)], {"updated_at": "2024-02"}), ("a", [], {"updated_at": "2024-01"}),
                   ("a", [region(2, 3)], {"was_cancelled": True})]  # fmt: skip
    [document], warnings = read_with_warnings("entities", "label_studio", task("Ann ran", *annotations))
    assert document.triples() == [(0, 1, "PER")]
    assert warnings == ["not read: 1 annotations that the same person made again, 1 cancelled annotations"]


@pytest.mark.parametrize(
    ("regions", "expected"),
    [([region(3, 6)], "Ann"), ([region(3, 6, text="Ann")], "Ann"), ([region(2, 5, text="Ann")], "Ann")],
)
def test_places_count_as_browsers_do_unless_the_quotes_say_otherwise(regions: list[Any], expected: str) -> None:
    [document] = read_text("entities", "label_studio", task("😀 Ann ran", ("a", regions, {})))
    [(start, end, _)] = document.triples()
    assert document.text[start:end] == expected
    again = read_text("entities", "label_studio", write_text("entities", "label_studio", [document]))
    assert again[0].triples() == document.triples()


def test_other_regions_are_counted() -> None:
    regions = [region(0, 3), {"type": "choices", "value": {"choices": ["x"]}}, {"type": "relation", "from_id": "a"}]
    _, warnings = read_with_warnings("entities", "label_studio", task("Ann ran", ("a", regions, {})))
    assert warnings == ["not read: 1 regions of the type choices, 1 relations between what is no span"]


@needs_exports
@pytest.mark.parametrize("form", ["json", "json-min.json"])
def test_exports(form: str) -> None:
    """1,112 spans, of which 29 are in cancelled annotations and 28 in those that a person made again."""
    names = [f"annotator{number}@example.org" for number in (1, 2, 3)]
    corpora = [read_export("entities", f"label-studio/leoka_team8_40tasks.{form}.gz", annotator=name) for name in names]
    assert {corpus.format for corpus in corpora} == {"label_studio"}
    assert [len(corpus.documents) for corpus in corpora] == [39, 36, 40]
    assert sum(map(span_count, corpora)) == 1112 - 29 - 28


@needs_exports
def test_a_prediction_outside_its_text_is_refused() -> None:
    with pytest.raises(Exception, match="59:13: found the span 68 to 90, expected one inside 0 to 85"):
        read_export("entities", "label-studio/kiji_sample_predictions_relations.json")
