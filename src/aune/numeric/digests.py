"""Numbers for names, the same in every process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import ranges

Digests: TypeAlias = NDArray[np.uint64]
HASH_FACTOR = 0x9E3779B97F4A7C15
MIX_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def digests(names: Sequence[str]) -> Digests:
    """A number for each name, the same in every process; different names very likely have different numbers.

    >>> bool(digests(["a", "b"])[1] == digests(["b"])[0])
    True
    """
    if not names:
        return np.zeros(0, np.uint64)
    encoded = [name.encode(errors="surrogatepass") for name in names]
    return digest_bytes(b"".join(encoded), np.fromiter(map(len, encoded), np.int64, len(encoded)))


def digest_bytes(data: bytes, sizes: NDArray[Any]) -> Digests:
    """The same for names that are concatenated in bytes."""
    if not len(sizes):
        return np.zeros(0, np.uint64)
    lengths = sizes.astype(np.int64)
    powers = _factor_powers(int(lengths.max()) + 1)
    text = np.frombuffer(data, np.uint8)
    starts = np.cumsum(lengths) - lengths
    hashes = powers[lengths]  # as if each name ended with a one, so that zeros at its end make a difference
    if (lengths == lengths[0]).all():
        for place, column in enumerate(text.reshape(len(lengths), -1).T if len(text) else ()):
            hashes += column * powers[place]
    elif len(text):
        nonempty = np.flatnonzero(lengths)
        hashes[nonempty] += np.add.reduceat(text * powers[ranges(0, lengths)], starts[nonempty])
    for factor, shift in zip(MIX_FACTORS, (30, 27), strict=True):  # as in SplitMix, so that all bits matter
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(hashes ^ (hashes >> np.uint64(31)))


def _factor_powers(size: int) -> Digests:
    powers = np.full(size, HASH_FACTOR, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)
