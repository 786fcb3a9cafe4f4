"""How the chains of one side fall into those of the other, chain by chain and mention by mention.

The projections of a key chain are what it shares with each response chain (π(K), Popescu-Belis 1999, DÉF. 3) and those
of a response chain what it shares with each key chain (σ(R)); the largest is its core (DÉF. 10, 11), and the exclusive
core is the one that the measure XC gives it. B³ has a recall and a precision for every mention (DÉF. 8). Both sides are
completed with singletons (DÉF. 17), so that every mention has a chain on either side; only the B³ of `mentions:conll`
leaves a mention where it is, and gives one that the response lacks a recall of 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.core.arrays import begins_run
from aune.core.groups import grouped, places
from aune.core.ties import Ties
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    Expressions,
    expressions,
    optimal,
    parsed_specificity,
    several,
    similarities,
)
from aune.tasks.coref.denotations import texts_of
from aune.tasks.coref.measures.exclusive_core import exclusive_cores


class ChainRow(NamedTuple):
    """A chain and what becomes of it on the other side."""

    document: str
    side: str
    chain: str
    """Its mentions, in words."""
    size: int
    projections: tuple[int, ...]
    """The sizes of what it shares with chains of the other side, largest first."""
    core: str
    """The chain of the other side that holds most of it."""
    exclusive_core: str
    """The chain of the other side that XC puts it with; empty where it puts it with none."""
    links_lost: int
    """What MUC counts: projections less one."""
    mentions_lost: int
    """What C counts: mentions outside the core."""


class MentionRow(NamedTuple):
    """A mention with its chains, and what B³ gives it."""

    document: str
    mention: str
    key: str
    response: str
    recall: float | None
    precision: float | None


class PairRow(NamedTuple):
    """A key chain and the response chain that it is put with."""

    document: str
    key: str
    response: str
    shared: int


class _Seen:
    """The two partitions of a comparison, in words."""

    def __init__(
        self, comparison: Comparison, classes: Iterable[str] = parsed_specificity(SPECIFICITY), kinds: str = "format"
    ) -> None:
        self.found = expressions(comparison, list(classes), kinds)
        self.documents = comparison.units["document"]
        self.words = texts_of(comparison, self.found)
        self.chains = self.found.key_chain, self.found.response_chain
        self.members = tuple(places(chains.tolist()) for chains in self.chains)
        self.cells = self.found.cell_key, self.found.cell_response

    def text(self, side: int, chain: int) -> str:
        """The mentions of a chain in braces."""
        return "{" + ", ".join(self.words[member] for member in self.members[side][chain]) + "}"

    def document(self, side: int, chain: int) -> str:
        return self.documents[int(self.found.document[self.members[side][chain][0]])]


def by_chain(comparison: Comparison, *, taken: str = "next") -> Iterator[ChainRow]:
    """Every chain of the key, then every chain of the response, in the order of the text."""
    seen = _Seen(comparison)
    sizes = seen.found.cell_size.tolist()
    exclusive = _exclusive(comparison, seen, taken)
    for side, name in enumerate(("key", "response")):
        for chain, mine in places(seen.cells[side].tolist()).items():
            largest = max(mine, key=lambda cell: (sizes[cell], -cell))
            core = seen.text(1 - side, int(seen.cells[1 - side][largest]))
            size = len(seen.members[side][chain])
            yield ChainRow(
                seen.document(side, chain), name, seen.text(side, chain), size,
                tuple(sorted((sizes[cell] for cell in mine), reverse=True)), core,
                exclusive[side].get(chain, ""), len(mine) - 1, size - sizes[largest],
            )  # fmt: skip


def _exclusive(comparison: Comparison, seen: _Seen, taken: str) -> tuple[dict[int, str], dict[int, str]]:
    """The exclusive cores of key chains, and the key chains that have response chains for one, by their numbers."""
    table = comparison.complete
    chosen = exclusive_cores(table, taken)
    keys, responses = _same_numbers(comparison, table.cell_key[chosen], table.cell_response[chosen], seen.found)
    pairs = [*zip(keys, responses, strict=True)]
    return {key: seen.text(1, response) for key, response in pairs}, {
        response: seen.text(0, key) for key, response in pairs
    }


def _same_numbers(
    comparison: Comparison, keys: NDArray[Any], responses: NDArray[Any], expressions: Expressions
) -> tuple[list[int], list[int]]:
    """Chains of the completed table as the expressions number them: real chains alike, completed ones by their order.

    The table completes chain by chain and the expressions mention by mention, so a completed singleton is found through
    the chain that it lies in on the other side.
    """
    cells = list(zip(expressions.cell_key.tolist(), expressions.cell_response.tolist(), strict=True))
    lone_responses = grouped((key, response) for key, response in cells if response >= comparison.response.chain_count)
    lone_keys = grouped((response, key) for key, response in cells if key >= comparison.key.chain_count)
    renumbered = []
    for key, response in zip(keys.tolist(), responses.tolist(), strict=True):
        if response >= comparison.response.chain_count:
            renumbered.append((key, lone_responses[key].pop(0)))
        elif key >= comparison.key.chain_count:
            renumbered.append((lone_keys[response].pop(0), response))
        else:
            renumbered.append((key, response))
    return [key for key, _ in renumbered], [response for _, response in renumbered]


def by_mention(comparison: Comparison, *, mentions: str = "complete") -> Iterator[MentionRow]:
    """Every mention of either side, with the recall and precision that B³ averages."""
    seen = _Seen(comparison)
    found = seen.found
    shared = found.cell_size[found.cell].tolist()
    sizes = [np.bincount(chains)[chains].tolist() for chains in seen.chains]
    order = np.argsort(found.document, kind="stable").tolist()
    for number in order:
        there = [mentions == "complete" or side[number] >= 0 for side in (found.key_mention, found.response_mention)]
        common = shared[number] if all(there) else 0
        key, response = (seen.text(side, int(seen.chains[side][number])) if there[side] else "" for side in (0, 1))
        recall, precision = (common / sizes[side][number] if there[side] else None for side in (0, 1))
        document = seen.documents[int(found.document[number])]
        yield MentionRow(document, seen.words[number], key, response, recall, precision)


def pairings(
    comparison: Comparison,
    method: str,
    *,
    taken: str = "next",
    width: int = 2,
    specificity: str = SPECIFICITY,
    kinds: str = "format",
) -> Iterator[PairRow]:
    """The pairs of chains that a method puts together; several key chains may have one core."""
    if method == "groups":
        yield from _groups(comparison, width, parsed_specificity(specificity), kinds)
        return
    seen = _Seen(comparison)
    for key, response in sorted(_paired(comparison, seen.found, method, taken)):
        both = set(seen.members[0][key]) & set(seen.members[1][response])
        yield PairRow(seen.document(0, key), seen.text(0, key), seen.text(1, response), len(both))


def _groups(comparison: Comparison, width: int, specificity: Mapping[str, float], kinds: str) -> Iterator[PairRow]:
    """The groups of chains that the pairs of the experimental measure `denotation_groups` tie together.

    When the width is no limit, these are the classes of the finest partition that both partitions refine.
    """
    seen = _Seen(comparison, specificity, kinds)
    found = seen.found
    chosen = several(found, similarities(found, list(specificity.values()), kinds), width)
    cells = list(zip(*(each[chosen].tolist() for each in (*seen.cells, found.cell_size)), strict=True))
    chains = [(side, chain) for side, members in enumerate(seen.members) for chain in members]
    ties = Ties(chains)
    for key_chain, response_chain, _ in cells:
        ties.tie((0, key_chain), (1, response_chain))
    shared: Counter[tuple[int, int]] = Counter()
    for key_chain, _, size in cells:
        shared[ties.lead((0, key_chain))] += int(size)
    for group in ties.pieces(chains):
        key, response = (" ".join(seen.text(*one) for one in group if one[0] == side) for side in (0, 1))
        yield PairRow(seen.document(*group[0]), key, response, shared[ties.lead(group[0])])


def _paired(comparison: Comparison, expressions: Expressions, method: str, taken: str) -> Iterator[tuple[int, int]]:
    if method in ("exclusive_core", "ceaf"):
        table = comparison.complete
        chosen = exclusive_cores(table, taken) if method == "exclusive_core" else table.matched_by_dice
        return zip(
            *_same_numbers(comparison, table.cell_key[chosen], table.cell_response[chosen], expressions), strict=True
        )
    if method == "core":
        order = np.lexsort((expressions.cell_response, -expressions.cell_size, expressions.cell_key))
        cells = order[begins_run(expressions.cell_key[order])]
    else:
        weights = list(parsed_specificity(SPECIFICITY).values())
        cells = np.flatnonzero(optimal(expressions, similarities(expressions, weights, "format")))
    return zip(expressions.cell_key[cells].tolist(), expressions.cell_response[cells].tolist(), strict=True)
