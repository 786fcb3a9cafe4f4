from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.ud import figures, pairs

MEASURE = measure("tagging.feats")


@given(pairs())
def test_word_by_word(sides: tuple[list[Any], list[Any]]) -> None:
    expected = figures("feats", *sides)
    assert MEASURE(*sides).counts == expected._asdict()


@pytest.mark.parametrize(("features", "expected"), [("universal", 1.0), ("all", 0.0)])
def test_only_universal_features_count(features: str, expected: float) -> None:
    key, response = [{"form": "a", "feats": "Typo=Yes|Number=Sing"}], [{"form": "a", "feats": "Number=Sing"}]
    assert MEASURE(key, response, features=features).f1 == expected


def test_the_order_of_features_does_not_matter() -> None:
    key, response = [{"form": "a", "feats": "Number=Sing|Case=Nom"}], [{"form": "a", "feats": "Case=Nom|Number=Sing"}]
    assert MEASURE(key, response, features="all").f1 == 1.0
