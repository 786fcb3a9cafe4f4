"""The small worlds of coreference: all partitions of a few mentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from aune.contract.small_worlds import Universe
from aune.numeric.arrays import Ints, Numbering
from aune.numeric.grouping import group_items
from aune.tasks.coref.model import Document, renumber

MOST_CACHED = 7  # the number of mentions up to which all partitions are cached


def partition(chains: Ints) -> Document:
    """The document whose mentions 1, 2, 3… have these chains."""
    starts = np.arange(1, len(chains) + 1)
    return Document("document", np.stack([starts, starts + 1], axis=1), renumber(np.asarray(chains))[0])


@cache
def partitions(mentions: int) -> tuple[Document, ...]:
    """Every partition of a number of mentions.

    >>> [len(partitions(size)) for size in range(1, 7)]
    [1, 2, 5, 15, 52, 203]
    """
    return tuple(partition(np.array(chains, np.int64)) for chains in _growing(mentions))


def _growing(mentions: int) -> Iterator[tuple[int, ...]]:
    """Chain numbers in which every new chain has the next unused number."""
    if mentions == 0:
        yield ()
        return
    for chains in _growing(mentions - 1):
        for chain in range(max(chains, default=-1) + 2):
            yield (*chains, chain)


def partition_text(document: Document) -> str:
    """The partition, with its chains in braces.

    >>> partition_text(partition(np.array([0, 0, 1])))
    '{1 2}{3}'
    """
    return "".join("{" + " ".join(str(start) for start, _ in chain) + "}" for chain in document.clusters())


def nothing_done(key: Document) -> Document:
    return partition(np.arange(len(key)))


def all_merged(key: Document) -> Document:
    return partition(np.zeros(len(key), np.int64))


def profile(document: Document) -> tuple[int, ...]:
    """The sizes of the chains."""
    return tuple(sorted(np.bincount(document.chains).tolist()))


def shuffle_chains(generator: np.random.Generator, key: Document) -> Document:
    """The chains of the key with their mentions shuffled."""
    return partition(generator.permutation(key.chains))


def corrections(key: Document, response: Document) -> list[Document]:
    """The responses with one error fewer.

    A response chain with mentions of several key chains loses those of one of them (only wrong links are removed), or
    two response chains inside one key chain are merged (only correct links are added).
    """
    key_chains, response_chains = key.chains.tolist(), response.chains.tolist()
    keys_of = group_items(dict.fromkeys(zip(response_chains, key_chains, strict=True)))
    corrected: list[list[int]] = []
    for chain, inside in keys_of.items():
        parts = (
            inside if len(inside) > 2 else inside[:1] if len(inside) == 2 else []
        )  # of two parts, removing either has the same result
        corrected += [
            [-1 if (g, o) == (chain, part) else g for g, o in zip(response_chains, key_chains, strict=True)]
            for part in parts
        ]
    for chains in group_items((inside[0], chain) for chain, inside in keys_of.items() if len(inside) == 1).values():
        for place, merged_chain in enumerate(chains):
            corrected += [[merged_chain if g == other else g for g in response_chains] for other in chains[place + 1 :]]
    return [_cached_partition(chains) for chains in corrected]


def _cached_partition(chains: Sequence[int]) -> Document:
    """The document with these chains, from the cache if it is small."""
    numbers: Numbering[int] = Numbering()
    growing = tuple(numbers[chain] for chain in chains)
    return (
        _partition_index(len(growing))[growing]
        if len(growing) <= MOST_CACHED
        else partition(np.array(growing, np.int64))
    )


@cache
def _partition_index(mentions: int) -> dict[tuple[int, ...], Document]:
    return {tuple(document.chains.tolist()): document for document in partitions(mentions)}


def sample(generator: np.random.Generator, mentions: int) -> tuple[Document, Document]:
    """A random key with chains of uneven sizes, and the key with a few mentions moved."""
    sizes = generator.dirichlet(np.full(max(2, mentions // 4), 0.5))
    key = generator.choice(len(sizes), mentions, p=sizes)
    key[:3] = 0, 0, 1  # at least one link, and two chains
    moved = generator.choice(mentions, generator.integers(1, 4), replace=False)
    response = key.copy()
    response[moved] = generator.integers(0, key.max() + 2, len(moved))
    return partition(key), partition(response)


UNIVERSE = Universe(
    partitions,
    partition_text,
    trivial={"nothing done": nothing_done, "everything merged": all_merged},
    profile=profile,
    shuffle=shuffle_chains,
    corrections=corrections,
    sample=sample,
    groups=lambda document: document.chain_count,
    right="ceaf_m",
    excluded_measures=frozenset(
        {"bridging", "non_referring", "split_antecedents", "typed_links", "unplaced_rate", "zeros"}
    ),
)
