"""GATE's documents."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import messages, read, read_with_warnings

SAMPLES = Path(__file__).parent / "samples"
ONE = (SAMPLES / "gate-one.xml").read_text("utf-8")
JSON = (SAMPLES / "gate-json.bdocjs").read_text("utf-8")


def test_types_are_labels_and_words_are_none() -> None:
    [document], warnings = read_with_warnings("entities", "gate", ONE)
    assert document.text == "Ann Lee & Bo ran." and document.triples() == [(0, 7, "Person"), (10, 12, "Person")]
    assert warnings == ["not read: 1 annotations of the type Sentence, 1 annotations without a character"]


def test_types_by_name() -> None:
    assert read("entities", "gate", ONE, annotation_type=("Sentence",))[0].triples() == [(0, 17, "Sentence")]


def test_sets_are_annotators() -> None:
    more = '<AnnotationSet Name="ben"><Annotation Id="9" Type="Place" StartNode="10" EndNode="12"/></AnnotationSet>'
    text = ONE.replace("</GateDocument>", f"{more}</GateDocument>")
    assert "annotation of 2 annotators (Key, ben)" in messages("entities", "gate", text)[0]
    assert read("entities", "gate", text, annotator="ben")[0].triples() == [(10, 12, "Place")]
    [document], warnings = read_with_warnings("entities", "gate", text, annotator="Key")
    assert len(document) == 2 and "Place" not in warnings[0]  # what another annotator marked is not lost


def test_json_counts_as_java_or_as_python() -> None:
    assert read("entities", "gate", JSON)[0].triples() == [(2, 9, "Person")]
    assert read("entities", "gate", JSON.replace('"j"', '"p"'))[0].triples() == [(3, 10, "Person")]


def test_xml_of_other_tools_is_refused() -> None:
    assert messages("entities", "gate", "<TEI></TEI>") == [
        "1:1: found XML without an element <TextWithNodes>, expected a GATE document: check the format"
    ]
