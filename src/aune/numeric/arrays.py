"""Arrays of whole numbers, and frequent operations on them: numbering, consecutive ranges, runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Item = TypeVar("Item", bound=Hashable)


class Numbering(dict[Item, int]):
    """A number for each item, in order of first appearance; looking up a new item numbers it.

    >>> Numbering().codes("abca").tolist()
    [0, 1, 2, 0]
    """

    def __missing__(self, item: Item) -> int:
        number = self[item] = len(self)
        return number

    def codes(self, items: Iterable[Item], size: int = -1) -> Ints:
        """The numbers of some items; `size` is how many there are, if that is known."""
        return np.fromiter(map(self.__getitem__, items), np.int64, size)


def owner_indices(sizes: Ints) -> Ints:
    """The owner of each item, if the items of each owner are consecutive and `sizes` are their numbers.

    >>> owner_indices(np.array([2, 0, 1])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(sizes)), sizes)


def ranges(firsts: Ints | int, sizes: Ints) -> Ints:
    """Ranges of the given lengths, each counting up from its first number, concatenated.

    >>> ranges(np.array([5, 0, 8]), np.array([2, 0, 1])).tolist()
    [5, 6, 8]
    """
    return np.repeat(firsts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The different values, sorted; `np.unique` would first load masked arrays, which takes as long as a small score.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values)
    return ordered[run_starts(ordered)]


def run_starts(column: NDArray[Any]) -> Mask:
    """Where a value differs from the one before it.

    >>> run_starts(np.array([3, 3, 1, 3])).tolist()
    [True, False, True, True]
    """
    begins = np.ones(len(column), bool)
    begins[1:] = column[1:] != column[:-1]
    return begins
