"""Texts that language models rewrote with their entities marked."""

from __future__ import annotations

import json

import pytest

from tests.tasks.formats import messages, read


@pytest.mark.parametrize(
    "answer", ["<PER>Ann</PER> in <LOC>Lyon</LOC>", "[Ann](PER) in [Lyon](LOC)", "<PER>Ann</PER> in [Lyon](LOC)"]
)
def test_every_way_of_marking_gives_the_same_text(answer: str) -> None:
    (one,) = read("entities", "inline_text", json.dumps({"id": "d", "answer": answer}))
    assert (one.text, one.triples()) == ("Ann in Lyon", [(0, 3, "PER"), (7, 11, "LOC")])


def test_marks_without_a_label_have_one_by_option() -> None:
    (one,) = read("entities", "inline_text", json.dumps({"id": "d", "answer": "@@Ann## spoke"}), mark_label="PER")
    assert one.triples() == [(0, 3, "PER")]


def test_a_mark_that_is_not_closed_is_a_problem() -> None:
    assert len(messages("entities", "inline_text", json.dumps({"id": "d", "answer": "<PER>Ann spoke"}))) == 1
