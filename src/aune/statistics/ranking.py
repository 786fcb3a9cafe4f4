"""What pairwise tests say about an order of systems: corrected p-values, groups, ranges of ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from aune.core.measure import Column


def holm(p: Column) -> Column:
    """p-values corrected for being several (Holm 1979); undefined ones stay so and do not count.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, float)
    corrected = np.full(len(p), np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined], kind="stable")]
    factors = len(order) - np.arange(len(order))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return corrected


def benjamini_hochberg(p: Column) -> Column:
    """p-values corrected so that few of those called significant are false (Benjamini and Hochberg 1995).

    Milder than `holm`: it bounds the share of false discoveries among the discoveries, not the chance of a single one.
    Undefined values stay so and do not count.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p, float)
    corrected = np.full(len(p), np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(-p[defined], kind="stable")]  # from the largest
    factors = len(order) / (len(order) - np.arange(len(order)))
    corrected[order] = np.minimum.accumulate(np.minimum(1.0, p[order] * factors))
    return corrected


CORRECTIONS = {"holm": holm, "benjamini-hochberg": benjamini_hochberg}
"""How p-values of several pairs of systems are corrected."""


class RankRange(NamedTuple):
    """A system's place in the order, and the best and worst place that the tests leave open."""

    system: str
    rank: int
    best: int
    worst: int


def rank_ranges(
    systems: Sequence[str], goodness: Sequence[float], apart: Collection[frozenset[str]]
) -> list[RankRange]:
    """The systems from best to worst. `apart` are the pairs that can be told apart; equal systems share a rank.

    >>> rank_ranges(["A", "B", "C"], [0.5, 0.7, 0.6], {frozenset("AB")})
    [RankRange(system='B', rank=1, best=1, worst=2), RankRange(system='C', rank=2, best=1, worst=3),
     RankRange(system='A', rank=3, best=2, worst=3)]
    """
    worth = dict(zip(systems, goodness, strict=True))
    ranges = []
    for system in sorted(systems, key=lambda name: (-worth[name], name)):
        others = [other for other in systems if frozenset((system, other)) in apart]
        ahead = sum(worth[other] > worth[system] for other in others)
        behind = sum(worth[other] < worth[system] for other in others)
        rank = 1 + sum(worth[other] > worth[system] for other in systems)
        ranges.append(RankRange(system, rank, 1 + ahead, len(systems) - behind))
    return ranges


def groups(ordered: Sequence[str], apart: Collection[frozenset[str]]) -> list[list[str]]:
    """The largest sets of systems no two of which can be told apart, each in the given order.

    >>> groups(["A", "B", "C"], {frozenset("AC")})
    [['A', 'B'], ['B', 'C']]
    """
    near = {one: {other for other in ordered if other != one and frozenset((one, other)) not in apart}
            for one in ordered}  # fmt: skip
    found = _cliques(set(), set(ordered), set(), near)
    place = {system: index for index, system in enumerate(ordered)}
    return sorted(
        (sorted(group, key=place.__getitem__) for group in found), key=lambda group: [place[s] for s in group]
    )


def _cliques(taken: set[str], open_: set[str], done: set[str], near: dict[str, set[str]]) -> list[set[str]]:
    """Maximal cliques, after Bron and Kerbosch, with a pivot."""
    if not open_ and not done:
        return [taken]
    pivot = max(sorted(open_ | done), key=lambda one: len(near[one] & open_))
    found = []
    for one in sorted(open_ - near[pivot]):
        found += _cliques(taken | {one}, open_ & near[one], done & near[one], near)
        open_, done = open_ - {one}, done | {one}
    return found
