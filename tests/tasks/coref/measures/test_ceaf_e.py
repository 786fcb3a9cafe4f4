"""CEAFe: against every one-to-one pairing of chains, and its rivals."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, SINGLETONS_COUNT, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # {1 2 3} takes {1 2}, 4/5 alike; {3} stays alone
        ([{1, 2, 3}], [{1, 2}, {3}], (4 / 5, 2 / 5, 8 / 15)),
        # Luo 2005, figure 1 (a): 1 + 10/12 over three and two chains
        (
            [{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}],
            [{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11, 12}],
            (11 / 18, 11 / 12, 11 / 15),
        ),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("ceaf_e", key, response), expected)


def test_small_pure_chains_are_punished() -> None:
    """The course notes, 2.4.3.4: chains beside the pairing count for nothing, though every one of these is right."""
    key, response = [set(range(8))], [{0, 1}, {2, 3}, {4, 5}, {6, 7}]
    assert_same(values("ceaf_e", key, response), (0.4, 0.1, 0.16))
    assert values("b_cubed", key, response)[1] == values("muc", key, response)[1] == 1.0


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("ceaf_e", oracle.ceaf_e, *chains)


@pytest.mark.parametrize(("edge", "conll"), SINGLETONS_COUNT)
def test_edges(edge: str, conll: float) -> None:
    assert values("ceaf_e", *EDGES[edge]) == (conll,) * 3
    assert values("ceaf_e", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


@given(CHAINS)
def test_scorch_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
    if set().union(*chains[0]) & set().union(*chains[1]):  # else it divides by nothing
        assert_same(values("ceaf_e", *chains), rival.ceaf_e(*chains))
