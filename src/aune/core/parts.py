"""The parts of what lies in several pieces: half-open ranges, in order, of which no two overlap."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def overlap(parts: Iterable[tuple[int, int]]) -> bool:
    """Whether two of some ranges share a place.

    >>> overlap([(4, 6), (0, 4)]), overlap([(0, 9), (4, 6)])
    (False, True)
    """
    return any(end > start for (_, end), (start, _) in pairwise(sorted(parts)))


def joined(parts: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The same ranges in order, those that share a place as one.

    >>> joined([(7, 9), (0, 3), (2, 5), (5, 6)])
    ((0, 5), (5, 6), (7, 9))
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)
