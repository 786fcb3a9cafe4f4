"""Things numbered as they come, so that what is done with a thing is done once and not once for each time it occurs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Thing = TypeVar("Thing", bound=Hashable)


class Numbers(dict[Thing, int]):
    """A number for each thing, in order of first appearance: asking for one gives it one.

    >>> Numbers().of("abca").tolist()
    [0, 1, 2, 0]
    """

    def __missing__(self, thing: Thing) -> int:
        number = self[thing] = len(self)
        return number

    def of(self, things: Iterable[Thing], size: int = -1) -> NDArray[np.int64]:
        """The numbers of some things; `size` is how many there are, where that is known."""
        return np.fromiter(map(self.__getitem__, things), np.int64, size)
