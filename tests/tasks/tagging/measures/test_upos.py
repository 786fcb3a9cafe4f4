from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.upos")


@given(pairs())
def test_word_by_word(both: tuple[list[Any], list[Any]]) -> None:
    expected = figures("upos", *both)
    assert MEASURE(*both).counts == expected._asdict()


def test_words_of_both_sides_count() -> None:
    key, response = ([{"form": form, "upos": "X"} for form in forms] for forms in (["ab", "c"], ["a", "b", "c"]))
    found = MEASURE(key, response)
    assert (found.precision, found.recall, found.f1, found.accuracy) == (1 / 3, 1 / 2, 2 / 5, 1.0)
