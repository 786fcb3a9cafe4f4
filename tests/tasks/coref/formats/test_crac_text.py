"""The text form of CRAC."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.tasks.coref.model import Mention, make_document
from tests.tasks.formats import messages, read, write_text

SAMPLE = (Path(__file__).parent / "samples" / "crac_text-two.crac").read_text("utf-8")


def test_a_document_per_line() -> None:
    first, second = read("coref", "crac_text", SAMPLE)
    assert (first.id, first.clusters()) == ("1", [[(0, 5), (7, 8)], [(2, 4)]])
    assert (second.id, second.clusters()) == ("2", [[(0, 1), (3, 4)], [(2, 5)]])
    assert first.labels == ["e1", "e2"]


def test_what_is_written_is_the_file_that_was_read() -> None:
    assert write_text("coref", "crac_text", read("coref", "crac_text", SAMPLE)) == SAMPLE


def test_a_bar_in_a_word_is_a_word() -> None:
    [document] = read("coref", "crac_text", "a|b|[e1] | x|y ||[e1]")
    assert document.tokens == ["a|b", "|", "x|y", "|"] and document.clusters() == [[(0, 1), (3, 4)]]
    assert write_text("coref", "crac_text", [document]) == "a|b|[e1] | x|y ||[e1]\n"


def test_words_that_look_like_marks_and_crossing_mentions_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot represent the word"):
        write_text("coref", "crac_text", [make_document("1", [], tokens=["x|[e1]"])])
    crossing = [Mention(0, 2, "a"), Mention(1, 3, "a")]
    with pytest.raises(UsageError, match="cross"):
        write_text("coref", "crac_text", [make_document("1", crossing, tokens=["x", "y", "z"])])


def test_mentions_of_one_entity_close_the_last_one_that_is_open() -> None:
    assert read("coref", "crac_text", "a|[e1 b|[e1 c|e1] d|e1]")[0].clusters() == [[(0, 4), (1, 3)]]
    assert messages("coref", "crac_text", "a|e1]") == [
        "1:1: found 'e1]' where no mention of e1 is open, expected '[e1' before it: "
        "open the mention, or remove the mark"
    ]
