from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.xpos")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("xpos", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_a_column_that_is_not_there_is_undefined() -> None:
    score = MEASURE([("a", "N")], [("a", "N")])
    assert score.f1 is None and "no such column" in score.reasons["f1"]
