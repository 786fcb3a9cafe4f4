"""Entities as trees (an entity, its labels, and its constituents one level below), and the distance between two trees.

The parent of a span is the innermost span that encloses it. Types directly inside a type of the same extent are further
labels of the same entity (metonymy). The constituents of an entity are the spans whose parent is the entity: components
and other entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.errors import UsageError
from aune.numeric.arrays import Floats, Ints, Numbering, owner_indices, ranges
from aune.tasks.entities.pairing.span_columns import Labels, SpanColumns
from aune.tasks.entities.pairing.spans import (
    STEPS,
    Criterion,
    Edges,
    crossing_pairs,
    lexicographic_matching,
    overlap_edges,
)

MOST_CONSTITUENTS = 5_000_000  # that may be compared in a chunk: half a gigabyte
NEAR = 100  # shared positions beyond which a larger overlap makes no difference
WORST, FINE = 4, 240  # decomposition errors are compared up to WORST, in steps of 1/FINE


class Trees(NamedTuple):
    """The entities of one side, with their constituents in the order of the entities."""

    spans: SpanColumns
    labels: Ints
    """(entities,): numbers in `Forest.names`."""
    constituents: SpanColumns
    constituent_labels: Ints
    first: Ints
    """(entities + 1,): the index of the first constituent of each entity."""
    stray: int
    """The number of components outside any entity."""

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

    All spans search to the left at once: while a candidate ends too early, go on with the candidate's own candidate.
    """
    looking = np.arange(len(side)) - 1
    ends = np.append(side.end, np.iinfo(np.int64).max)  # the last entry answers for -1
    while (short := ends[looking] < side.end).any():
        looking[short] = looking[looking[short]]
    return looking


def forest(key: SpanColumns, response: SpanColumns, labels: Labels) -> Forest:
    sets: Numbering[tuple[str, ...]] = Numbering()
    trees = [_trees(side, labels, sets) for side in (key, response)]
    order = sorted(range(len(sets)), key=lambda number: list(sets)[number])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    label_sets = [list(sets)[number] for number in order]
    renumbered = [
        tree._replace(labels=rank[tree.labels], constituent_labels=rank[tree.constituent_labels]) for tree in trees
    ]
    return Forest(renumbered[0], renumbered[1], ["+".join(label_set) for label_set in label_sets], label_sets)


def _trees(side: SpanColumns, labels: Labels, sets: Numbering[tuple[str, ...]]) -> Trees:
    component = labels.component[side.label] if len(labels.names) else np.zeros(0, bool)
    parent = parents(side)
    has_parent = parent >= 0
    same = (
        has_parent
        & ~component
        & ~component[parent]
        & (side.end == side.end[parent])
        & (side.start == side.start[parent])
    )
    same &= side.shape == side.shape[parent]
    head = np.where(same, parent, np.arange(len(side)))
    while (head != head[head]).any():
        head = head[head]
    codes = _label_sets(side, labels.names, head, sets)
    entity = np.flatnonzero(~component & ~same)
    number = np.full(len(side), -1)
    number[entity] = np.arange(len(entity))
    inside = np.flatnonzero(has_parent & ~same & ~component[parent])
    owner = number[head[parent[inside]]]
    inside = inside[np.argsort(owner, kind="stable")]
    first = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(entity)))])
    stray = int((component & (~has_parent | component[parent])).sum())
    return Trees(side.select(entity), codes[entity], side.select(inside), codes[inside], first, stray)


def _label_sets(side: SpanColumns, names: Sequence[str], head: Ints, sets: Numbering[tuple[str, ...]]) -> Ints:
    """The number of the label set of each span that is the head of its entity, or a component."""
    single = sets.codes((name,) for name in names)
    codes = single[side.label] if len(names) else np.zeros(0, np.int64)
    several: dict[int, set[str]] = {}
    for inner in np.flatnonzero(head != np.arange(len(head))).tolist():
        outer = int(head[inner])
        several.setdefault(outer, {names[int(side.label[outer])]}).add(names[int(side.label[inner])])
    for outer, labels in several.items():
        codes[outer] = sets[tuple(sorted(labels))]
    return codes


class Candidates(NamedTuple):
    """Every pair of a key and a response entity that share text, with the distances between the two."""

    edges: Edges
    type_error: Floats
    """E_T of eq. 4.10."""
    decomposition_error: Floats
    """E_C of eq. 4.15."""


def candidates(forest: Forest, types: Ints, weights: Mapping[str, float]) -> Candidates:
    edges = overlap_edges(forest.key.spans, forest.response.spans, types)
    left, right = forest.key.labels[edges.key], forest.response.labels[edges.response]
    costs = (weights["type"], weights["subtype"])
    wide = max(len(forest.sets), 1)
    cells, inverse = np.unique(left * wide + right, return_inverse=True)
    errors = [label_error(forest.sets[cell // wide], forest.sets[cell % wide], *costs) for cell in cells.tolist()]
    type_error = np.asarray(errors, float)[inverse] + weights["boundary"] * (edges.kind >= 3)
    return Candidates(edges, type_error, decomposition_errors(forest, edges, weights))


def label_error(key: tuple[str, ...], response: tuple[str, ...], wrong_type: float, wrong_subtype: float) -> float:
    """E_L of eqs 4.9 and 4.11 to 4.14, for any number of labels: the mean over the best assignment of the labels.

    The best assignment pairs equal labels first, then labels of the same type; each remaining label costs a wrong type,
    whether it is paired or not.

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
    """E_C for each pair of entities, with their constituents paired at the lowest cost."""
    key, response = forest.key, forest.response
    key_sizes, response_sizes = key.sizes[edges.key], response.sizes[edges.response]
    if key_sizes.sum() + response_sizes.sum() > MOST_CONSTITUENTS:
        raise UsageError(
            f"{int(key_sizes.sum() + response_sizes.sum()):,} constituents of overlapping entities, expected at most "
            f"{MOST_CONSTITUENTS:,}: ETER cannot compare spans that overlap so much"
        )
    base = np.minimum(key.spans.start[edges.key], response.spans.start[edges.response])
    reach = np.maximum(key.spans.end[edges.key], response.spans.end[edges.response]) - base
    line = np.cumsum(reach) - reach - base  # offsets that put the texts of the pairs one after the other
    key_edge, key_indices = _expand_constituents(key.first[edges.key], key_sizes)
    response_edge, response_indices = _expand_constituents(response.first[edges.response], response_sizes)
    key_parts, response_parts = key.constituents.select(key_indices), response.constituents.select(response_indices)
    left, right = crossing_pairs(
        key_parts.start + line[key_edge],
        key_parts.end + line[key_edge],
        response_parts.start + line[response_edge],
        response_parts.end + line[response_edge],
    )
    shared = np.minimum(key_parts.end[left], response_parts.end[right]) - np.maximum(
        key_parts.start[left], response_parts.start[right]
    )
    cost = weights["component_label"] * (
        key.constituent_labels[key_indices[left]] != response.constituent_labels[response_indices[right]]
    )
    cost = cost + weights["component_boundary"] * _bounds_differ(key_parts, response_parts, left, right)
    unpaired_cost = weights["omission"] + weights["insertion"]
    gain = Criterion(unpaired_cost - cost, max(unpaired_cost, 1.0), STEPS)
    chosen = lexicographic_matching(left, right, [gain, Criterion(np.minimum(shared, NEAR), NEAR)])
    pairs = np.bincount(key_edge[left[chosen]], minlength=len(key_sizes))
    errors = np.bincount(key_edge[left[chosen]], cost[chosen], minlength=len(key_sizes))
    missed, inserted = weights["omission"] * (key_sizes - pairs), weights["insertion"] * (response_sizes - pairs)
    return np.asarray((missed + inserted + errors) / np.maximum(key_sizes, 1))


def _expand_constituents(first: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """The constituents of one entity of each pair: the number of the pair, and of the constituent."""
    return owner_indices(sizes), ranges(first, sizes)


def _bounds_differ(key: SpanColumns, response: SpanColumns, key_indices: Ints, response_indices: Ints) -> NDArray[Any]:
    moved = (key.start[key_indices] != response.start[response_indices]) | (
        key.end[key_indices] != response.end[response_indices]
    )
    differs: NDArray[Any] = moved | (key.shape[key_indices] != response.shape[response_indices])
    return differs


class Alignment(NamedTuple):
    """Entities paired, with their errors."""

    key: Ints
    response: Ints
    type_error: Floats
    decomposition_error: Floats


def align_entities(candidates: Candidates, weights: Mapping[str, float], share: float | None = None) -> Alignment:
    """Entities paired at the lowest type error (eq. 4.10), ties by decomposition error, then by shared text.

    With a `share` (an α), both levels are combined: the pairing minimises (1 − α) E_T + α E_C.
    """
    unpaired_cost = weights["omission"] + weights["insertion"]
    inner = Criterion(-np.minimum(candidates.decomposition_error, WORST), WORST, FINE)
    shared = Criterion(np.minimum(candidates.edges.shared, NEAR), NEAR)
    if share is None:
        criteria = [Criterion(unpaired_cost - candidates.type_error, max(unpaired_cost, 1.0), STEPS), inner, shared]
    else:
        error = (1 - share) * candidates.type_error + share * candidates.decomposition_error
        criteria = [Criterion(unpaired_cost - error, max(unpaired_cost, 1.0), STEPS), shared]
    chosen = lexicographic_matching(candidates.edges.key, candidates.edges.response, criteria)
    return Alignment(
        candidates.edges.key[chosen],
        candidates.edges.response[chosen],
        candidates.type_error[chosen],
        candidates.decomposition_error[chosen],
    )
