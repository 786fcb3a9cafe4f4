"""Graded: the cases of the course notes, and a slow second count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import aune
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.anaphora.comparison import compare
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


def test_links_are_followed_in_either_direction() -> None:
    """A name anywhere in the class counts (2.4.2.1): Clinton is tied to `his` by a link of its own."""
    key = {"anaphors": {"he": "his", "his": "Clinton"}, "kinds": {"Clinton": "name", "he": "pronoun", "his": "pronoun"}}
    result = aune.score("anaphora", key, {"he": "his", "Clinton": "his"}, measures=["graded"])["graded"]
    assert result.by("anaphor")["document:he"]["graded"] == 1


def test_a_perfect_response_to_a_chain_with_a_name_is_perfect() -> None:
    """The pronouns come before the name, so that no link leads from them to it."""
    key = {"anaphors": {"he": "I", "him": "Ann"}, "chains": [["I", "he", "Ann", "him"]],
           "kinds": {"I": "pronoun", "he": "pronoun", "him": "pronoun", "Ann": "name"}}  # fmt: skip
    assert graded.MEASURE(key, key).graded == 1


def test_litbank_s_key_against_itself(data: Path) -> None:
    """Perfect, except in chains of pronouns alone."""
    path = data / "coref" / "litbank" / "key.conll.gz"
    if not path.exists():
        pytest.skip(f"{path} is absent: LitBank is in ../shared/data")
    pairs = [(document, document) for document in read(registry.task("anaphora"), str(path)).documents]
    comparison = compare(pairs)
    counts = graded.count(comparison)
    assert counts.anaphors.sum() == 1529
    assert (counts.one + counts.half == counts.anaphors).all()
    for row, half in zip(comparison.rows, counts.half.tolist(), strict=True):
        chain = row.key.members.get(row.key.chains.get(row.mention, -1), [])
        assert bool(half) == (row.is_anaphoric and all(map(row.key.is_pronominal, chain)))


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    item = half = 0
    for seen in all_anaphors(corpora):
        right = bool(seen.chosen) and seen.chosen <= seen.mine
        item += right and bool(seen.given & seen.named)
        half += right and not seen.given & seen.named
    result = aune.score("anaphora", *corpora, measures=["graded"])["graded"].counts
    assert (result["one"], result["half"]) == (item, half)
