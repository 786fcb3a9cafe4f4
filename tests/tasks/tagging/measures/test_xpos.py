from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.xpos")


@given(pairs())
def test_word_by_word(both: tuple[list[Any], list[Any]]) -> None:
    expected = figures("xpos", *both)
    assert MEASURE(*both).counts == expected._asdict()


def test_a_column_that_is_not_there_is_undefined() -> None:
    found = MEASURE([("a", "N")], [("a", "N")])
    assert found.f1 is None and "no such column" in found.reasons["f1"]
