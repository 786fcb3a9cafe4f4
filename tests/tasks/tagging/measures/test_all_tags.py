from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.all_tags")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("all_tags", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_universal_parts_leave_the_treebanks_tags_out() -> None:
    key, response = [{"form": "a", "upos": "X", "xpos": "x"}], [{"form": "a", "upos": "X", "xpos": "y"}]
    assert (MEASURE(key, response).f1, MEASURE(key, response, parts="universal").f1) == (0.0, 1.0)
