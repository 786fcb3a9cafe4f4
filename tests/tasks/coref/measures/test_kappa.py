"""κ: Cohen's coefficient on links."""

from __future__ import annotations

import pytest
from hypothesis import given

import aune
from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # across each other: below −1
        ([{1, 2}, {3, 4}], [{1, 3}, {2, 4}], -2),
        # of three links the key makes two, the response one of them: p₀ = 2/3, pₑ = 4/9
        ([{1, 2, 3}, {4}], [{1, 2}, {3}, {4}], (2 / 3 - 4 / 9) / (1 - 4 / 9)),
        ([{1, 2, 3}, {4}], [{1, 2, 3}, {4}], 1),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: float) -> None:
    assert_same(values("kappa", key, response), (expected,))


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("kappa", *chains), oracle.kappa(*oracle.complete_sides(*chains)))


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    assert values("kappa", *EDGES[edge]) == (None,)


def test_says_why_it_is_undefined() -> None:
    [scored] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["kappa"])
    assert scored.kappa is None
    assert scored.reasons == {"kappa": "chance alone agrees on every link: there is nothing to exceed"}
