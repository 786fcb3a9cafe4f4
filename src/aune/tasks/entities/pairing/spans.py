"""Pair key spans with response spans.

Only spans that share text can be paired. The errors in a pair are one of six kinds:

    0 correct          same label, same boundaries
    1 type             another type (the first part of the label)
    2 subtype          the same type, another label below it
    3 boundary         the same label, other boundaries
    4 type_boundary    both
    5 subtype_boundary both

A measure defines what each kind gains over leaving both spans unpaired (the cost of a missed and an inserted span minus
that of the pair), and receives the one-to-one pairing with the largest gain. Among pairings with equal gain, the one
with the fewest wrong properties is chosen (boundary, sub-type, type, which implies the sub-type, and presence: a missed
or inserted span has four), then the one with the closest boundaries, then the first in text order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints, Mask, owner_indices, ranges
from aune.numeric.matching import first_matching

KINDS = ("correct", "type", "subtype", "boundary", "type_boundary", "subtype_boundary")
WRONG_PROPERTIES = np.array([0, 2, 1, 1, 3, 2])
"""How many of the four properties (presence, boundary, type, sub-type) are wrong, by kind."""
EXACT_FLOATS = 2**53
STEPS = 10_080
"""Gains are compared in steps of 1 over this number, a multiple of 4 and of every number up to 10."""
MAX_DISTANCE = 100


class IntervalColumns(Protocol):
    """The positions of spans, as columns."""

    @property
    def start(self) -> Ints: ...
    @property
    def end(self) -> Ints: ...


class LabelledColumns(IntervalColumns, Protocol):
    """Spans that can be paired, as columns (a `comparison.SpanColumns`)."""

    @property
    def label(self) -> Ints: ...
    @property
    def shape(self) -> Ints: ...
    @property
    def segments(self) -> Any: ...


class Edges(NamedTuple):
    """Pairs of spans that share text, in order of content."""

    key: Ints
    response: Ints
    shared: Ints
    """The number of positions that they share."""
    distance: Ints
    """The distance between their boundaries."""
    kind: Ints


class Pairing(NamedTuple):
    """The pairs of a one-to-one pairing."""

    key: Ints
    response: Ints
    kind: Ints


def overlap_edges(key: LabelledColumns, response: LabelledColumns, types: Ints) -> Edges:
    """Every pair of spans that share text; `types` gives the type of each label."""
    left, right = crossing_pairs(key.start, key.end, response.start, response.end)
    shared = np.minimum(key.end[left], response.end[right]) - np.maximum(key.start[left], response.start[right])
    in_pieces = np.flatnonzero((key.shape[left] > 0) | (response.shape[right] > 0))
    for index in in_pieces.tolist():
        shared[index] = _shared_positions(_parts(key, int(left[index])), _parts(response, int(right[index])))
    overlap = shared > 0
    left, right, shared = left[overlap], right[overlap], shared[overlap]
    start, end = key.start[left] - response.start[right], key.end[left] - response.end[right]
    bounds = (start != 0) | (end != 0) | (key.shape[left] != response.shape[right])
    key_label, response_label = key.label[left], response.label[right]
    wrong_label = (
        np.where(key_label == response_label, 0, np.where(types[key_label] == types[response_label], 2, 1))
        if len(left)
        else key_label
    )
    return Edges(left, right, shared, np.abs(start) + np.abs(end), wrong_label + 3 * bounds)


def count_overlaps(key: IntervalColumns, response: IntervalColumns) -> Ints:
    """How many response spans overlap each key span, computed by subtracting the spans before and after it."""
    before = np.searchsorted(np.sort(response.end), key.start, "right")
    after = len(response.start) - np.searchsorted(np.sort(response.start), key.end, "left")
    return np.asarray(len(response.start) - before - after)


def crossing_pairs(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> tuple[Ints, Ints]:
    """Pairs of spans that overlap (as a whole: gaps count as inside), from spans sorted by start; sorted by both.

    If two spans overlap, one starts inside the other, so only overlapping pairs are ever enumerated.
    """
    left, right = _starting_inside(start, end, other_start, "left")
    inner, outer = _starting_inside(other_start, other_end, start, "right")[::-1]
    left, right = np.concatenate([left, inner]), np.concatenate([right, outer])
    meet = (end[left] > start[left]) & (other_end[right] > other_start[right])
    left, right = left[meet], right[meet]
    order = np.argsort(left * len(other_start) + right)
    return left[order], right[order]


def _starting_inside(start: Ints, end: Ints, others: Ints, where: Literal["left", "right"]) -> tuple[Ints, Ints]:
    """Each span with every one of the others that starts in it; `left` includes others at its very start."""
    first, last = np.searchsorted(others, start, where), np.searchsorted(others, end, "left")
    times = np.maximum(last - first, 0)
    return owner_indices(times), ranges(first, times)


def _parts(side: LabelledColumns, index: int) -> Sequence[tuple[int, int]]:
    shape = int(side.shape[index])
    parts: Sequence[tuple[int, int]] = (
        side.segments[shape] if shape else ((int(side.start[index]), int(side.end[index])),)
    )
    return parts


def _shared_positions(key_parts: Sequence[tuple[int, int]], response_parts: Sequence[tuple[int, int]]) -> int:
    return sum(max(0, min(b, d) - max(a, c)) for a, b in key_parts for c, d in response_parts)


def best_pairing(edges: Edges, gains: Sequence[float], among: Mask | None = None) -> Pairing:
    """The pairing with the largest gain; the module docstring states how ties are broken."""
    chosen = np.flatnonzero(np.ones(len(edges.key), bool) if among is None else among)
    left, right, _, distance, kind = (column[chosen] for column in edges)
    gain = Criterion(np.asarray(gains, float)[kind], max(map(abs, gains)), STEPS)
    right_properties = Criterion(8 - WRONG_PROPERTIES[kind], 8)
    matched = lexicographic_matching(left, right, [gain, right_properties, nearness(distance)])
    return Pairing(left[matched], right[matched], kind[matched])


class Criterion(NamedTuple):
    """The value of a pair in one respect, compared in steps of 1/steps.

    From 0 to `top`, or from −`top` to 0 where each pair costs something; the first one may be below.
    """

    worth: NDArray[Any]
    top: float
    steps: int = 1


def nearness(distance: Ints) -> Criterion:
    """A criterion that prefers close boundaries, regardless of the number of pairs; large distances all count alike."""
    return Criterion(-np.minimum(distance, MAX_DISTANCE), MAX_DISTANCE)


def lexicographic_matching(left: Ints, right: Ints, criteria: Sequence[Criterion]) -> Mask:
    """The one-to-one matching with the largest total of the first criterion, then of the second, and so on.

    Each criterion is scaled so that no total of the later ones, within a connected group of spans, can outweigh its
    smallest step; a pair whose first criterion is below 0 is never chosen. In groups too large for exact arithmetic the
    last criteria are ignored. Among equal matchings the first is chosen: the first span on the left has its first
    possible partner, then the next span, and so on (except where more than 30 spans on each side are connected).
    """
    if not len(left):
        return np.zeros(0, bool)
    size = _group_sizes(left, right).astype(float)
    weight = np.zeros(len(left))
    done = np.zeros(len(left), bool)
    for used in range(len(criteria), 0, -1):
        total, scale = np.zeros(len(left)), np.ones(len(left))
        for worth, top, steps in reversed(criteria[:used]):
            total += np.rint(worth * steps) * scale
            scale *= size * top * steps + 1
        fits = ~done & ((scale <= EXACT_FLOATS) | (used == 1))
        weight[fits] = total[fits]
        done |= fits
    return first_matching(left, right, weight.astype(np.int64))


def _group_sizes(left: Ints, right: Ints) -> NDArray[Any]:
    """For each pair, an upper bound on the number of pairs that a matching has in its connected group.

    Edges are sorted by left. Connected groups are separate in the text, so a group ends where
    all numbers on the right so far are below all that follow.
    """
    top = np.maximum.accumulate(right)
    low = np.minimum.accumulate(right[::-1])[::-1]
    cut = (np.diff(left) > 0) & (low[1:] > top[:-1])
    group = np.concatenate([[0], np.cumsum(cut)])
    edges = np.bincount(group)
    nodes = np.bincount(group, weights=np.concatenate([[1], np.diff(left) > 0]))
    return np.asarray(np.minimum(edges, nodes)[group])


def first_overlap_pairing(edges: Edges) -> Pairing:
    """The pairs of the HIPE scorer and its predecessors: each response span, in order, takes the first match.

    That is the key span with the same boundaries and label if there is one; else the first key span in the text that
    has the same boundaries, or that overlaps and is not taken yet. The result depends on the order of spans, and a
    key span can be taken twice. This pairing exists to reproduce published figures.
    """
    taken: set[int] = set()
    pairs: list[tuple[int, int, int]] = []
    order = np.lexsort((edges.key, edges.response))
    rights, firsts = np.unique(edges.response[order], return_index=True)
    groups = np.split(order, firsts[1:]) if len(order) else []
    for right, group in zip(rights.tolist(), groups, strict=True):
        meets = [(int(edges.key[edge]), int(edges.kind[edge])) for edge in group.tolist()]
        exact = [meeting for meeting in meets if meeting[1] == 0]
        first = next((meeting for meeting in exact or meets if meeting[1] < 3 or meeting[0] not in taken), None)
        if first is not None:
            taken.add(first[0])
            pairs.append((first[0], right, first[1]))
    columns = np.asarray(pairs, np.int64).reshape(-1, 3)
    return Pairing(columns[:, 0], columns[:, 1], columns[:, 2])
