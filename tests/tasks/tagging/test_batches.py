"""Batches counted straight from tags are counted as by the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.tagging import batches
from tests.tasks.batched import assert_added_up, by_comparison

TAGS = ["N", "V", "D", "N:pl", "-", "O"]
WORDS = ["le", "chat", "l'", "là-bas", "1", "\u200b", "ex emple", "E\u0301"]


@st.composite
def tagged_sides(draw: Any) -> tuple[list[Any], list[Any]]:
    """Two sides of the same lengths: tags alone, or words with their tags."""
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    tags = [[[draw(st.sampled_from(TAGS)) for _ in range(size)] for size in lengths] for _ in "kr"]
    if draw(st.booleans()):
        return tags[0], tags[1]
    words = [[draw(st.sampled_from(WORDS)) for _ in range(size)] for size in lengths]
    key, response = ([list(zip(*pair, strict=True)) for pair in zip(words, side, strict=True)] for side in tags)
    return key, response


@given(tagged_sides())
def test_as_by_the_comparison(sides: tuple[list[Any], list[Any]]) -> None:
    batch = batches.accuracy(*sides)
    if batch is None:  # what may be something else is left to the comparison
        assert set(map(len, sides[0])) in ({2}, {0})
        return
    totals, facts = by_comparison("tagging.accuracy", *sides)
    assert (list(batch.totals), batch.documents) == (totals, 1)
    assert batch.facts == facts


@given(st.lists(tagged_sides(), min_size=2, max_size=4))
def test_added_up_they_are_the_whole(given_batches: list[Any]) -> None:
    given_batches = [sides for sides in given_batches if batches.accuracy(*sides)]
    if not given_batches:
        return
    assert_added_up("tagging", "accuracy", given_batches)


@pytest.mark.parametrize(
    "sentences",
    [
        ["N", "V"], [["N", "V"]], [["N", 1, "V"]], [["N", "_", "V"]], [["N", "N|V", "V"]], [["N", " V", "D"]], [], [[]],
        [[("le", ["D", "N"])]], [[(" ", "D")]], [[("le", "D", 1)]], [[{"form": "le", "upos": "D"}]],
    ],
)  # fmt: skip
def test_whatever_else_it_is_is_left_to_the_comparison(sentences: Any) -> None:
    assert batches.accuracy(sentences, sentences) is None


def test_sides_that_differ_are_left_to_the_comparison() -> None:
    assert batches.accuracy([["N"] * 3], [["N"] * 4]) is None
    assert batches.accuracy([[("le", "D")]], [[("la", "D")]]) is None
    assert batches.accuracy([[("le", "D")]], [["D"]]) is None


def test_the_first_batch_has_decided_for_all() -> None:
    """Tags alone, behind words with columns: refused as ever, and not counted in silence."""
    scores = aune.accumulate("tagging", measures=["accuracy"])
    rows = [{"form": "le", "upos": "DET"}, {"form": "chat", "upos": "NOUN"}]
    scores.add(rows, rows)
    with pytest.raises(aune.UsageError, match="the key has only tag"):
        scores.add([["N", "V", "D"]], [["N", "V", "D"]])
    assert len(scores) == 1
