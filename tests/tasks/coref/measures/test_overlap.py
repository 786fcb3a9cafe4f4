"""RCVT: sizes side by side."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees_completed, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([{1, 2, 3, 4}], [{1, 2}, {3, 4}], (1 / 2,)),
        # the right sizes with the wrong mentions in them
        ([{1, 2}, {3, 4}], [{1, 3}, {2, 4}], (1,)),
        # 3 is missing: (2 1) after completing, against (3 0)
        ([{1, 2, 3}], [{1, 2}], (1 - 2 / 6,)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("overlap", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees_completed("overlap", oracle.overlap, *chains)


def test_sizes_are_sorted_inside_each_document() -> None:
    # pooled into one list the sizes would be the same, (4 2) and (4 2)
    key, response = {"a": [{1, 2, 3, 4}], "b": [{1, 2}]}, {"a": [{1, 2}], "b": [{1, 2, 3, 4}]}
    assert_same(values("overlap", key, response), (1 - (2 + 1 + 1 + 2 + 1 + 1) / 16,))


@pytest.mark.parametrize(
    ("edge", "conll"),
    [
        ("empty key", 1.0),
        ("empty response", 1.0),
        ("both empty", 0.0),
        ("one mention", 1.0),
        ("identical singletons", 1.0),
    ],
)
def test_edges(edge: str, conll: float) -> None:
    assert values("overlap", *EDGES[edge]) == (conll,)
    assert values("overlap", *EDGES[edge], convention="partition") == (1.0,)
