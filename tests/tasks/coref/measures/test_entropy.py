"""H: against the entropies of the definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # I = H(K) = 1 bit, H(R) = 1.5 bits
        ([{1, 2}, {3, 4}], [{1, 2}, {3}, {4}], (2 / 3, 1, 4 / 5)),
        # independent: each key chain falls half and half into the response's
        ([{1, 2}, {3, 4}], [{1, 3}, {2, 4}], (0, 0, 0)),
        ([{1, 2}, {3, 4}], [{1, 2, 3, 4}], (1, 0, 0)),
        ([{1, 2, 3, 4}], [{1, 2}, {3, 4}], (0, 1, 0)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("entropy", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    scores = values("entropy", *chains)
    recall, precision, _ = oracle.entropy(*oracle.complete_sides(*chains))
    assert recall is not None and precision is not None
    if min(recall, precision) > 1e-9:
        assert_same(scores, oracle.triple(recall, precision))
    else:  # the oracle's logarithms do not cancel exactly; aune decides on whole numbers
        assert_same(scores[:2], (recall, precision))
        assert scores[2] == 0.0


@given(st.lists(CHAINS, min_size=2, max_size=3))
def test_documents_weigh_as_many_bits_as_they_have_mentions(corpus: list[tuple[Chains, Chains]]) -> None:
    key = {f"{index}": item for index, (item, _) in enumerate(corpus)}
    response = {f"{index}": other for index, (_, other) in enumerate(corpus)}
    wholes = [whole for whole in (oracle.complete_sides(*item) for item in corpus) if oracle.size(whole[0])]
    common = math.fsum(
        oracle.size(first) * (oracle.entropy_of(first) - oracle.conditional_entropy(first, other))
        for first, other in wholes
    )
    below = math.fsum(oracle.size(other) * oracle.entropy_of(other) for _, other in wholes)
    [recall, _, _] = values("entropy", key, response)
    assert recall == pytest.approx(common / below if below > 1e-12 else 1.0, abs=1e-9)


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    """No entropy below the line is 1 whatever the convention (DÉF. 16)."""
    assert values("entropy", *EDGES[edge]) == (1.0, 1.0, 1.0)
    assert values("entropy", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)
