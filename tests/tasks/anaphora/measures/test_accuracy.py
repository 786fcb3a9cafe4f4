"""Accuracy: the cases of the course notes, and a slow second count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.anaphora.measures import accuracy
from tests.tasks.anaphora import strategies
from tests.tasks.anaphora.oracle import Corpora, all_anaphors

KEY = {"his": "Clinton", "he": "his", "it": "slavery"}
"""Clinton defended his decision … he came close to apologizing for it."""


@pytest.mark.parametrize(
    ("response", "strict", "chain"),
    [
        ({"his": "Clinton", "he": "his", "it": "slavery"}, 3, 3),
        ({"his": "Clinton", "he": "Clinton", "it": "slavery"}, 2, 3),  # another mention of the chain
        ({"his": "Mandela", "he": "Mandela", "it": "slavery"}, 1, 1),  # not in the chain
        ({"his": "Clinton"}, 1, 1),  # two anaphors without an antecedent
        ({"his": "his", "he": "he", "it": "it"}, 0, 0),  # a mention is no antecedent of its own
        ({"his": ["Clinton", "Mandela"]}, 0, 0),  # all antecedents have to be right
        ({}, 0, 0),
    ],
)
def test_accuracy(response: dict[str, Any], strict: int, chain: int) -> None:
    counts = accuracy.MEASURE(KEY, response).counts
    assert counts == {"strict_hits": strict, "chain_hits": chain, "anaphors": 3}


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    seen = all_anaphors(corpora)
    strict = sum(bool(item.chosen) and item.chosen <= item.expected for item in seen)
    chain = sum(bool(item.chosen) and item.chosen <= item.mine for item in seen)
    result = aune.score("anaphora", *corpora, measures=["accuracy"])["accuracy"]
    assert result.counts == {"strict_hits": strict, "chain_hits": chain, "anaphors": len(seen)}


def test_by_any_attribute() -> None:
    key = {"anaphors": {"he": "Ann", "it": "hat"}, "attributes": {"he": {"register": "formal"}, "it": {}}}
    result = aune.score("anaphora", key, {"he": "Ann"}, measures=["accuracy"])["accuracy"]
    assert result.by("register") == {"formal": {"strict": 1.0, "chain": 1.0}, "": {"strict": 0.0, "chain": 0.0}}
