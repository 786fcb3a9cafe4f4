"""The parts of discontinuous items: half-open ranges, in order, of which no two overlap."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def have_overlap(parts: Iterable[tuple[int, int]]) -> bool:
    """Whether two of some ranges overlap.

    >>> have_overlap([(4, 6), (0, 4)]), have_overlap([(0, 9), (4, 6)])
    (False, True)
    """
    return any(end > start for (_, end), (start, _) in pairwise(sorted(parts)))


def merge_ranges(parts: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The same ranges in order, with overlapping ones merged.

    >>> merge_ranges([(7, 9), (0, 3), (2, 5), (5, 6)])
    ((0, 5), (5, 6), (7, 9))
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)
