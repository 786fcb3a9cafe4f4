"""Azzam's score: by hand, and a slow second count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.anaphora.measures import azzam
from tests.tasks.anaphora import strategies
from tests.tasks.anaphora.oracle import Corpora, all_anaphors

KEY = {"his": "Clinton", "he": "his", "it": "slavery"}
"""Clinton defended his decision … he came close to apologizing for it."""


@pytest.mark.parametrize(
    ("response", "counts"),
    [
        ({"his": "Clinton", "he": "his", "it": "slavery"}, (3, 3, 3, 3)),
        ({"his": "Mandela", "he": "his", "it": "slavery"}, (1, 3, 1, 3)),  # recall and precision errors for both
        ({"he": "his"}, (0, 3, 2, 2)),  # tied to pronouns only: nothing found, nothing foreign
        ({"his": ["Clinton", "Mandela"], "he": "his"}, (2, 3, 0, 2)),  # indulgent recall, severe precision
        ({}, (0, 3, 0, 0)),
    ],
)
def test_azzam(response: dict[str, Any], counts: tuple[int, ...]) -> None:
    assert tuple(azzam.MEASURE(KEY, response).counts.values()) == counts


def test_a_chain_of_pronouns_has_no_entity_to_reach() -> None:
    key = {"anaphors": {"me": "I"}, "kinds": {"me": "pronoun", "I": "pronoun"}}
    assert azzam.MEASURE(key, {"me": "I"}).recall is None


def test_a_pronoun_listed_as_not_anaphoric_names_nothing() -> None:
    key = {"he": "Ann", "it": None}
    assert azzam.MEASURE(key, {"he": "it"}).counts["clean"] == 1  # "it" is foreign, but no name of anything


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    tied = nameable = clean = resolved = 0
    for seen in all_anaphors(corpora):
        nameable += bool(seen.named)
        tied += bool(seen.given & seen.named)
        resolved += len(seen.given) > 1
        clean += len(seen.given) > 1 and not seen.foreign
    result = aune.score("anaphora", *corpora, measures=["azzam"])["azzam"]
    assert tuple(result.counts.values()) == (tied, nameable, clean, resolved)
