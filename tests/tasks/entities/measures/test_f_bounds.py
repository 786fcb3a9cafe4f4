"""Bounds of F: against every way to place the strings."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.entities.model import Listed, Span, document

WORDS = ["a", "b", "a", "a", "b"]
ITEMS = st.lists(st.tuples(st.sampled_from("abz"), st.sampled_from("XY")), max_size=4)
KEYS = st.sets(st.tuples(st.integers(0, 4), st.sampled_from("XY")), max_size=5)


@given(ITEMS, KEYS)
def test_bounds_are_those_of_all_placements(items: list[tuple[str, str]], expected: set[tuple[int, str]]) -> None:
    key = document("d", [Span(place, place + 1, label) for place, label in expected], length=5, words=WORDS.copy)
    response = replace(document("d", []), listed=tuple(Listed(string, label) for string, label in items))
    found = score("entities", [key], [response], measures=["f_bounds"], place="interval")["f_bounds"].counts
    choices = []
    for string, label in sorted(set(items)):
        places = [place for place, word in enumerate(WORDS) if word == string]
        size = min(items.count((string, label)), len(places))
        choices.append([sum((p, label) in expected for p in chosen) for chosen in combinations(places, size)])
    outcomes = [sum(choice) for choice in product(*choices)]
    assert (found["least"], found["most"]) == (min(outcomes), max(outcomes))
    assert (found["given"], found["expected"]) == (len(items), len(expected))


def test_positions_leave_nothing_open() -> None:
    found = score("entities", [(0, 1, "X"), (2, 3, "X")], [(0, 1, "X")], measures=["f_bounds"])["f_bounds"]
    assert found.f1_low == found.f1_high == 2 / 3
