"""Texts that language models rewrote with their entities marked."""

from __future__ import annotations

import json

import pytest

from tests.tasks.formats import messages, read


@pytest.mark.parametrize(
    "answer",
    [
        "<PER>Ann</PER> in <LOC>Lyon</LOC>", "[Ann](PER) in [Lyon](LOC)", "<PER>Ann</PER> in [Lyon](LOC)",
        "<entity type='PER'>Ann</entity> in <span id=2 class=\"LOC\">Lyon</span>",
        "<text><e label=PER>Ann</e> in <LOC>Lyon</LOC></text>",
    ],
)  # fmt: skip
def test_every_way_of_marking_gives_the_same_text(answer: str) -> None:
    (document,) = read("entities", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert (document.text, document.triples()) == ("Ann in Lyon", [(0, 3, "PER"), (7, 11, "LOC")])


def test_marks_without_a_label_have_one_by_option() -> None:
    (document,) = read("entities", "inline_text", json.dumps({"id": "d", "answer": "@@Ann## spoke"}), mark_label="PER")
    assert document.triples() == [(0, 3, "PER")]


@pytest.mark.parametrize("answer", ["", " \n", "<think>Ann may be"])
def test_an_answer_without_text_is_refused(answer: str) -> None:
    [message] = messages("entities", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert "found an empty answer, expected the text with marks" in message


def test_a_mark_that_is_not_closed_is_a_problem() -> None:
    assert len(messages("entities", "inline_text", json.dumps({"id": "d", "answer": "<PER>Ann spoke"}))) == 1


def test_marks_of_a_list_are_no_labels() -> None:
    answer = "<entities><entity><text>Ann</text><type>PER</type></entity></entities>"
    [message] = messages("entities", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert "found marks of a list (<entities>)" in message
