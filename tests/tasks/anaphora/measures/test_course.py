"""Every case of the tables of the course notes (2.4.2), of Popescu-Belis 1999 (§5.4) and of Mitkov, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.anaphora.measures import accuracy, azzam, graded, mitkov, pairs

# "Clinton defended his decision … he came close to apologizing for it."
KEY = {"his": "Clinton", "he": "his", "it": "slavery"}


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


def test_a_chain_of_pronouns_has_no_entity_to_reach() -> None:
    key = {"anaphors": {"me": "I"}, "kinds": {"me": "pronoun", "I": "pronoun"}}
    assert graded.MEASURE(key, {"me": "I"}).graded == 1
    assert azzam.MEASURE(key, {"me": "I"}).recall is None


def test_pairs_table() -> None:
    """One pair of each kind: hit, incorrect antecedent, false alarm, miss."""
    response = {"his": "Clinton", "he": "Mandela", "decision": "conference"}
    found = pairs.MEASURE(KEY, response)
    assert found.counts == {
        "hits": 1, "incorrect": 1, "chain_hits": 1, "chain_incorrect": 1, "false_alarms": 1, "misses": 1,
    }  # fmt: skip
    assert (found.precision, found.recall) == (1 / 3, 1 / 3)
    chained = pairs.MEASURE(KEY, {"his": "Clinton", "he": "Clinton"})
    assert (chained.precision, chained.recall, chained.chain_precision, chained.chain_recall) == (0.5, 1 / 3, 1, 2 / 3)


ANTECEDENTS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("uvwxyz"), min_size=1)


@given(ANTECEDENTS, ANTECEDENTS)
def test_pairs_as_sets(key: dict[str, str], response: dict[str, str]) -> None:
    """h = |R∩K|, precision h/|R|, recall h/|K|."""
    found = pairs.MEASURE(key, response)
    hits = len(key.items() & response.items())
    assert found.precision == pytest.approx(hits / len(response))
    assert found.recall == pytest.approx(hits / len(key))


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


def test_by_any_attribute() -> None:
    key = {"anaphors": {"he": "Ann", "it": "hat"}, "attributes": {"he": {"register": "formal"}, "it": {}}}
    found = aune.score("anaphora", key, {"he": "Ann"}, measures=["accuracy"])["accuracy"]
    assert found.by("register") == {"formal": {"strict": 1.0, "chain": 1.0}, "": {"strict": 0.0, "chain": 0.0}}


def test_a_pronoun_listed_as_not_anaphoric_names_nothing() -> None:
    key = {"he": "Ann", "it": None}
    assert azzam.MEASURE(key, {"he": "it"}).counts["clean"] == 1  # "it" is foreign, but no name of anything
