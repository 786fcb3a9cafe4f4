"""TEI with names."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import read, read_with_warnings

SAMPLE = (Path(__file__).parent / "samples" / "tei-letter.xml").read_text("utf-8")


def test_names_and_types_are_labels() -> None:
    [document], warnings = read_with_warnings("entities", "tei", SAMPLE)
    assert document.text == "To Paris\nAnn Lee met her sister & left.\n"
    assert document.triples() == [(3, 8, "placeName"), (9, 16, "persName"), (21, 31, "person"), (21, 24, "rs")]
    assert document.sentences.tolist() == [0, 9]
    assert warnings == ["not read: 2 elements in the header, in registers or without text"]


def test_other_elements() -> None:
    assert read("entities", "tei", SAMPLE, element=("hi",))[0].triples() == [(13, 16, "hi")]


def test_text_of_both_sides_of_a_break() -> None:
    text = "<TEI><text><p>Ann<lb/>met<lb break='no'/>ro <name type='x'>A &#38; B</name></p></text></TEI>"
    [document] = read("entities", "tei", text)
    assert document.text == "Ann\nmetro A & B\n" and document.triples() == [(10, 15, "x")]
