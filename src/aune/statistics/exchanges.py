"""How often each shift of the totals occurs when the counts of two systems are exchanged on random units.

Counts are whole numbers, and two systems differ by few of them: thousands of exchanges give a few hundred different
shifts. Each shift is written as one whole number, its code, so that all exchanges of many pairs of systems are one
matrix product, and a measure is computed once for each shift instead of once for each exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column
from aune.statistics.resampling import chunk_sizes, swaps

MOST_BITS = 17
"""The longest code. With more possible shifts, few exchanges give the same one."""
BLOCK_CELLS = 1 << 22
"""How many numbers are kept at once."""


class ShiftCode(NamedTuple):
    """How the shifts of the totals of a pair of systems are written as whole numbers from 0."""

    weights: Column
    """What the exchange of each unit adds to the code."""
    start: int
    """The code of no exchange."""
    low: Column
    """The smallest shift of each column."""
    moving: NDArray[np.int64]
    """The columns that exchanges change."""
    widths: tuple[int, ...]
    """The number of shifts of each of these columns."""
    size: int
    """The number of codes."""

    def shifts(self, codes: NDArray[np.int64]) -> Column:
        """The shift of each code: (codes, columns)."""
        shifts = np.zeros((len(codes), len(self.low)))
        if self.widths:
            shifts[:, self.moving] = np.stack(np.unravel_index(codes, self.widths), axis=-1)
        return shifts + self.low


def code_shifts(gains: Column) -> ShiftCode | None:
    """The code of the shifts that exchanges of units cause, from what the exchange of each unit adds to each column.

    None if the gains are no whole numbers, or if there are too many shifts.

    >>> code = code_shifts(np.array([[1, 0, 0], [-2, 0, 1]]))
    >>> code.size, code.start, code.shifts(np.array([0, 3, 4, 7])).tolist()
    (8, 4, [[-2.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    """
    low, high = np.minimum(gains, 0).sum(axis=0), np.maximum(gains, 0).sum(axis=0)
    if not np.array_equal(gains, np.rint(gains)) or np.log2(high - low + 1).sum() > MOST_BITS:
        return None
    moving = np.flatnonzero(high > low)
    widths = tuple((high - low + 1)[moving].astype(int).tolist())
    strides = np.append(np.cumprod(widths[:0:-1])[::-1], 1.0)[: len(widths)]
    start, size = int(-low[moving] @ strides), int(np.prod(widths))
    return ShiftCode(gains[:, moving] @ strides, start, low, moving, widths, size)


def count_shifts(
    codes: Sequence[ShiftCode], units: int, draws: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each pair of systems, the codes of the shifts that occur in the exchanges, and how often each does."""
    for block in _blocks(codes, next(iter(chunk_sizes(units, draws)))):
        counts = [np.zeros(code.size, np.int64) for code in block]
        weights, starts = np.stack([code.weights for code in block]), np.array([[code.start] for code in block])
        for exchanged in swaps(units, draws, seed):
            for count, row in zip(counts, (weights @ exchanged.T + starts).astype(np.int64), strict=True):
                count += np.bincount(row, minlength=len(count))
        for count in counts:
            occurring = np.flatnonzero(count)
            yield occurring, count[occurring]


def _blocks(codes: Iterable[ShiftCode], chunk: int) -> Iterator[list[ShiftCode]]:
    """Pairs of systems that are counted together."""
    block: list[ShiftCode] = []
    cells = 0
    for code in codes:
        if block and cells + code.size + chunk > BLOCK_CELLS:
            yield block
            block, cells = [], 0
        block.append(code)
        cells += code.size + chunk
    if block:
        yield block
