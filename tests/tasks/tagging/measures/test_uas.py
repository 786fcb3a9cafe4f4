from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.uas")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("uas", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_a_head_that_the_key_has_not_as_a_word_is_wrong() -> None:
    key = [{"form": "ab", "head": 0, "deprel": "root"}, {"form": "c", "head": 1, "deprel": "obj"}]
    response = [
        {"form": "a", "head": 0, "deprel": "root"}, {"form": "b", "head": 1, "deprel": "obj"},
        {"form": "c", "head": 1, "deprel": "obj"},
    ]  # fmt: skip
    score = MEASURE(key, response)
    assert score.counts == {"correct": 0, "aligned": 1, "key": 2, "response": 3}


def test_without_trees_it_is_undefined() -> None:
    score = MEASURE([{"form": "a", "upos": "X"}], [{"form": "a", "upos": "X"}])
    assert score.f1 is None and "no trees" in score.reasons["f1"]


def test_a_response_without_heads_is_wrong_and_not_undefined() -> None:
    assert MEASURE([{"form": "a", "head": 0, "deprel": "root"}], [{"form": "a", "deprel": "root"}]).f1 == 0.0
