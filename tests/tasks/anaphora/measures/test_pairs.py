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
    score = pairs.MEASURE(KEY, response)
    assert score.counts == {
        "hits": 1, "incorrect": 1, "chain_hits": 1, "chain_incorrect": 1, "false_alarms": 1, "misses": 1,
        "key_pairs": 3, "chain_found": 1, "anaphors": 3,
    }  # fmt: skip
    assert (score.precision, score.recall) == (1 / 3, 1 / 3)
    chained = pairs.MEASURE(KEY, {"his": "Clinton", "he": "Clinton"})
    assert (chained.precision, chained.recall, chained.chain_precision, chained.chain_recall) == (0.5, 1 / 3, 1, 2 / 3)


ANTECEDENTS = st.dictionaries(
    st.sampled_from("abcdef"), st.sets(st.sampled_from("uvwxyz"), min_size=1, max_size=3), min_size=1
)


@given(ANTECEDENTS, ANTECEDENTS)
def test_pairs_as_sets(key: dict[str, set[str]], response: dict[str, set[str]]) -> None:
    """h = |R∩K|, precision h/|R|, recall h/|K|, however many antecedents an anaphor has."""
    score = pairs.MEASURE(
        {item: sorted(some) for item, some in key.items()}, {item: sorted(some) for item, some in response.items()}
    )
    key_value, response_value = (
        {(item, other) for item, some in side.items() for other in some} for side in (key, response)
    )
    assert score.precision == pytest.approx(len(key_value & response_value) / len(response_value))
    assert score.recall == pytest.approx(len(key_value & response_value) / len(key_value))


def test_several_antecedents() -> None:
    """One right and one wrong: the only pair of the key is found, and half of what is given is right."""
    score = pairs.MEASURE({"he": "Ann"}, {"he": ["Ann", "Bob"]})
    assert (score.recall, score.precision) == (1, 1 / 2)
    score = pairs.MEASURE({"he": ["Ann", "her"]}, {"he": "Ann"})
    assert (score.recall, score.precision, score.chain_recall) == (1 / 2, 1, 1)


@settings(max_examples=80)
@given(strategies.ANY)
def test_agrees_with_the_oracle(corpora: Corpora) -> None:
    seen = all_anaphors(corpora)
    example = [link for name in corpora[0] for link in links(corpora[1][name]).values()]
    size = sum(map(len, example))
    result = aune.score("anaphora", *corpora, measures=["pairs"])["pairs"]
    hits, chained = (
        sum(len(item.chosen & item.expected) for item in seen),
        sum(len(item.chosen & item.mine) for item in seen),
    )
    assert result.recall == pytest.approx(hits / sum(len(item.expected) for item in seen))
    assert result.chain_recall == pytest.approx(sum(bool(item.chosen & item.mine) for item in seen) / len(seen))
    assert result.precision == (pytest.approx(hits / size) if size else None)
    assert result.chain_precision == (pytest.approx(chained / size) if size else None)
