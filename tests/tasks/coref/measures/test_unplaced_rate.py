"""The unplaced rate of coreference: against counting by hand which strings the text has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.coref.model import Listed, Mention, document

WORDS = ["a", "b", "a", "c"]
KEY = document("d", [Mention(0, 1, "1"), Mention(2, 3, "1"), Mention(1, 2, "2")], tokens=WORDS)


@given(st.lists(st.sampled_from("abcz"), max_size=6))
def test_strings_beyond_what_the_text_has_are_unplaced(strings: list[str]) -> None:
    response = replace(document("d", []), listed=tuple(Listed(string, "1") for string in strings))
    found = score("coref", [KEY], [response], measures=["unplaced_rate"], place="in-order", duplicates="first")
    there = Counter(WORDS)
    lacking = sum(max(0, number - there[string]) for string, number in Counter(strings).items())
    assert found["unplaced_rate"].counts == {"unplaced": lacking, "given": len(strings)}
    assert found["unplaced_rate"].unplaced == (lacking / len(strings) if strings else None)


def test_a_response_over_the_key_s_own_text_has_everything_placed() -> None:
    assert score("coref", [{1, 2}], [{1}, {3}], measures=["unplaced_rate"])["unplaced_rate"].unplaced == 0.0
