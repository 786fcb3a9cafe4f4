"""The overlaps of mentions, for MOR."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.errors import UsageError
from aune.numeric.arrays import Ints, owner_indices, ranges
from aune.numeric.matching import best_matching
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.mentions.matches import mention_tokens, untaken_numbers
from aune.tasks.coref.model import FARTHEST, check_places

MOST_PAIRS = 2_000_000  # of overlapping mentions in one document: more would need gigabytes


def token_counts(comparison: Comparison, which: int) -> Ints:
    """The number of tokens in each mention of the key (0) or the response (1)."""
    side = (comparison.key, comparison.response)[which]
    lengths = side.spans[:, 1] - side.spans[:, 0]
    for number, pair in enumerate(comparison.pairs) if comparison.has_positions else ():
        positions = pair[which].positions
        if positions is not None:
            start, end = np.searchsorted(side.owner, [number, number + 1])
            first, last = np.searchsorted(positions, side.spans[start:end].T)
            lengths[start:end] = last - first
    for index in _split_mentions(comparison, which):
        lengths[index] = len(_tokens(comparison, which, index))
    return lengths


def _split_mentions(comparison: Comparison, which: int) -> list[int]:
    """The discontinuous mentions."""
    if not comparison.has_segments:
        return []
    side = (comparison.key, comparison.response)[which]
    split = [pair[which].segments for pair in comparison.pairs]
    return [i for i, (o, m) in enumerate(zip(side.owner.tolist(), side.mention.tolist(), strict=True)) if m in split[o]]


def best_overlaps(comparison: Comparison) -> tuple[NDArray[Any], Ints]:
    """The number of tokens shared by each pair of the best one-to-one pairing of mentions, and its document.

    Identical mentions share all their tokens, and some best pairing contains all of them: exchanging partners to pair
    them never loses tokens. So only the other mentions have to be paired by optimisation.
    """
    keys, responses = comparison.matched
    lengths = token_counts(comparison, 0), token_counts(comparison, 1)
    same = _same_extent_pairs(comparison, lengths)
    free_keys, free_responses = (
        untaken_numbers(keys[same], len(lengths[0])),
        untaken_numbers(responses[same], len(lengths[1])),
    )
    left, right, shared = overlapping_pairs(comparison, free_keys, free_responses)
    chosen = best_matching(left, right, shared)
    weights = np.concatenate([lengths[0][keys[same]], shared[chosen]])
    return weights, np.concatenate([comparison.key.owner[keys[same]], comparison.key.owner[left[chosen]]])


def _same_extent_pairs(comparison: Comparison, lengths: tuple[Ints, Ints]) -> Ints:
    """The indices, into `comparison.matched`, of the pairs whose mentions cover the same tokens."""
    keys, responses = comparison.matched
    alike = lengths[0][keys] == lengths[1][responses]
    alike &= (comparison.key.spans[keys] == comparison.response.spans[responses]).all(axis=1)
    same = np.flatnonzero(alike)
    split = set(_split_mentions(comparison, 0)), set(_split_mentions(comparison, 1))
    if any(split):
        same_tokens = [_tokens(comparison, 0, keys[i]) == _tokens(comparison, 1, responses[i]) for i in same.tolist()]
        same = same[np.asarray(same_tokens, bool)]
    return same


def overlapping_pairs(comparison: Comparison, keys: Ints, responses: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of mentions in one document that share tokens, with the number of shared tokens."""
    key, response = comparison.key, comparison.response
    # positions of FARTHEST or more are digests of names: such mentions overlap only if they are identical
    keys, responses = keys[key.spans[keys, 1] < FARTHEST], responses[response.spans[responses, 1] < FARTHEST]
    base = int(max(key.spans[keys].max(initial=0), response.spans[responses].max(initial=0))) + 1
    start = response.owner[responses] * base + response.spans[responses, 0]
    order = np.argsort(start, kind="stable")
    responses, start = responses[order], start[order]
    end = response.owner[responses] * base + response.spans[responses, 1]
    reach = np.maximum.accumulate(end) if len(end) else end
    key_start = key.owner[keys] * base + key.spans[keys, 0]
    key_end = key.owner[keys] * base + key.spans[keys, 1]
    first, last = np.searchsorted(reach, key_start, "right"), np.searchsorted(start, key_end, "left")
    times = np.maximum(last - first, 0)
    _refuse_too_many(comparison, key.owner[keys], times)
    left, right = owner_indices(times), ranges(first, times)
    shared = np.minimum(key_end[left], end[right]) - np.maximum(key_start[left], start[right])
    real = shared > 0
    left, right, shared = keys[left[real]], responses[right[real]], shared[real]
    return left, right, _exact_shares(comparison, left, right, shared)


def _refuse_too_many(comparison: Comparison, owner: Ints, times: Ints) -> None:
    """Refuse a document with so many overlapping mentions that pairing them would exhaust the machine."""
    pairs = np.bincount(owner, times, len(comparison.pairs)) if len(owner) else times
    if (most := pairs.max(initial=0)) > MOST_PAIRS:
        raise UsageError(
            f"document {comparison.pairs[int(np.argmax(pairs))][0].id!r}: {int(most):,} pairs of overlapping mentions, "
            f"expected at most {MOST_PAIRS:,}: mor pairs them all; cut the document, or choose other measures"
        )


def _exact_shares(comparison: Comparison, left: Ints, right: Ints, shared: Ints) -> Ints:
    """The same numbers, counted token by token if positions are not tokens or a mention is discontinuous."""
    if comparison.has_segments or comparison.has_positions:
        for document in chain.from_iterable(comparison.pairs):
            check_places(document)
        split = set(_split_mentions(comparison, 0)), set(_split_mentions(comparison, 1))
        placed = [any(item.positions is not None for item in pair) for pair in comparison.pairs]
        for index, (item, other_item) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            if item in split[0] or other_item in split[1] or placed[comparison.key.owner[item]]:
                shared[index] = len(_tokens(comparison, 0, item) & _tokens(comparison, 1, other_item))
    return shared


def _tokens(comparison: Comparison, which: int, index: int) -> frozenset[int]:
    side = (comparison.key, comparison.response)[which]
    return mention_tokens(comparison.pairs[side.owner[index]][which], int(side.mention[index]))
