"""Adjusted Rand index: against the enumeration of pairs, and scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, PARTITIONS, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # pairs together: 4 and 4 of 10, 2 common; (2 − 1.6) / (4 − 1.6)
        ([{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}], 1 / 6),
        # across each other: (0 − 2/3) / (2 − 2/3)
        ([{1, 2}, {3, 4}], [{1, 3}, {2, 4}], -1 / 2),
        ([{1, 2, 3}], [{1, 2, 3}], 1),
        ([{1, 2, 3}], [{1}, {2}, {3}], 0),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: float) -> None:
    assert_same(values("adjusted_rand", key, response), (expected,))


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("adjusted_rand", *chains), oracle.adjusted_rand(*oracle.complete_sides(*chains)))


@given(PARTITIONS)
def test_scikit_learn_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("sklearn.metrics", reason="pip install scikit-learn to compare with it")
    if oracle.size(chains[0]) > 1:
        assert_same(values("adjusted_rand", *chains), (rival.adjusted_rand_score(*map(labels, chains)),))


def labels(chains: Chains) -> list[int]:
    result = {mention: number for number, chain in enumerate(chains) for mention in chain}
    return [result[mention] for mention in sorted(result)]


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        ("empty key", 1.0),
        ("empty response", 1.0),
        ("both empty", None),
        ("one mention", None),
        ("identical singletons", 1.0),
    ],
)
def test_edges(edge: str, expected: float | None) -> None:
    assert values("adjusted_rand", *EDGES[edge]) == (expected,)
