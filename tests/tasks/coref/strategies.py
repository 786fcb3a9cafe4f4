"""Random keys and responses for the laws that every measure keeps."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

OPTIONS: dict[str, Any] = {}
SKIP: dict[tuple[str, str], str] = {}


def partition_of(labels: list[int]) -> list[list[tuple[int, int]]]:
    """Mentions (2i, 2i+1) grouped by their labels; label -1 leaves a mention out."""
    chains: dict[int, list[tuple[int, int]]] = {}
    for index, label in enumerate(labels):
        if label >= 0:
            chains.setdefault(label, []).append((2 * index, 2 * index + 1))
    return list(chains.values())


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """A key with a link and at least two chains, and any response to it."""
    size = draw(st.integers(4, 12))
    labels = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    labels[:3] = [0, 0, 1]
    response = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    return partition_of(labels), partition_of(response)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    documents = draw(st.lists(pairs(), min_size=1, max_size=4))
    key = {f"document {index}": both[0] for index, both in enumerate(documents)}
    return key, {f"document {index}": both[1] for index, both in enumerate(documents)}


CORPORA = corpora()


def shuffled(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents, chains and mentions in another order."""
    items = [(name, [rng.sample(chain, len(chain)) for chain in chains]) for name, chains in corpus.items()]
    return {name: rng.sample(chains, len(chains)) for name, chains in rng.sample(items, len(items))}
