"""BLANC: against the enumeration of all pairs, and the degenerate cases of the official scorer."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # no pair is apart in the key, so only coreference links count: one of three found, the one made is right
        ([{1, 2, 3}], [{1, 2}, {3}], (1 / 3, 1, 1 / 2)),
        # coreference: 1-2 found, one of three made; apart: none of two found, none claimed
        ([{1, 2}, {3}], [{1, 2, 3}], (1 / 2, 1 / 6, 1 / 4)),
        # no coreference in the key: only pairs apart count, two of three found, both claimed are right
        ([{1}, {2}, {3}], [{1, 2}, {3}], (2 / 3, 1, 4 / 5)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("blanc", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees("blanc", oracle.blanc, *chains)


@pytest.mark.parametrize(
    ("edge", "conll"),
    [
        ("empty key", 0.0),
        ("empty response", 0.0),
        ("both empty", 0.0),
        ("one mention", 0.0),
        ("identical singletons", 1.0),
    ],
)
def test_edges(edge: str, conll: float) -> None:
    assert values("blanc", *EDGES[edge]) == (conll,) * 3
    assert values("blanc", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


def test_the_rule_for_lacking_links_looks_at_the_whole_corpus() -> None:
    # one document has only links, the other only pairs apart: together both sorts count
    key = {"a": [{1, 2}], "b": [{1}, {2}]}
    response = {"a": [{1}, {2}], "b": [{1}, {2}]}
    # coreference: 0 of 1, none made; apart: 1 of 1, one right of the two claimed
    assert_same(values("blanc", key, response), (1 / 2, 1 / 4, 1 / 3))


def corefud(key: Chains, response: Chains) -> tuple[float, ...]:
    """The rule of the CorefUD scorer: a sort of link is left out when neither side has any."""
    sorts = []
    for key_link, response_link in zip(oracle.links(key), oracle.links(response), strict=True):
        if key_link or response_link:
            common = len(key_link & response_link)
            sorts.append(
                oracle.triple(
                    oracle.divide_counts(common, len(key_link), 0), oracle.divide_counts(common, len(response_link), 0)
                )
            )
    return tuple(float(sum(values) / len(sorts)) for values in zip(*sorts, strict=True)) if sorts else (0.0,) * 3


@given(CHAINS)
def test_links_of_either_side_as_corefud_has_them(chains: tuple[Chains, Chains]) -> None:
    assert_same(values("blanc", *chains, links="either"), corefud(*chains))


def test_where_the_two_rules_differ() -> None:
    key, response = [frozenset([1, 2])], [frozenset([1]), frozenset([2])]  # the response has only links apart
    assert values("blanc", [{1, 2}, {3, 4}], [{1, 2, 3, 4}]) == values(
        "blanc", [{1, 2}, {3, 4}], [{1, 2, 3, 4}], links="either"
    )
    assert values("blanc", [{1}, {2}], key) == (0, 0, 0)
    assert values("blanc", [{1, 2}], [{1, 2}, {3}]) == (1, 1, 1)  # case N: the key has no pair apart
    assert values("blanc", [{1, 2}], [{1, 2}, {3}], links="either") == (1 / 2, 1 / 2, 1 / 2)
    assert values("blanc", key, response, links="either") == (0, 0, 0)


@given(CHAINS)
def test_scorch_agrees_where_no_sort_of_link_is_lacking(chains: tuple[Chains, Chains]) -> None:
    rival = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
    if all(sort for side in chains for sort in oracle.links(side)):
        assert_same(values("blanc", *chains), rival.blanc(*chains, fast=False))
