"""Numbers for names, the same in every process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Digests: TypeAlias = NDArray[np.uint64]
FACTOR = 0x9E3779B97F4A7C15
MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def digests(names: Sequence[str]) -> Digests:
    """A number for each name, the same in every process; other names very likely have others.

    >>> bool(digests(["a", "b"])[1] == digests(["b"])[0])
    True
    """
    if not names:
        return np.zeros(0, np.uint64)
    encoded = [name.encode(errors="surrogatepass") for name in names]
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded)) + 1
    starts = np.cumsum(sizes) - sizes
    text = np.frombuffer(b"\1".join(encoded) + b"\1", np.uint8).astype(np.uint64)
    place = np.arange(len(text)) - np.repeat(starts, sizes)
    found = np.add.reduceat(text * _powers(int(sizes.max()))[place], starts)
    for factor, shift in zip(MIX, (30, 27), strict=True):  # what SplitMix does, so that all bits tell
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(found ^ (found >> np.uint64(31)))


def _powers(size: int) -> Digests:
    powers = np.full(size, FACTOR, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)
