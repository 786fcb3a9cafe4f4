from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.clas")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("clas", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_function_words_and_punctuation_are_left_out() -> None:
    key = [
        {"form": "le", "head": 2, "deprel": "det"}, {"form": "chat", "head": 0, "deprel": "root"},
        {"form": ".", "head": 2, "deprel": "punct"},
    ]  # fmt: skip
    wrong = [{**key[0], "head": 3}, key[1], {**key[2], "head": 1}]
    assert MEASURE(key, wrong).f1 == 1.0 and MEASURE(key, wrong).counts["key"] == 1
