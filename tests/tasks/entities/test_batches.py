"""Batches counted straight from tags are counted as by the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.entities import batches
from tests.tasks.batched import assert_added_up, by_comparison

TAGS = [
    ["O", "B-A", "I-A", "B-B", "I-B"],
    ["O", "I-A", "E-A", "I-B", "E-B"],
    ["O", "B", "I"],
    ["O", "B-A", "I-A", "E-A", "S-A", "S-B"],
    ["O", "_", "B-A", "L-A", "U-B", "I-B"],
    ["O", "I-A", "B-A"],
]
"""Legal and illegal sequences of every scheme come of them."""


@st.composite
def tagged_sides(draw: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Two sides of the same lengths, each in tags of its own."""
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    sides = []
    for _ in "kr":
        tag = st.sampled_from(draw(st.sampled_from(TAGS)))
        sides.append([draw(st.lists(tag, min_size=length, max_size=length)) for length in lengths])
    return sides[0], sides[1]


@given(tagged_sides())
def test_as_by_the_comparison(sides: tuple[list[list[str]], list[list[str]]]) -> None:
    batch = batches.f_measure(*sides)
    if batch is None:
        assert set(map(len, sides[0])) in ({2}, {0})  # what may be something else is left to the comparison
        return
    totals, facts = by_comparison("entities.f_measure", *sides)
    assert (list(batch.totals), batch.documents) == (totals, 1)
    assert {fact: number for fact, number in batch.facts.items() if number} == facts


@given(st.lists(tagged_sides(), min_size=2, max_size=4))
def test_added_up_they_are_the_whole(given_batches: list[Any]) -> None:
    assert_added_up("entities", "f_measure", given_batches)


@pytest.mark.parametrize(
    "sentences",
    [["B-A", "O"], [("B-A", "O")], [["B-A", 1, "O"]], [["B-A", ["O"], "O"]], [["X-A", "O"] * 2], [["O"] * 2], [], [[]]],
)
def test_whatever_else_it_is_is_left_to_the_comparison(sentences: Any) -> None:
    assert batches.f_measure(sentences, sentences) is None
    assert batches.f_measure([["O"] * 3], [["O"] * 4]) is None


def test_it_is_refused_as_ever() -> None:
    scores = aune.accumulate("entities", measures=["f_measure"]).add([["B-A", "O", "O"]], [["O", "O", "O"]])
    with pytest.raises(aune.UsageError, match="found the tag 'X-A'"):
        scores.add([["X-A", "O", "O"]], [["O", "O", "O"]])
    assert len(scores) == 1
