"""D-error: which way the sizes are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # sizes 4 0 0 0 against 1 1 1 1: the response is larger at places 2, 3, 4 and the key at place 1
        ([{1, 2, 3, 4}], [{1}, {2}, {3}, {4}], (3 - 1) / 4),
        ([{1}, {2}, {3}, {4}], [{1, 2, 3, 4}], (1 - 3) / 4),
        ([{1, 2}, {3, 4}], [{1, 3}, {2, 4}], 0),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: float) -> None:
    assert_same(values("distribution", key, response), (expected,))


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("distribution", *chains), oracle.distribution(*oracle.complete_sides(*chains)))


@given(CHAINS)
def test_changes_sign_with_the_sides(chains: tuple[Chains, Chains]) -> None:
    key, response = chains
    [error] = values("distribution", key, response)
    [mirrored] = values("distribution", response, key)
    assert error is not None and mirrored == pytest.approx(-error, abs=1e-12)
    assert -1 < error < 1


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    assert values("distribution", *EDGES[edge]) == (0.0,)
