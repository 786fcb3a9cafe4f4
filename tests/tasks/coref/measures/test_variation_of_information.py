"""Variation of information: a distance between partitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, assert_same, partition_of, values


def test_by_hand() -> None:
    # the response tells 3 from 4, half of the mentions, one bit each
    assert_same(values("variation_of_information", [{1, 2}, {3, 4}], [{1, 2}, {3}, {4}]), (0, 1 / 2, 1 / 2))
    assert_same(values("variation_of_information", [{1, 2}, {3, 4}], [{1, 3}, {2, 4}]), (1, 1, 2))


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    whole = oracle.complete_sides(*chains)
    assert_same(values("variation_of_information", *chains), oracle.variation_of_information(*whole))


@settings(max_examples=40)
@given(st.integers(1, 8).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 3)))
def test_is_a_distance(columns: tuple[list[int], ...]) -> None:
    first, second, three = map(partition_of, columns)

    def apart(left: Chains, right: Chains) -> float:
        return values("variation_of_information", left, right)[2] or 0.0

    assert apart(first, second) == pytest.approx(apart(second, first), abs=1e-12)
    assert apart(first, three) <= apart(first, second) + apart(second, three) + 1e-9
    assert (apart(first, second) == 0) == (set(first) == set(second))
    assert apart(first, second) <= math.log2(len(columns[0])) + 1e-9


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    expected = (None, None, None) if edge == "both empty" else (0.0, 0.0, 0.0)
    assert values("variation_of_information", *EDGES[edge]) == expected
