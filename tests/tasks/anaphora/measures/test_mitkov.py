"""Mitkov's rates: by hand, and a slow second count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.anaphora.measures import mitkov
from tests.tasks.anaphora import strategies
from tests.tasks.anaphora.oracle import Corpora, all_anaphors, links

KEY = {"his": "Clinton", "he": "his", "it": "slavery"}
"""Clinton defended his decision … he came close to apologizing for it."""


def test_mitkov_by_hand() -> None:
    key = {
        "anaphors": {"a": "X", "b": "Y", "c": "X", "d": None, "e": None},
        "candidates": {"a": ["X"], "b": ["X", "Y"], "c": ["X", "Y"], "d": ["X"], "e": ["X"]},
    }
    found = mitkov.MEASURE(key, {"a": "X", "b": "Y", "e": "X"})
    assert (found.recall, found.precision) == (2 / 3, 1)  # correct over existing, over attempted
    assert (found.non_trivial, found.critical) == (1 / 2, 1 / 2)
    assert found.etiquette == 3 / 5  # a and b resolved, d left alone, c missed, e resolved wrongly
    assert found.over_baseline == pytest.approx(0)  # the nearest candidate is right for a and b too
    strict = mitkov.MEASURE({"a": "X", "b": "a"}, {"b": "X"}, right="strict")
    assert (strict.recall, mitkov.MEASURE({"a": "X", "b": "a"}, {"b": "X"}).recall) == (0, 0.5)


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    seen = all_anaphors(corpora)
    right = [bool(one.chosen) and one.chosen <= one.mine for one in seen]
    nearest = sum("house" in one.mine for one in seen)  # the last of the three candidates that all have
    found = aune.score("anaphora", *corpora, measures=["mitkov"])["mitkov"]
    recall = sum(right) / len(seen)
    assert found.recall == found.non_trivial == found.critical == pytest.approx(recall)
    attempted = sum(bool(one.chosen) for one in seen)
    assert found.precision == (pytest.approx(sum(right) / attempted) if attempted else None)
    baseline = nearest / len(seen)
    assert found.over_baseline == (pytest.approx((recall - baseline) / (1 - baseline)) if baseline < 1 else None)
    listed = [(links(corpora[0][name]), links(corpora[1][name])) for name in corpora[0]]
    alone = sum(not mine[one] and not theirs.get(one) for mine, theirs in listed for one in mine)
    assert found.etiquette == pytest.approx((sum(right) + alone) / sum(len(mine) for mine, _ in listed))
