from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.mlas")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("mlas", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_a_wrong_function_word_makes_its_head_wrong() -> None:
    key = [
        {"form": "le", "head": 2, "deprel": "det", "upos": "DET"},
        {"form": "chat", "head": 0, "deprel": "root", "upos": "NOUN"},
    ]
    assert MEASURE(key, key).f1 == 1.0
    assert MEASURE(key, [{**key[0], "upos": "PRON"}, key[1]]).f1 == 0.0
    assert MEASURE(key, [{**key[0], "deprel": "nmod"}, key[1]]).counts["correct"] == 0
