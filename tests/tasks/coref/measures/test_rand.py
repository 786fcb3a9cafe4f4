"""Rand index: against the enumeration of pairs, and scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, PARTITIONS, Chains, agrees_completed, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # of 1-2, 1-3, 2-3 the first is agreed on
        ([{1, 2, 3}], [{1, 2}, {3}], (1 / 3,)),
        # 3 is missing on one side and 4 on the other: six pairs, of which 1-3, 2-3, 1-4 and 2-4 differ
        ([{1, 2, 3}], [{1, 2, 4}], (1 / 3,)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("rand", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees_completed("rand", oracle.rand, *chains)


@given(PARTITIONS)
def test_scikit_learn_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("sklearn.metrics", reason="pip install scikit-learn to compare with it")
    if oracle.size(chains[0]) > 1:
        assert_same(values("rand", *chains), (rival.rand_score(*map(labels, chains)),))


def labels(chains: Chains) -> list[int]:
    result = {mention: number for number, chain in enumerate(chains) for mention in chain}
    return [result[mention] for mention in sorted(result)]


@pytest.mark.parametrize(
    ("edge", "conll"),
    [
        ("empty key", 1.0),
        ("empty response", 1.0),
        ("both empty", 0.0),
        ("one mention", 0.0),
        ("identical singletons", 1.0),
    ],
)
def test_edges(edge: str, conll: float) -> None:
    assert values("rand", *EDGES[edge]) == (conll,)
    assert values("rand", *EDGES[edge], convention="partition") == (1.0,)
