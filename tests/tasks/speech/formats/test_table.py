"""Tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.tasks.speech.model import Utterance
from tests.tasks.formats import messages, read, write_text

SAMPLE = (Path(__file__).parent / "samples" / "table-commas.csv").read_text()


def test_columns_by_the_names_of_the_header() -> None:
    documents = read("speech", "table", SAMPLE)
    assert [(document.id, " ".join(document.words), document.attributes["speaker"]) for document in documents] == [
        ("u1", "good morning", "ann"), ("u2", "well, yes and no", "bob"), ("u3", "", "ann")
    ]  # fmt: skip
    assert read("speech", "table", "name\tsaid\nx\ta b\n", text_field=("said",), id_field=("name",))[0].words == [
        "a",
        "b",
    ]


def test_the_line_of_a_row_is_its_first() -> None:
    assert [item.line for item in read("speech", "table", SAMPLE)] == [2, 3, 5]
    assert messages("speech", "table", 'id,text\nu1,"a\nb",c\n') == [
        "2:1: found 3 columns, expected the 2 of the header: quote text that has commas"
    ]


def test_only_line_ends_end_lines() -> None:
    documents = read("speech", "table", "id,text\nu1,a\x0bb\u2028c\nu2,d\n")
    assert [(document.id, document.line) for document in documents] == [("u1", 2), ("u2", 3)]


def test_fields_and_signs_come_back() -> None:
    values = [
        Utterance('a"\tb', ['say "x"', "y,"][1:], {"note": "two\nlines", "n": "1"}),
        Utterance("c", [], {"n": "2"}),
    ]
    again = read("speech", "table", write_text("speech", "table", values))
    assert [(document.id, list(document.words)) for document in again] == [('a"\tb', ["y,"]), ("c", [])]
    assert [dict(item.attributes) for item in again] == [{"n": "1", "note": "two\nlines"}, {"n": "2", "note": ""}]


def test_a_field_of_the_same_name_is_refused() -> None:
    with pytest.raises(aune.UsageError, match="table cannot represent the field 'text', which is the utterance's own"):
        write_text("speech", "table", [Utterance("u", "a", {"text": "b"})])
