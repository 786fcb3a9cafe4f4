"""How the chains of one side are distributed over those of the other, chain by chain and mention by mention.

The projections of a key chain are its intersections with the response chains (π(K), Popescu-Belis 1999, DÉF. 3), those
of a response chain its intersections with the key chains (σ(R)). The largest is the core (DÉF. 10, 11); the exclusive
core is the one that the measure XC assigns. B³ has a recall and a precision for every mention (DÉF. 8). Both sides are
completed with singletons (DÉF. 17), so that every mention has a chain on either side; only the B³ of `mentions:conll`
does not add mentions to the other side, and gives a mention that the response lacks a recall of 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import run_starts
from aune.numeric.grouping import group_items, key_positions
from aune.numeric.union_find import UnionFind
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    Expressions,
    collect_expressions,
    multiple_correspondence,
    optimal_correspondence,
    parse_specificity,
    similarities,
)
from aune.tasks.coref.denotation_details import expression_texts
from aune.tasks.coref.measures.exclusive_core import exclusive_cores


class ChainRow(NamedTuple):
    """A chain, and its correspondence to the chains of the other side."""

    document: str
    side: str
    chain: str
    """The words of its mentions."""
    size: int
    projections: tuple[int, ...]
    """The sizes of its intersections with chains of the other side, the largest first."""
    core: str
    """The chain of the other side that contains most of it."""
    exclusive_core: str
    """The chain of the other side that XC pairs it with; empty if there is none."""
    links_lost: int
    """What MUC counts: the number of projections minus one."""
    mentions_lost: int
    """What C counts: the mentions outside the core."""


class MentionRow(NamedTuple):
    """A mention with its chains, and its B³ recall and precision."""

    document: str
    mention: str
    key: str
    response: str
    recall: float | None
    precision: float | None


class PairRow(NamedTuple):
    """A key chain and the response chain that it is paired with."""

    document: str
    key: str
    response: str
    shared: int


class _WordedPartitions:
    """The two partitions of a comparison, with the words of their mentions."""

    def __init__(self, comparison: Comparison, classes: Iterable[str] | None = None, kinds: str = "format") -> None:
        classes = parse_specificity(SPECIFICITY) if classes is None else classes
        self.expressions = collect_expressions(comparison, list(classes), kinds)
        self.documents = comparison.units["document"]
        self.words = expression_texts(comparison, self.expressions)
        self.chains = self.expressions.key_chain, self.expressions.response_chain
        self.members = tuple(key_positions(chains.tolist()) for chains in self.chains)
        self.cells = self.expressions.cell_key, self.expressions.cell_response

    def text(self, side: int, chain: int) -> str:
        """The mentions of a chain in braces."""
        return "{" + ", ".join(self.words[member] for member in self.members[side][chain]) + "}"

    def document(self, side: int, chain: int) -> str:
        return self.documents[int(self.expressions.document[self.members[side][chain][0]])]


def chain_rows(comparison: Comparison, *, taken: str = "next") -> Iterator[ChainRow]:
    """Every chain of the key, then every chain of the response, in text order."""
    partitions = _WordedPartitions(comparison)
    sizes = partitions.expressions.cell_size.tolist()
    exclusive = _exclusive_core_texts(comparison, partitions, taken)
    for side, name in enumerate(("key", "response")):
        for chain, cells in key_positions(partitions.cells[side].tolist()).items():
            largest = max(cells, key=lambda cell: (sizes[cell], -cell))
            core = partitions.text(1 - side, int(partitions.cells[1 - side][largest]))
            size = len(partitions.members[side][chain])
            yield ChainRow(
                partitions.document(side, chain), name, partitions.text(side, chain), size,
                tuple(sorted((sizes[cell] for cell in cells), reverse=True)), core,
                exclusive[side].get(chain, ""), len(cells) - 1, size - sizes[largest],
            )  # fmt: skip


def _exclusive_core_texts(
    comparison: Comparison, partitions: _WordedPartitions, taken: str
) -> tuple[dict[int, str], dict[int, str]]:
    """The exclusive core of each key chain, and the key chain whose exclusive core a response chain is, by number."""
    table = comparison.complete
    chosen = exclusive_cores(table, taken)
    keys, responses = _expression_numbers(
        comparison, table.cell_key[chosen], table.cell_response[chosen], partitions.expressions
    )
    pairs = [*zip(keys, responses, strict=True)]
    return {key: partitions.text(1, response) for key, response in pairs}, {
        response: partitions.text(0, key) for key, response in pairs
    }


def _expression_numbers(
    comparison: Comparison, keys: NDArray[Any], responses: NDArray[Any], expressions: Expressions
) -> tuple[list[int], list[int]]:
    """Chains of the completed table with their numbers in the expressions; the order of completed ones is kept.

    The table completes chain by chain and the expressions mention by mention, so a completed singleton is identified
    by the chain that contains it on the other side.
    """
    cells = list(zip(expressions.cell_key.tolist(), expressions.cell_response.tolist(), strict=True))
    lone_responses = group_items(
        (key, response) for key, response in cells if response >= comparison.response.chain_count
    )
    lone_keys = group_items((response, key) for key, response in cells if key >= comparison.key.chain_count)
    renumbered = []
    for key, response in zip(keys.tolist(), responses.tolist(), strict=True):
        if response >= comparison.response.chain_count:
            renumbered.append((key, lone_responses[key].pop(0)))
        elif key >= comparison.key.chain_count:
            renumbered.append((lone_keys[response].pop(0), response))
        else:
            renumbered.append((key, response))
    return [key for key, _ in renumbered], [response for _, response in renumbered]


def mention_rows(comparison: Comparison, *, mentions: str = "complete") -> Iterator[MentionRow]:
    """Every mention of either side, with the recall and precision that B³ averages."""
    partitions = _WordedPartitions(comparison)
    expressions = partitions.expressions
    shared = expressions.cell_size[expressions.cell].tolist()
    sizes = [np.bincount(chains)[chains].tolist() for chains in partitions.chains]
    order = np.argsort(expressions.document, kind="stable").tolist()
    for number in order:
        is_present = [
            mentions == "complete" or side[number] >= 0
            for side in (expressions.key_mention, expressions.response_mention)
        ]
        common = shared[number] if all(is_present) else 0
        key, response = (
            partitions.text(side, int(partitions.chains[side][number])) if is_present[side] else "" for side in (0, 1)
        )
        recall, precision = (common / sizes[side][number] if is_present[side] else None for side in (0, 1))
        document = partitions.documents[int(expressions.document[number])]
        yield MentionRow(document, partitions.words[number], key, response, recall, precision)


def pair_rows(
    comparison: Comparison,
    method: str,
    *,
    taken: str = "next",
    width: int = 2,
    specificity: str = SPECIFICITY,
    kinds: str = "format",
) -> Iterator[PairRow]:
    """The pairs of chains that a method forms; several key chains may have the same core."""
    if method == "groups":
        yield from _chain_groups(comparison, width, parse_specificity(specificity), kinds)
        return
    partitions = _WordedPartitions(comparison)
    for key, response in sorted(_chain_pairs(comparison, partitions.expressions, method, taken)):
        shared_mentions = set(partitions.members[0][key]) & set(partitions.members[1][response])
        yield PairRow(
            partitions.document(0, key), partitions.text(0, key), partitions.text(1, response), len(shared_mentions)
        )


def _chain_groups(
    comparison: Comparison, width: int, specificity: Mapping[str, float], kinds: str
) -> Iterator[PairRow]:
    """The groups of chains that are connected by the pairs of the experimental measure `denotation_groups`.

    If the width sets no limit, these are the classes of the finest partition that both partitions refine.
    """
    partitions = _WordedPartitions(comparison, specificity, kinds)
    expressions = partitions.expressions
    chosen = multiple_correspondence(expressions, similarities(expressions, list(specificity.values()), kinds), width)
    cells = list(zip(*(column[chosen].tolist() for column in (*partitions.cells, expressions.cell_size)), strict=True))
    chains = [(side, chain) for side, members in enumerate(partitions.members) for chain in members]
    ties = UnionFind(chains)
    for key_chain, response_chain, _ in cells:
        ties.union((0, key_chain), (1, response_chain))
    shared: Counter[tuple[int, int]] = Counter()
    for key_chain, _, size in cells:
        shared[ties.find((0, key_chain))] += int(size)
    for group in ties.groups(chains):
        key, response = (" ".join(partitions.text(*member) for member in group if member[0] == side) for side in (0, 1))
        yield PairRow(partitions.document(*group[0]), key, response, shared[ties.find(group[0])])


def _chain_pairs(
    comparison: Comparison, expressions: Expressions, method: str, taken: str
) -> Iterator[tuple[int, int]]:
    if method in ("exclusive_core", "ceaf"):
        table = comparison.complete
        chosen = exclusive_cores(table, taken) if method == "exclusive_core" else table.matched_by_dice
        return zip(
            *_expression_numbers(comparison, table.cell_key[chosen], table.cell_response[chosen], expressions),
            strict=True,
        )
    if method == "core":
        order = np.lexsort((expressions.cell_response, -expressions.cell_size, expressions.cell_key))
        cells = order[run_starts(expressions.cell_key[order])]
    else:
        weights = list(parse_specificity(SPECIFICITY).values())
        cells = np.flatnonzero(optimal_correspondence(expressions, similarities(expressions, weights, "format")))
    return zip(expressions.cell_key[cells].tolist(), expressions.cell_response[cells].tolist(), strict=True)
