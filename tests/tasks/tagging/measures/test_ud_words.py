from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import pairs, places

WORDS, TOKENS = measure("tagging.ud_words"), measure("tagging.ud_tokens")


@given(pairs())
def test_words_over_the_same_characters(sides: tuple[list[Any], list[Any]]) -> None:
    left, right = map(places, sides)
    assert WORDS(*sides).counts == {"aligned": len({*left} & {*right}), "key": len(left), "response": len(right)}
