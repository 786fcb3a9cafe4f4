"""Arrays of whole numbers, and what is often done with them: things numbered, ranges laid one after the other, runs."""

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
    """A number for each thing, in order of first appearance: asking for one gives it one.

    >>> Numbering().codes("abca").tolist()
    [0, 1, 2, 0]
    """

    def __missing__(self, item: Item) -> int:
        number = self[item] = len(self)
        return number

    def codes(self, items: Iterable[Item], size: int = -1) -> Ints:
        """The numbers of some things; `size` is how many there are, where that is known."""
        return np.fromiter(map(self.__getitem__, items), np.int64, size)


def owner_indices(sizes: Ints) -> Ints:
    """Whose each thing is, where each owner has so many and they lie one after the other.

    >>> owner_indices(np.array([2, 0, 1])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(sizes)), sizes)


def ranges(firsts: Ints | int, sizes: Ints) -> Ints:
    """So many numbers from each first one on, one range after the other.

    >>> ranges(np.array([5, 0, 8]), np.array([2, 0, 1])).tolist()
    [5, 6, 8]
    """
    return np.repeat(firsts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))


def run_starts(column: NDArray[Any]) -> Mask:
    """Where a value is another than the one before it.

    >>> run_starts(np.array([3, 3, 1, 3])).tolist()
    [True, False, True, True]
    """
    begins = np.ones(len(column), bool)
    begins[1:] = column[1:] != column[:-1]
    return begins
