"""CEAFm: against every one-to-one pairing of chains, and its rivals."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, SINGLETONS_COUNT, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([{1, 2, 3}], [{1, 2}, {3}], (2 / 3, 2 / 3, 2 / 3)),
        # {1 2 3} takes {3} so that {4 5} can have the large chain, or the reverse: three mentions either way
        ([{1, 2, 3}, {4, 5}], [{1, 2, 4, 5}, {3}], (3 / 5, 3 / 5, 3 / 5)),
        # Luo 2005, figure 1 (a): 10 of 12 mentions
        (
            [{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}],
            [{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11, 12}],
            (10 / 12, 10 / 12, 10 / 12),
        ),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("ceaf_m", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("ceaf_m", oracle.ceaf_m, *chains)


@pytest.mark.parametrize(("edge", "conll"), SINGLETONS_COUNT)
def test_edges(edge: str, conll: float) -> None:
    assert values("ceaf_m", *EDGES[edge]) == (conll,) * 3
    assert values("ceaf_m", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


@given(CHAINS)
def test_scorch_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
    if set().union(*chains[0]) & set().union(*chains[1]):  # else it divides by nothing
        assert_same(values("ceaf_m", *chains), rival.ceaf_m(*chains))
