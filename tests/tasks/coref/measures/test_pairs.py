"""Pairs: against the enumeration of pairs."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given

from tests.tasks.coref.agreement import CHAINS, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([{1, 2, 3}], [{1, 2}, {3}], (1 / 3, 1.0, 1 / 2)),
        ([{1, 2}, {3, 4, 5}], [{1, 2, 3}, {4, 5}], (2 / 4, 2 / 4, 1 / 2)),
        ([{1}], [{1}], (0.0, 0.0, 0.0)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("pairs", key, response), expected)


def pairs_of(chains: Chains) -> set[frozenset[object]]:
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


@given(CHAINS)
def test_agrees_with_the_enumeration(chains: tuple[Chains, Chains]) -> None:
    key, response = map(pairs_of, chains)
    common = len(key & response)
    recall = common / len(key) if key else 0.0
    precision = common / len(response) if response else 0.0
    f1 = 2 * recall * precision / (recall + precision) if common else 0.0
    assert_same(values("pairs", *chains), (recall, precision, f1))
