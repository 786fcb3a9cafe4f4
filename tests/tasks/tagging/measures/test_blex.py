from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.blex")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("blex", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_a_key_lemma_that_says_nothing_is_right() -> None:
    key = [{"form": "a", "head": 0, "deprel": "root", "lemma": "_"}]
    assert MEASURE(key, [{**key[0], "lemma": "x"}]).f1 == 1.0
    assert MEASURE([{**key[0], "lemma": "y"}], [{**key[0], "lemma": "x"}]).f1 == 0.0
