"""XC: against the algorithm of §4.5 taken literally."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees_completed, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # {1 2 3} takes {1 2 4 5}; {4 5} finds nothing free
        ([{1, 2, 3}, {4, 5}], [{1, 2, 4, 5}, {3}], (2 / 5, 3 / 5, 12 / 25)),
        # equal sizes: the chain whose first mention comes first chooses first
        ([{1, 2}, {3, 4}], [{1, 2, 3, 4}], (1 / 2, 1 / 2, 1 / 2)),
        # equal overlaps: the smaller response chain is taken, so that {5} gets the other one
        ([{1, 2, 3, 4}, {5}], [{1, 2, 5}, {3, 4}], (3 / 5, 3 / 5, 3 / 5)),
        # equal overlaps and sizes: {1 2 5}, whose first mention comes first; {5 7} takes {7} and {6} the last one
        ([{1, 2, 3, 4}, {5, 7}, {6}], [{1, 2, 5}, {3, 4, 6}, {7}], (4 / 7, 4 / 7, 4 / 7)),
        # the same when 7 was left out and has to be completed
        ([{1, 2, 3, 4}, {5, 7}, {6}], [{1, 2, 5}, {3, 4, 6}], (4 / 7, 4 / 7, 4 / 7)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("exclusive_core", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees_completed("exclusive_core", oracle.exclusive_core, *chains)


@given(st.lists(CHAINS, min_size=2, max_size=4))
def test_documents_choose_apart(corpus: list[tuple[Chains, Chains]]) -> None:
    key = {f"{index}": one for index, (one, _) in enumerate(corpus)}
    response = {f"{index}": other for index, (_, other) in enumerate(corpus)}
    recalls, sizes = [], []
    for one, other in corpus:
        whole = oracle.completed(one, other)
        sizes.append(oracle.size(whole[0]))
        recalls.append((oracle.exclusive_core(*whole)[0] or 0) * sizes[-1])
    expected = sum(recalls) / sum(sizes) if sum(sizes) else 0
    assert values("exclusive_core", key, response)[0] == pytest.approx(float(expected), abs=1e-12)


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
    assert values("exclusive_core", *EDGES[edge]) == (conll,) * 3
    assert values("exclusive_core", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)
