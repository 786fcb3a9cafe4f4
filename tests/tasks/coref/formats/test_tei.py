"""TEI with references."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import messages, read, read_with_warnings

SAMPLE = (Path(__file__).parent / "samples" / "tei-letter.xml").read_text("utf-8")


def test_references_are_chains() -> None:
    [document], warnings = read_with_warnings("coref", "tei", SAMPLE)
    assert document.tokens == ["To", "Paris", "Ann", "Lee", "met", "her", "sister", "&", "left", "."]
    assert document.labels == ["paris", "ann", "eva"]
    assert document.clusters() == [[(3, 8)], [(9, 16), (21, 24)], [(21, 31)]]
    assert document.features["element"] == ["placeName", "persName", "rs", "rs"]
    assert warnings == ["not read: 2 elements in the header, in registers or without text"]


def test_other_elements() -> None:
    [document] = read("coref", "tei", SAMPLE, element=("hi",))
    assert document.clusters() == [[(13, 16)]]


def test_a_mark_without_a_reference_is_alone_and_one_around_nothing_is_none() -> None:
    text = "<TEI><text><p><name>Ann</name> <name>Ann</name> <name> </name></p></text></TEI>"
    assert read("coref", "tei", text)[0].clusters() == [[(0, 3)], [(4, 7)]]


def test_xml_of_other_tools_is_refused() -> None:
    assert messages("coref", "tei", "<GateDocument></GateDocument>") == [
        "1:1: found XML without an element <text>, expected a TEI document: check the format"
    ]
