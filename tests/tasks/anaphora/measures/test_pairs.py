"""Pairs: hits, incorrect antecedents, false alarms and misses, and a slow second count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.anaphora.measures import pairs
from tests.tasks.anaphora import strategies
from tests.tasks.anaphora.oracle import Corpora, all_anaphors, links

KEY = {"his": "Clinton", "he": "his", "it": "slavery"}
"""Clinton defended his decision … he came close to apologizing for it."""


def test_pairs_table() -> None:
    """One pair of each kind: hit, incorrect antecedent, false alarm, miss."""
    response = {"his": "Clinton", "he": "Mandela", "decision": "conference"}
    found = pairs.MEASURE(KEY, response)
    assert found.counts == {
        "hits": 1, "incorrect": 1, "chain_hits": 1, "chain_incorrect": 1, "false_alarms": 1, "misses": 1,
        "key_pairs": 3, "chain_found": 1, "anaphors": 3,
    }  # fmt: skip
    assert (found.precision, found.recall) == (1 / 3, 1 / 3)
    chained = pairs.MEASURE(KEY, {"his": "Clinton", "he": "Clinton"})
    assert (chained.precision, chained.recall, chained.chain_precision, chained.chain_recall) == (0.5, 1 / 3, 1, 2 / 3)


ANTECEDENTS = st.dictionaries(
    st.sampled_from("abcdef"), st.sets(st.sampled_from("uvwxyz"), min_size=1, max_size=3), min_size=1
)


@given(ANTECEDENTS, ANTECEDENTS)
def test_pairs_as_sets(key: dict[str, set[str]], response: dict[str, set[str]]) -> None:
    """h = |R∩K|, precision h/|R|, recall h/|K|, however many antecedents an anaphor has."""
    found = pairs.MEASURE(
        {one: sorted(some) for one, some in key.items()}, {one: sorted(some) for one, some in response.items()}
    )
    mine, theirs = ({(one, other) for one, some in side.items() for other in some} for side in (key, response))
    assert found.precision == pytest.approx(len(mine & theirs) / len(theirs))
    assert found.recall == pytest.approx(len(mine & theirs) / len(mine))


def test_several_antecedents() -> None:
    """One right and one wrong: the only pair of the key is found, and half of what is given is right."""
    found = pairs.MEASURE({"he": "Ann"}, {"he": ["Ann", "Bob"]})
    assert (found.recall, found.precision) == (1, 1 / 2)
    found = pairs.MEASURE({"he": ["Ann", "her"]}, {"he": "Ann"})
    assert (found.recall, found.precision, found.chain_recall) == (1 / 2, 1, 1)


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    seen = all_anaphors(corpora)
    given = [one for name in corpora[0] for one in links(corpora[1][name]).values()]
    size = sum(map(len, given))
    found = aune.score("anaphora", *corpora, measures=["pairs"])["pairs"]
    hits, chained = sum(len(one.chosen & one.expected) for one in seen), sum(len(one.chosen & one.mine) for one in seen)
    assert found.recall == pytest.approx(hits / sum(len(one.expected) for one in seen))
    assert found.chain_recall == pytest.approx(sum(bool(one.chosen & one.mine) for one in seen) / len(seen))
    assert found.precision == (pytest.approx(hits / size) if size else None)
    assert found.chain_precision == (pytest.approx(chained / size) if size else None)
