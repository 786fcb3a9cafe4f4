"""C: mentions outside the cores of their chains, counted as §4.4.1 does."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees_completed, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # three mentions could leave the core, two do: whichever half is the core
        ([{1, 2, 3, 4}], [{1, 2}, {3, 4}], (1 / 3, 1, 1 / 2)),
        # 3 is missing: completed, it is a chain of its own
        ([{1, 2, 3}], [{1, 2}], (1 / 2, 1, 2 / 3)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("core", key, response), expected)


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees_completed("core", oracle.core, *chains)


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    assert values("core", *EDGES[edge]) == (0.0, 0.0, 0.0)
    assert values("core", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)


def test_note_7_one_link_is_all_or_nothing() -> None:
    """Popescu-Belis 1999: beside the response that resolves nothing lie a precision of 100 % and one of 0 %."""
    key = [{1, 2}, {3, 4}]
    nothing, right, wrong = ([{1}, {2}, {3}, {4}], [{1, 2}, {3}, {4}], [{1, 3}, {2}, {4}])
    precisions = [values("core", key, response, convention="partition")[1] for response in (nothing, right, wrong)]
    assert precisions == [1, 1, 0]
