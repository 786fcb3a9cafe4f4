"""Graded: the cases of the course notes, and a slow second count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.anaphora.measures import graded
from tests.tasks.anaphora import strategies
from tests.tasks.anaphora.oracle import Corpora, all_anaphors

KEY = {"his": "Clinton", "he": "his", "it": "slavery"}
"""Clinton defended his decision … he came close to apologizing for it."""


@pytest.mark.parametrize(
    ("response", "grade"),
    [
        ({"he": "Clinton"}, 1.0),  # an entity of the chain
        ({"he": "his", "his": "Clinton"}, 1.0),  # a pronoun that is itself tied to the entity
        ({"he": "his"}, 0.5),  # a pronoun of the chain that is tied to nothing
        ({"he": "his", "his": "he"}, 0.5),  # pronouns tied only to each other
        ({"he": "his", "his": "Mandela"}, 0.5),  # tied to an entity, but not to the chain's
        ({"he": "Mandela"}, 0.0),  # no resolution in the chain
        ({"he": "it", "it": "Clinton"}, 0.0),
        ({}, 0.0),
    ],
)
def test_graded(response: dict[str, Any], grade: float) -> None:
    by_anaphor = aune.score("anaphora", KEY, response, measures=["graded"])["graded"].by("anaphor")
    assert by_anaphor["document:he"]["graded"] == grade


def test_a_chain_of_pronouns_gives_a_half() -> None:
    key = {"anaphors": {"me": "I"}, "kinds": {"me": "pronoun", "I": "pronoun"}}
    assert graded.MEASURE(key, {"me": "I"}).graded == 0.5


def test_links_are_followed_and_classes_are_not() -> None:
    """Clinton is tied to `his` by a link of its own; from `he` no link leads there."""
    key = {"anaphors": {"he": "his", "his": "Clinton"}, "kinds": {"Clinton": "name", "he": "pronoun", "his": "pronoun"}}
    found = aune.score("anaphora", key, {"he": "his", "Clinton": "his"}, measures=["graded"])["graded"]
    assert found.by("anaphor")["document:he"]["graded"] == 0.5


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    one = half = 0
    for seen in all_anaphors(corpora):
        right = bool(seen.chosen) and seen.chosen <= seen.mine
        one += right and bool(seen.reached & seen.named)
        half += right and not seen.reached & seen.named
    found = aune.score("anaphora", *corpora, measures=["graded"])["graded"].counts
    assert (found["one"], found["half"]) == (one, half)
