"""Find corresponding key and response chains by the expressions that identify a referent best.

Both sides are completed to partitions of one set of expressions, and each expression belongs to a class of descriptive
specificity: names identify their referent better than noun phrases, and these better than pronouns. The correspondence
is one to one; it has the largest total similarity, or is the result of the greedy heuristic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import WEIGHT_RANGE
from aune.contract.options import parse_named_numbers
from aune.errors import UsageError
from aune.numeric.arrays import Ints, Mask
from aune.numeric.grouping import group_items
from aune.numeric.matching import best_matching
from aune.tasks.coref.comparison import Comparison, tie_breakers
from aune.tasks.coref.mentions.kinds import has_no_kinds, mention_kinds
from aune.tasks.coref.model import Relation

SPECIFICITY = "name=0.6,noun=0.3,pronoun=0.1"
"""The classes of expressions and their weights in the paper (§4.1)."""

RELATED_WEIGHT = 1e-7
"""The weight of all aligned related referents beside similarity: more than `tie_breakers`, but it only breaks ties."""


@dataclass(frozen=True)
class Expressions:
    """The expressions of key and response together, each in one chain on either side.

    Key mentions come first, in order, followed by those that only the response has. A mention that one side lacks
    forms a chain of its own there, numbered after the chains of that side.
    """

    document: Ints
    key_chain: Ints
    response_chain: Ints
    key_mention: Ints
    """The index in the key's `MentionColumns`, or -1."""
    response_mention: Ints
    key_class: Ints
    """The specificity class on the key's side; 0 is the most specific."""
    response_class: Ints
    key_links: frozenset[Relation]
    """Relations between chains."""
    response_links: frozenset[Relation]

    @cached_property
    def _cells(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        base = max(self.response_chains, 1)
        return np.unique(self.key_chain * base + self.response_chain, return_inverse=True, return_counts=True)

    @property
    def key_chains(self) -> int:
        return int(self.key_chain.max(initial=-1)) + 1

    @property
    def response_chains(self) -> int:
        return int(self.response_chain.max(initial=-1)) + 1

    @property
    def cell(self) -> Ints:
        """The cell (pair of chains that share expressions) of each expression."""
        return self._cells[1]

    @property
    def cell_size(self) -> Ints:
        return self._cells[2]

    @property
    def cell_key(self) -> Ints:
        return self._cells[0] // max(self.response_chains, 1)

    @property
    def cell_response(self) -> Ints:
        return self._cells[0] % max(self.response_chains, 1)

    @cached_property
    def cell_document(self) -> Ints:
        documents = np.zeros(len(self.cell_size), np.int64)
        documents[self.cell] = self.document
        return documents


def collect_expressions(comparison: Comparison, classes: Sequence[str], kinds: str) -> Expressions:
    """The expressions of both sides with their classes; a kind outside the classes belongs to the last one."""
    key, response = comparison.key, comparison.response
    of_key, of_response = comparison.matched
    partner = np.full(len(key.chains), -1)
    partner[of_key] = of_response
    alone = np.ones(len(response.chains), bool)
    alone[of_response] = False
    extra = np.flatnonzero(alone)
    ranks = [_ranks(comparison, side, classes, "key" if kinds == "whole" else kinds) for side in (0, 1)]
    is_shared = partner >= 0
    responses = response.chain_count + np.cumsum(~is_shared) - 1
    responses[is_shared] = response.chains[partner[is_shared]]
    response_classes = ranks[0].copy()
    response_classes[is_shared] = ranks[1][partner[is_shared]]
    return Expressions(
        np.concatenate([key.owner, response.owner[extra]]),
        np.concatenate([key.chains, key.chain_count + np.arange(len(extra))]),
        np.concatenate([responses, response.chains[extra]]),
        np.concatenate([np.arange(len(partner)), np.full(len(extra), -1)]),
        np.concatenate([partner, extra]),
        np.concatenate([ranks[0], ranks[1][extra]]),
        np.concatenate([response_classes, ranks[1][extra]]),
        frozenset(key.chain_relations([document for document, _ in comparison.pairs])),
        frozenset(response.chain_relations([document for _, document in comparison.pairs])),
    )


def _ranks(comparison: Comparison, side: int, classes: Sequence[str], source: str) -> Ints:
    last = len(classes) - 1
    if has_no_kinds(comparison, source):
        return np.full(len((comparison.key, comparison.response)[side].chains), last)
    rank = {kind: number for number, kind in enumerate(classes)}
    kinds = mention_kinds(comparison, side, source)
    return np.fromiter((rank.get(kind, last) for kind in kinds), np.int64, len(kinds))


def similarities(expressions: Expressions, weights: Sequence[float], kinds: str) -> NDArray[Any]:
    """The weighted mean of Dice coefficients, class by class, for each cell; classes absent from both are left out.

    `whole` compares each class of the key with the whole response chain: the published variant for responses without
    kinds (§4.1), in which a class that the key lacks contributes 0.
    """
    cells, keys, responses = len(expressions.cell_size), expressions.key_chains, expressions.response_chains
    use_whole_chains = kinds == "whole"
    total, weight_used = np.zeros(cells), np.zeros(cells)
    for rank, weight in enumerate(weights):
        in_key = expressions.key_class == rank
        in_response = np.ones_like(in_key) if use_whole_chains else expressions.response_class == rank
        shared = np.bincount(expressions.cell[in_key & in_response], minlength=cells)
        key_size = np.bincount(expressions.key_chain[in_key], minlength=keys)[expressions.cell_key]
        response_size = np.bincount(expressions.response_chain[in_response], minlength=responses)[
            expressions.cell_response
        ]
        size = key_size + response_size
        is_present = size > 0  # always true with `whole`: nothing is rescaled there
        total += np.where(is_present, weight * 2 * shared / np.where(is_present, size, 1), 0.0)
        weight_used += np.where(is_present, weight, 0.0)
    return total / np.where(weight_used > 0, weight_used, 1.0)


def optimal_correspondence(expressions: Expressions, similarity: NDArray[Any]) -> Mask:
    """The cells of the one-to-one correspondence with the largest total similarity.

    Ties are broken in favour of more aligned related referents, then of more shared expressions,
    then of fewer pairs.
    """
    weight = _weights(expressions, similarity)
    chosen = best_matching(expressions.cell_key, expressions.cell_response, weight)
    if not (expressions.key_links and expressions.response_links):
        return chosen
    support = _support(expressions, chosen)
    return best_matching(
        expressions.cell_key,
        expressions.cell_response,
        weight + RELATED_WEIGHT * support / (2 * len(expressions.key_links)),
    )


def _weights(expressions: Expressions, similarity: NDArray[Any]) -> NDArray[Any]:
    """The weight of each cell: its similarity, with ties broken by the number of shared expressions."""
    mentions = np.bincount(expressions.document, minlength=1)[expressions.cell_document]
    return np.asarray(similarity + tie_breakers(expressions.cell_size, mentions))


def multiple_correspondence(expressions: Expressions, similarity: NDArray[Any], width: int) -> Mask:
    """The cells with the largest total similarity if every chain may be matched with up to `width` chains.

    This is a flow with that capacity per chain, solved as a matching: every chain has `width` copies, and every cell
    has two nodes, matched with each other if the cell is unused, and with copies of its two chains if it is used.
    """
    if width == 1:
        return optimal_correspondence(expressions, similarity)
    weight, cells = _weights(expressions, similarity), np.arange(len(expressions.cell_size))
    overlaps = [np.bincount(chains).max(initial=0) for chains in (expressions.cell_key, expressions.cell_response)]
    width = min(width, int(max(overlaps)))
    keys, responses = expressions.key_chains * width, expressions.response_chains * width
    copies = np.tile(np.arange(width), len(cells))
    of_key = np.repeat(expressions.cell_key * width, width) + copies
    of_response = np.repeat(expressions.cell_response * width, width) + copies
    each = np.repeat(cells, width)
    left = np.concatenate([of_key, keys + each, keys + cells])
    right = np.concatenate([responses + each, of_response, responses + cells])
    chosen = best_matching(left, right, np.concatenate([weight[each], weight[each], weight]))
    ends = [each[part] for part in np.split(chosen[: 2 * len(each)], 2)]
    return np.isin(cells, ends[0]) & np.isin(cells, ends[1])


def greedy_correspondence(expressions: Expressions, similarity: NDArray[Any]) -> Mask:
    """The cells of the heuristic of §4.2: the most similar pair, then the most similar pair that is still free, etc."""
    level = np.round(similarity, 12)
    order = np.lexsort((np.arange(len(level)), -expressions.cell_size, -level))
    related = bool(expressions.key_links and expressions.response_links)
    taken = _GreedyMatching(expressions)
    for equals in np.split(order, np.flatnonzero(np.diff(level[order])) + 1) if related else [order]:
        waiting = equals.tolist()
        while waiting:
            if related:  # among equals, prefer the pair whose related referents are already aligned
                support = _support(expressions, taken.cells)
                waiting.sort(key=lambda cell: -support[cell])
                taken.take(waiting.pop(0))
            else:
                for cell in waiting:
                    taken.take(cell)
                waiting = []
    return taken.cells


class _GreedyMatching:
    """A correspondence under construction."""

    def __init__(self, expressions: Expressions) -> None:
        self.keys, self.responses = expressions.cell_key.tolist(), expressions.cell_response.tolist()
        self.used_keys: set[int] = set()
        self.used_responses: set[int] = set()
        self.cells = np.zeros(len(self.keys), bool)

    def take(self, cell: int) -> None:
        """Add a cell if both its chains are free."""
        if self.keys[cell] not in self.used_keys and self.responses[cell] not in self.used_responses:
            self.used_keys.add(self.keys[cell])
            self.used_responses.add(self.responses[cell])
            self.cells[cell] = True


def _support(expressions: Expressions, chosen: Mask) -> NDArray[Any]:
    """For each cell, the number of relations of its two chains that lead to aligned chains."""
    aligned = dict(zip(expressions.cell_key[chosen].tolist(), expressions.cell_response[chosen].tolist(), strict=True))
    cells = zip(expressions.cell_key.tolist(), expressions.cell_response.tolist(), strict=True)
    number = {cell: index for index, cell in enumerate(cells)}
    sources = group_items(((link.kind, link.target), link.source) for link in expressions.response_links)
    targets = group_items(((link.kind, link.source), link.target) for link in expressions.response_links)
    support = np.zeros(len(number))
    for link in expressions.key_links:
        ends = [(link.source, other) for other in sources.get((link.kind, aligned.get(link.target, -1)), ())]
        ends += [(link.target, other) for other in targets.get((link.kind, aligned.get(link.source, -1)), ())]
        for cell in ends:
            if cell in number:
                support[number[cell]] += 1
    return support


def parse_specificity(text: str) -> dict[str, float]:
    """Classes with their weights, from the most specific to the least.

    >>> parse_specificity("name=0.6,noun=0.3,pronoun=0.1")
    {'name': 0.6, 'noun': 0.3, 'pronoun': 0.1}
    """
    expected = "expected classes and weights such as name=0.6,noun=0.3,pronoun=0.1"
    try:
        items = parse_named_numbers(text)
    except ValueError:
        raise UsageError(f"specificity {text!r}: {expected}") from None
    weight_by_class, weights = dict(items), [weight for _, weight in items]
    if (
        not weight_by_class
        or len(weight_by_class) < len(items)
        or not all(weight > 0 and weight in WEIGHT_RANGE for weight in weights)
    ):
        raise UsageError(f"specificity {text!r}: {expected}, every class once and every weight above 0")
    if any(first <= second for first, second in pairwise(weights)):
        raise UsageError(f"specificity {text!r}: expected weights that decrease from the most specific class on")
    if len(weights) > 1 and weights[0] <= sum(weights[1:]) * (1 + 1e-12):
        raise UsageError(f"specificity {text!r}: expected the first weight to be larger than the others together")
    return weight_by_class
