"""UIMA's CAS as XMI and JSON."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aune.errors import UsageError
from aune.tasks.entities.model import Relation, Span, make_document
from tests.tasks.formats import messages, read, read_with_warnings, write_text

SAMPLES = Path(__file__).parent / "samples"
ONE = (SAMPLES / "uima-one.xmi").read_text("utf-8")
EMOJI = (SAMPLES / "uima-emoji.json").read_text("utf-8")


def test_spans_over_characters() -> None:
    [document] = read("entities", "uima", ONE)
    assert document.text == "Ann met her sister in Paris" and document.unit == "character"
    assert document.triples() == [(0, 3, "PER"), (22, 27, "LOC")]


def test_offsets_of_java_count_an_emoji_as_two() -> None:
    assert read("entities", "uima", EMOJI)[0].triples() == [(2, 9, "PER")]


def test_layers_and_features_by_name() -> None:
    span = '<c:Span xmi:id="20" sofa="1" begin="4" end="7" kind="V" note="n"/>'
    text = ONE.replace("<cas:Sofa", f"{span}<cas:Sofa")
    text = text.replace("<xmi:XMI", '<xmi:XMI xmlns:c="http:///webanno/custom.ecore"')
    [document], warnings = read_with_warnings("entities", "uima", text)
    assert len(document) == 2 and warnings == ["not read: 1 annotations of the layer Span"]
    for feature, label in [("Span.kind", "V"), ("note", "n"), ("webanno.custom.Span.kind", "V"), ("Span", "n")]:
        assert read("entities", "uima", text, feature=feature)[0].triples() == [(4, 7, label)]
    assert messages("entities", "uima", text, feature="colour") == [
        "1:1: found no feature 'colour', expected one of NamedEntity.value, Span.kind, Span.note: "
        "choose with --feature FEATURE"
    ]


def test_a_guess_among_layers_is_reported() -> None:
    text = ONE.replace("ner:NamedEntity", "ner:Span").replace('value="LOC"', 'other="LOC"')
    [document], warnings = read_with_warnings("entities", "uima", text)
    assert document.triples() == [(0, 3, "PER"), (22, 27, "Span")]
    assert warnings == ["labels are read from Span.value, one of Span.value, Span.other: choose with --feature"]


def test_relations_are_read_and_slots_and_empty_spans_counted() -> None:
    more = (
        '<ner:Rel xmi:id="30" sofa="1" begin="0" end="3" Governor="10" Dependent="11"/>'
        '<ner:NamedEntity xmi:id="31" sofa="1" begin="5" end="5" value="PER"/>'
        '<ner:Slot xmi:id="32" role="x" target="10"/><cas:Sofa'
    )
    [document], warnings = read_with_warnings("entities", "uima", ONE.replace("<cas:Sofa", more))
    assert len(document) == 2 and document.relations == (Relation("Rel", 0, 1),)
    assert warnings == ["not read: 1 annotations without a character, 1 slots"]


def test_a_text_without_annotations_has_no_entities() -> None:
    text = "\n".join(line for line in ONE.split("\n") if "<ner:" not in line)
    [document], warnings = read_with_warnings("entities", "uima", text)
    assert len(document) == 0 and len(warnings) == 1


def test_what_is_written_is_read_back() -> None:
    words = ["😀", "Ann", "Lee", "ran", "."]
    document = make_document(
        "file", [Span(1, 3, "PER"), Span(2, 3, "a&b<")], length=5, words=words.copy,
        sentences=np.array([0, 4], np.int64),
    )  # fmt: skip
    text = write_text("entities", "uima", [document])
    [again] = read("entities", "uima", text)
    assert again.text == "😀 Ann Lee ran\n." and again.triples() == [(2, 9, "PER"), (6, 9, "a&b<")]
    assert again.sentences.tolist() == [0, 14]
    assert write_text("entities", "uima", [again]).count("NamedEntity") == text.count("NamedEntity")
    with pytest.raises(UsageError, match="one document per file"):
        write_text("entities", "uima", [document, document])


def test_json_with_structures_by_id() -> None:
    text = (
        '{"%FEATURE_STRUCTURES": {"1": {"%TYPE": "uima.cas.Sofa", "sofaString": "Ann"},'
        ' "2": {"%TYPE": "x.NamedEntity", "@sofa": 1, "begin": 0, "end": 3, "value": "PER"}}}'
    )
    assert read("entities", "uima", text)[0].triples() == [(0, 3, "PER")]
