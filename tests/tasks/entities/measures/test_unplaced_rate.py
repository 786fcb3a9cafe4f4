"""The unplaced rate of entities: against counting by hand which strings the text has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.entities.model import Listed, Span, document

WORDS = ["a", "b", "a", "c"]
KEY = document("d", [Span(0, 1, "X")], length=4, words=WORDS.copy)


@given(st.lists(st.tuples(st.sampled_from("abcz"), st.sampled_from("XY")), max_size=6), st.integers(0, 2))
def test_strings_beyond_what_the_text_has_are_unplaced(items: list[tuple[str, str]], lost: int) -> None:
    listed = tuple(Listed(string, label) for string, label in items)
    found = score("entities", [KEY], [replace(document("d", []), listed=listed, lost=lost)], measures=["unplaced_rate"])
    there = Counter(WORDS)
    lacking = sum(max(0, number - there[string]) for (string, _), number in Counter(items).items())
    assert found["unplaced_rate"].counts == {"unplaced": lacking + lost, "given": len(items) + lost}
