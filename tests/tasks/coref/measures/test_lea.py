"""LEA: against the enumeration of pairs."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, SINGLETONS_COUNT, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # one link of three survives; {1 2} is right and weighs two thirds of the response, {3} is no singleton
        ([{1, 2, 3}], [{1, 2}, {3}], (1 / 3, 2 / 3, 4 / 9)),
        # Moosavi and Strube 2016: recall (3·⅓ + 4·⅙)/7 ≈ .24, precision (2·1 + 2·0 + 4·⅙)/8 ≈ .33
        ([*map(set, ["abc", "defg"])], [*map(set, ["ab", "cd", "fghi"])], (5 / 21, 1 / 3, 5 / 18)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("lea", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("lea", oracle.lea, *chains)


@pytest.mark.parametrize(("edge", "conll"), SINGLETONS_COUNT)
def test_edges(edge: str, conll: float) -> None:
    assert values("lea", *EDGES[edge]) == (conll,) * 3
    assert values("lea", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)
