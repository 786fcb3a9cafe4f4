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
    score = mitkov.MEASURE(key, {"a": "X", "b": "Y", "e": "X"})
    assert (score.recall, score.precision) == (2 / 3, 1)  # correct over existing, over attempted
    assert (score.non_trivial, score.critical) == (1 / 2, 1 / 2)
    assert score.etiquette == 3 / 5  # a and b resolved, d left alone, c missed, e resolved wrongly
    assert score.over_baseline == pytest.approx(0)  # the nearest candidate is right for a and b too
    strict = mitkov.MEASURE({"a": "X", "b": "a"}, {"b": "X"}, right="strict")
    assert (strict.recall, mitkov.MEASURE({"a": "X", "b": "a"}, {"b": "X"}).recall) == (0, 0.5)


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    seen = all_anaphors(corpora)
    right = [bool(item.chosen) and item.chosen <= item.mine for item in seen]
    nearest = sum("house" in item.mine for item in seen)  # the last of the three candidates that all have
    result = aune.score("anaphora", *corpora, measures=["mitkov"])["mitkov"]
    recall = sum(right) / len(seen)
    assert result.recall == result.non_trivial == result.critical == pytest.approx(recall)
    attempted = sum(bool(item.chosen) for item in seen)
    assert result.precision == (pytest.approx(sum(right) / attempted) if attempted else None)
    baseline = nearest / len(seen)
    assert result.over_baseline == (pytest.approx((recall - baseline) / (1 - baseline)) if baseline < 1 else None)
    listed = [(links(corpora[0][name]), links(corpora[1][name])) for name in corpora[0]]
    alone = sum(
        not key_value[item] and not response_value.get(item)
        for key_value, response_value in listed
        for item in key_value
    )
    assert result.etiquette == pytest.approx((sum(right) + alone) / sum(len(key_value) for key_value, _ in listed))
