from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.lemmas")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("lemmas", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_a_key_lemma_that_says_nothing_is_right() -> None:
    key = [{"form": "a", "lemma": "_"}, {"form": "b", "lemma": "b"}]
    assert MEASURE(key, [{"form": "a", "lemma": "x"}, {"form": "b", "lemma": "x"}]).f1 == 0.5
