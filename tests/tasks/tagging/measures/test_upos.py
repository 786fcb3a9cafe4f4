from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.upos")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("upos", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_words_of_both_sides_count() -> None:
    key, response = ([{"form": form, "upos": "X"} for form in forms] for forms in (["ab", "c"], ["a", "b", "c"]))
    score = MEASURE(key, response)
    assert (score.precision, score.recall, score.f1, score.accuracy) == (1 / 3, 1 / 2, 2 / 5, 1.0)
