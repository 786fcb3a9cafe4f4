"""Entities as trees: an entity, its labels, and its constituents one level below; and how far two trees are apart.

The parent of a span is the innermost span that encloses it. Types directly inside a type of the same extent are further
labels of the same entity (metonymy). The constituents of an entity are the spans whose parent it is: components, and
other entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.core.arrays import Floats, Ints, Numbers, owners, ranges
from aune.core.errors import UsageError
from aune.tasks.entities.pairing.sides import Labels, SpanColumns
from aune.tasks.entities.pairing.spans import STEPS, Criterion, Edges, crossing, lexicographic_matching, overlapping

MOST_CONSTITUENTS = 5_000_000  # to be compared in a chunk: half a gigabyte
NEAR = 100  # shared positions beyond which more makes no difference
WORST, FINE = 4, 240  # decomposition errors are compared up to WORST, in steps of 1/FINE


class Trees(NamedTuple):
    """The entities of one side, and their constituents in the entities' order."""

    spans: SpanColumns
    labels: Ints
    """(entities,): numbers in `Forest.names`."""
    constituents: SpanColumns
    constituent_labels: Ints
    first: Ints
    """(entities + 1,): where the constituents of each entity begin."""
    stray: int
    """Components that stand in no entity."""

    @property
    def sizes(self) -> Ints:
        return np.diff(self.first)


class Forest(NamedTuple):
    """The entities of both sides. A label here is a set of labels, its names joined by `+`."""

    key: Trees
    response: Trees
    names: list[str]
    sets: list[tuple[str, ...]]


def parents(side: SpanColumns) -> Ints:
    """The innermost span that encloses each span, -1 for none; spans come sorted by start, then longest first.

    All looks to the left at once: while the span looked at ends too early, look where it looks itself.
    """
    looking = np.arange(len(side)) - 1
    ends = np.append(side.end, np.iinfo(np.int64).max)  # the last entry answers for -1
    while (short := ends[looking] < side.end).any():
        looking[short] = looking[looking[short]]
    return looking


def forest(key: SpanColumns, response: SpanColumns, labels: Labels) -> Forest:
    sets: Numbers[tuple[str, ...]] = Numbers()
    trees = [_trees(side, labels, sets) for side in (key, response)]
    order = sorted(range(len(sets)), key=lambda number: list(sets)[number])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found = [list(sets)[number] for number in order]
    renumbered = [
        tree._replace(labels=rank[tree.labels], constituent_labels=rank[tree.constituent_labels]) for tree in trees
    ]
    return Forest(renumbered[0], renumbered[1], ["+".join(one) for one in found], found)


def _trees(side: SpanColumns, labels: Labels, sets: Numbers[tuple[str, ...]]) -> Trees:
    component = labels.component[side.label] if len(labels.names) else np.zeros(0, bool)
    parent = parents(side)
    there = parent >= 0
    same = there & ~component & ~component[parent] & (side.end == side.end[parent]) & (side.start == side.start[parent])
    same &= side.shape == side.shape[parent]
    head = np.where(same, parent, np.arange(len(side)))
    while (head != head[head]).any():
        head = head[head]
    codes = _label_sets(side, labels.names, head, sets)
    entity = np.flatnonzero(~component & ~same)
    number = np.full(len(side), -1)
    number[entity] = np.arange(len(entity))
    inside = np.flatnonzero(there & ~same & ~component[parent])
    owner = number[head[parent[inside]]]
    inside = inside[np.argsort(owner, kind="stable")]
    first = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(entity)))])
    stray = int((component & (~there | component[parent])).sum())
    return Trees(side.picked(entity), codes[entity], side.picked(inside), codes[inside], first, stray)


def _label_sets(side: SpanColumns, names: Sequence[str], head: Ints, sets: Numbers[tuple[str, ...]]) -> Ints:
    """The number of the set of labels of each span that is the head of its entity, or a component."""
    single = sets.of((name,) for name in names)
    codes = single[side.label] if len(names) else np.zeros(0, np.int64)
    several: dict[int, set[str]] = {}
    for inner in np.flatnonzero(head != np.arange(len(head))).tolist():
        outer = int(head[inner])
        several.setdefault(outer, {names[int(side.label[outer])]}).add(names[int(side.label[inner])])
    for outer, found in several.items():
        codes[outer] = sets[tuple(sorted(found))]
    return codes


class Candidates(NamedTuple):
    """Every pair of a key and a response entity that share text, and how far apart the two are."""

    edges: Edges
    type_error: Floats
    """E_T of eq. 4.10."""
    decomposition_error: Floats
    """E_C of eq. 4.15."""


def candidates(forest: Forest, types: Ints, weights: Mapping[str, float]) -> Candidates:
    edges = overlapping(forest.key.spans, forest.response.spans, types)
    left, right = forest.key.labels[edges.left], forest.response.labels[edges.right]
    costs = (weights["type"], weights["subtype"])
    wide = max(len(forest.sets), 1)
    cells, inverse = np.unique(left * wide + right, return_inverse=True)
    errors = [label_error(forest.sets[cell // wide], forest.sets[cell % wide], *costs) for cell in cells.tolist()]
    type_error = np.asarray(errors, float)[inverse] + weights["boundary"] * (edges.kind >= 3)
    return Candidates(edges, type_error, decomposition_errors(forest, edges, weights))


def label_error(key: tuple[str, ...], response: tuple[str, ...], wrong_type: float, wrong_subtype: float) -> float:
    """E_L of eqs 4.9 and 4.11 to 4.14, for any number of labels: the mean over the best assignment of the labels.

    The best assignment pairs equal labels first, then labels of the same type; what is left costs a wrong type each,
    paired or not.

    >>> label_error(("loc.fac",), ("loc.oro",), 0.5, 0.25)
    0.25
    >>> label_error(("loc.adm.nat", "org.adm"), ("org.adm",), 0.5, 0.25)
    0.25
    """
    most, common = max(len(key), len(response)), set(key) & set(response)
    types = [Counter(label.split(".")[0] for label in labels if label not in common) for labels in (key, response)]
    alike = sum((types[0] & types[1]).values())
    return (wrong_subtype * alike + wrong_type * (most - len(common) - alike)) / most


def decomposition_errors(forest: Forest, edges: Edges, weights: Mapping[str, float]) -> Floats:
    """E_C for each pair of entities: their constituents paired at the lowest cost."""
    key, response = forest.key, forest.response
    sizes, other_sizes = key.sizes[edges.left], response.sizes[edges.right]
    if sizes.sum() + other_sizes.sum() > MOST_CONSTITUENTS:
        raise UsageError(
            f"{int(sizes.sum() + other_sizes.sum()):,} constituents of overlapping entities, expected at most "
            f"{MOST_CONSTITUENTS:,}: ETER cannot compare spans that overlap so much"
        )
    base = np.minimum(key.spans.start[edges.left], response.spans.start[edges.right])
    reach = np.maximum(key.spans.end[edges.left], response.spans.end[edges.right]) - base
    line = np.cumsum(reach) - reach - base  # where the texts of the pairs lie when put one after the other
    edge, one = _expanded(key.first[edges.left], sizes)
    other_edge, other = _expanded(response.first[edges.right], other_sizes)
    mine, theirs = key.constituents.picked(one), response.constituents.picked(other)
    left, right = crossing(
        mine.start + line[edge], mine.end + line[edge], theirs.start + line[other_edge], theirs.end + line[other_edge]
    )
    shared = np.minimum(mine.end[left], theirs.end[right]) - np.maximum(mine.start[left], theirs.start[right])
    cost = weights["component_label"] * (key.constituent_labels[one[left]] != response.constituent_labels[other[right]])
    cost = cost + weights["component_boundary"] * _other_bounds(mine, theirs, left, right)
    apart = weights["omission"] + weights["insertion"]
    gain = Criterion(apart - cost, max(apart, 1.0), STEPS)
    chosen = lexicographic_matching(left, right, [gain, Criterion(np.minimum(shared, NEAR), NEAR)])
    pairs = np.bincount(edge[left[chosen]], minlength=len(sizes))
    errors = np.bincount(edge[left[chosen]], cost[chosen], minlength=len(sizes))
    missed, inserted = weights["omission"] * (sizes - pairs), weights["insertion"] * (other_sizes - pairs)
    return np.asarray((missed + inserted + errors) / np.maximum(sizes, 1))


def _expanded(first: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """For each pair of entities all the constituents of one of them: the number of the pair, and of the constituent."""
    return owners(sizes), ranges(first, sizes)


def _other_bounds(key: SpanColumns, response: SpanColumns, one: Ints, other: Ints) -> NDArray[Any]:
    apart = (key.start[one] != response.start[other]) | (key.end[one] != response.end[other])
    found: NDArray[Any] = apart | (key.shape[one] != response.shape[other])
    return found


class Alignment(NamedTuple):
    """Entities paired, with their errors."""

    left: Ints
    right: Ints
    type_error: Floats
    decomposition_error: Floats


def aligned(candidates: Candidates, weights: Mapping[str, float], share: float | None = None) -> Alignment:
    """Entities paired at the lowest type error (eq. 4.10), ties by decomposition error, then by shared text.

    With a `share` (an α), both levels together: at the lowest (1 − α) E_T + α E_C.
    """
    apart = weights["omission"] + weights["insertion"]
    inner = Criterion(-np.minimum(candidates.decomposition_error, WORST), WORST, FINE)
    shared = Criterion(np.minimum(candidates.edges.shared, NEAR), NEAR)
    if share is None:
        criteria = [Criterion(apart - candidates.type_error, max(apart, 1.0), STEPS), inner, shared]
    else:
        error = (1 - share) * candidates.type_error + share * candidates.decomposition_error
        criteria = [Criterion(apart - error, max(apart, 1.0), STEPS), shared]
    chosen = lexicographic_matching(candidates.edges.left, candidates.edges.right, criteria)
    return Alignment(
        candidates.edges.left[chosen],
        candidates.edges.right[chosen],
        candidates.type_error[chosen],
        candidates.decomposition_error[chosen],
    )
