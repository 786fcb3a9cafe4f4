"""Mention detection."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, ONES, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([{1, 2, 3}], [{1, 2}, {4}], (2 / 3, 2 / 3, 2 / 3)),
        ([{1, 2, 3, 4}], [{1}], (1 / 4, 1, 2 / 5)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("mentions", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    for undefined, empty in ONES.items():
        assert_same(values("mentions", *chains, undefined=undefined), oracle.mentions(*chains, empty))


@pytest.mark.parametrize(
    ("edge", "conll", "partition"),
    [
        ("empty key", (0, 0, 0), (1, 0, 0)),
        ("empty response", (0, 0, 0), (0, 1, 0)),
        ("both empty", (0, 0, 0), (1, 1, 1)),
        ("one mention", (1, 1, 1), (1, 1, 1)),
        ("identical singletons", (1, 1, 1), (1, 1, 1)),
    ],
)
def test_edges(edge: str, conll: tuple[float, ...], partition: tuple[float, ...]) -> None:
    """Completing the mention sets would make detection perfect: it never does."""
    assert values("mentions", *EDGES[edge]) == conll
    assert values("mentions", *EDGES[edge], convention="partition") == partition
