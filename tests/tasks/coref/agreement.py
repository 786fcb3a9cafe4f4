"""How the tests of a measure ask aune and an oracle the same question."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st

import aune
from tests.tasks.coref import oracle

Chains = list[frozenset[int]]
ONES: dict[str, int | None] = {"zero": 0, "one": 1, "none": None}


def partition_of(labels: Iterable[int]) -> Chains:
    """Mentions 0, 1, 2… grouped by label; label -1 leaves a mention out."""
    chains: dict[int, set[int]] = {}
    for mention, label in enumerate(labels):
        if label >= 0:
            chains.setdefault(label, set()).add(mention)
    return [frozenset(chain) for chain in chains.values()]


def _pairs(lowest: int, most: int = 7) -> st.SearchStrategy[tuple[Chains, Chains]]:
    label = st.tuples(st.integers(lowest, 4), st.integers(lowest, 4))
    columns = st.lists(label, min_size=0 if lowest < 0 else 1, max_size=most)
    return columns.map(
        lambda pairs: (partition_of(item for item, _ in pairs), partition_of(other for _, other in pairs))
    )


PARTITIONS = _pairs(0, 9)
"""Two partitions of one set of mentions."""
CHAINS = _pairs(-1)
"""A key and a response, either of which may lack mentions of the other, or all."""


def values(name: str, key: Any, response: Any, **options: Any) -> tuple[float | None, ...]:
    """What aune says, in the order of the measure's values."""
    [scored] = aune.score("coref", key, response, measures=[name], **options)
    return tuple(scored.values.values())


def assert_same(found: tuple[float | None, ...], expected: tuple[Any, ...]) -> None:
    assert len(found) == len(expected)
    for key_chain, response_chain in zip(found, expected, strict=True):
        if response_chain is None or key_chain is None:
            assert key_chain is None and response_chain is None, (found, expected)
        else:
            assert key_chain == pytest.approx(float(response_chain), abs=1e-9), (found, expected)


def agrees(name: str, second: Callable[..., tuple[Any, ...]], key: Chains, response: Chains) -> None:
    """Aune and the oracle agree under both conventions, and with undefined values left undefined."""
    whole = oracle.complete_sides(key, response)
    assert_same(values(name, key, response), second(key, response, 0))
    assert_same(values(name, key, response, undefined="none"), second(key, response, None))
    assert_same(values(name, key, response, convention="partition"), second(*whole, 1))


def agrees_completed(name: str, second: Callable[..., tuple[Any, ...]], key: Chains, response: Chains) -> None:
    """The same for measures that always complete the mention sets and have an `undefined` option."""
    whole = oracle.complete_sides(key, response)
    for undefined, empty in ONES.items():
        assert_same(values(name, key, response, undefined=undefined), second(*whole, empty))


EMPTY: Chains = []
ONE = [frozenset([0])]
SINGLETONS = [frozenset([mention]) for mention in range(4)]
EDGES = {
    "empty key": (EMPTY, SINGLETONS),
    "empty response": (SINGLETONS, EMPTY),
    "both empty": (EMPTY, EMPTY),
    "one mention": (ONE, ONE),
    "identical singletons": (SINGLETONS, SINGLETONS),
}

SINGLETONS_COUNT = [
    ("empty key", 0.0),
    ("empty response", 0.0),
    ("both empty", 0.0),
    ("one mention", 1.0),
    ("identical singletons", 1.0),
]
"""What the edges are worth under CoNLL's convention for measures in which a singleton found is something found."""
