"""MUC: links kept, against Vilain's counting chain by chain."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # one of the two links of the key survives, and the only link made is right
        ([{1, 2, 3}], [{1, 2}, {3}], (1 / 2, 1, 2 / 3)),
        # a chain of four cut into two pairs lacks one link of three
        ([{1, 2, 3, 4}], [{1, 2}, {3, 4}], (2 / 3, 1, 4 / 5)),
        ([{1, 2}, {3, 4}], [{1, 2, 3, 4}], (1, 2 / 3, 4 / 5)),
        # mentions that the other side lacks cost a link each: 5 of the key, 8 and 9 of the response
        ([{1, 2, 5}, {3, 4}], [{1, 2, 9}, {3, 4, 8}], (2 / 3, 2 / 4, 4 / 7)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("muc", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("muc", oracle.muc, *chains)


@given(CHAINS)
def test_one_sided_mentions_change_nothing(chains: tuple[Chains, Chains]) -> None:
    assert values("muc", *chains, mentions="complete") == values("muc", *chains, mentions="conll")


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    """No link anywhere: nothing found for CoNLL, nothing wrong for the partition convention."""
    assert values("muc", *EDGES[edge]) == (0.0, 0.0, 0.0)
    assert values("muc", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


@given(CHAINS)
def test_scorch_agrees(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
    key, response = chains
    if all(len(chain) == 1 for chain in key) or all(len(chain) == 1 for chain in response):
        return  # scorch gives 0 to all three values there
    assert_same(values("muc", key, response), rival.muc(key, response))
