from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.las")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("las", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


def test_sub_types_do_not_matter() -> None:
    key = [{"form": "a", "head": 0, "deprel": "root"}, {"form": "b", "head": 1, "deprel": "nsubj:pass"}]
    assert MEASURE(key, [key[0], {**key[1], "deprel": "nsubj"}]).f1 == 1.0
    assert MEASURE(key, [key[0], {**key[1], "deprel": "obj"}]).f1 == 0.5
