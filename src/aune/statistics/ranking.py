"""The order of systems after pairwise tests: corrected p-values, groups, ranges of ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column


def holm(p: Column) -> Column:
    """p-values corrected for multiple tests (Holm 1979); undefined ones stay undefined and do not count.

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
    """p-values corrected so that few of the significant ones are false (Benjamini and Hochberg 1995).

    Milder than `holm`: it bounds the share of false discoveries among the discoveries, not the chance of a single one.
    Undefined values stay undefined and do not count.

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
    """The rank of a system, and the best and worst rank that the tests allow."""

    system: str
    rank: int
    best: int
    worst: int


def rank_ranges(
    systems: Sequence[str], goodness: Sequence[float], apart: Collection[frozenset[str]]
) -> list[RankRange]:
    """The systems from best to worst. `apart` are the pairs that differ significantly; equal systems share a rank.

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
    """The largest sets of systems in which no pair differs significantly, each in the order of `ordered`.

    >>> groups(["A", "B", "C"], {frozenset("AC")})
    [['A', 'B'], ['B', 'C']]
    """
    neighbours = {system: {other for other in ordered if other != system and frozenset((system, other)) not in apart}
            for system in ordered}  # fmt: skip
    cliques = _cliques(set(), set(ordered), set(), neighbours)
    place = {system: index for index, system in enumerate(ordered)}
    return sorted(
        (sorted(group, key=place.__getitem__) for group in cliques), key=lambda group: [place[s] for s in group]
    )


def _cliques(
    clique: set[str], candidates: set[str], excluded: set[str], neighbours: dict[str, set[str]]
) -> list[set[str]]:
    """Maximal cliques, after Bron and Kerbosch, with a pivot."""
    if not candidates and not excluded:
        return [clique]
    pivot = max(sorted(candidates | excluded), key=lambda system: len(neighbours[system] & candidates))
    cliques = []
    for system in sorted(candidates - neighbours[pivot]):
        cliques += _cliques(
            clique | {system}, candidates & neighbours[system], excluded & neighbours[system], neighbours
        )
        candidates, excluded = candidates - {system}, excluded | {system}
    return cliques
