"""The share of each unit in a value, whatever the unit's result is.

Documents differ in length, and many values depend on a part of the counts: the words of names, one label of many.
The size of a unit in a value is the unit's share of the counts in the denominators of the value. It is
computed for any measure from its formula alone: the elasticity of a value to a count is how much the value changes, in
proportion, with that count. Counts that raise the value and those that lower it are the two sides of a fraction; the
side that is spread over more units is its denominator, since hits or errors may be rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, ratio

STEP = 0.01
"""The share by which a count is changed."""
NO_COUNT = 0.5
"""Replaces a count of 0, which cannot be changed by a share of it."""
LEAST_ELASTICITY = 1e-6
"""Elasticities below this share of the largest one are rounding errors."""
CELLS = 4_000_000
"""The number of cells that are computed together."""


class UnitSizes(NamedTuple):
    """The share of each unit in each value: (units, values)."""

    shares: Column
    """The unit's share of the value; the shares of a value add up to 1."""
    is_part: Column
    """Whether the value depends on any count of the unit."""

    @property
    def number(self) -> Column:
        """The number of units of equal size that the units are worth, for each value."""
        return kish_number(self.shares)


def unit_sizes(matrix: Column, values: Callable[[Column], Iterable[Column]]) -> UnitSizes:
    """The share of each unit in each value, from the counts of each unit and the function that computes values of sums.

    If a value changes with no count, the sizes are those of all counts together.

    >>> right_and_words = np.array([[1, 2, 0, 0], [0, 6, 0, 0], [0, 0, 3, 9]])
    >>> unit_sizes(right_and_words, lambda piles: [piles[..., 0] / piles[..., 1]]).shares.tolist()
    [[0.25], [0.75], [0.0]]
    """
    counts = np.abs(matrix)
    totals = counts.sum(axis=0)
    parts = counts / np.where(totals == 0, 1.0, totals)
    elasticities = count_elasticities(totals, values)
    rising, falling = parts @ np.maximum(elasticities, 0), parts @ np.maximum(-elasticities, 0)
    sizes = np.where(kish_number(falling) >= kish_number(rising), falling, rising)
    flat = ~(sizes > 0).any(axis=0)
    everything = np.where(flat, counts.sum(axis=1)[:, None], 0.0)
    sizes = np.where(flat, everything, sizes)
    return UnitSizes(ratio(sizes, sizes.sum(axis=0), 0.0), (rising + falling + everything) > 0)


def count_elasticities(totals: Column, values: Callable[[Column], Iterable[Column]]) -> Column:
    """How much each value changes with each count, per share by which the count changes: (counts, values)."""
    totals = np.where(totals == 0, NO_COUNT, totals)
    width = len(totals)
    rows = max(1, CELLS // max(width, 1))
    parts = []
    for start in range(0, width, rows):
        moved = np.eye(width)[start : start + rows] * STEP * totals
        ends = [np.stack([*values(totals + sign * moved)], axis=-1) for sign in (1, -1)]
        parts.append(np.nan_to_num(ends[0] - ends[1]))
    elasticities = np.concatenate(parts)
    largest = np.abs(elasticities).max(axis=0, initial=0.0)
    return np.where(np.abs(elasticities) > LEAST_ELASTICITY * largest, elasticities, 0.0)


def kish_number(sizes: Column) -> Column:
    """The number of equal units that units of these sizes are worth, by value: (Σ size)² / Σ size² (Kish 1965)."""
    return ratio(sizes.sum(axis=0) ** 2, (sizes**2).sum(axis=0), 0.0)
