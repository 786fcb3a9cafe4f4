"""The counts of many scores in one matrix, and the values of any number of re-weighted sums of them.

A bootstrap replicate is a sum in which every unit counts as often as it was drawn. All replicates of all measures and
systems are one matrix product, weights @ counts, so they share their draws and can be compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column, Layout, mean_of_defined, ratio
from aune.contract.options import check_known
from aune.errors import UsageError
from aune.results.result import SystemScore
from aune.results.rows import (
    BLOCK_PREFIX,
    Rows,
    column_totals,
    encode_values,
    group,
    group_into_blocks,
    group_sums,
    pivot_rows,
)
from aune.statistics.unit_sizes import UnitSizes, unit_sizes

DRAWS = 10_000
SEED = 1
CELLS = 1_000_000  # numbers in a chunk of weights: few enough for memory, many enough for fast arrays
DIGITS = 10  # decimals of results, so that the order of additions inside a matrix product never shows


class UnitCounts(NamedTuple):
    """The counts of one score by unit, and functions for the values of sums of them."""

    units: Sequence[str]
    matrix: Column
    values: Callable[[Column], Iterable[Column]]
    """From sums with any leading axes to an array per value of the measure."""
    group_values: Callable[[Column], Iterable[Column]] | None = None
    """For an average over groups that extend over units: the same with another axis at the end, the groups."""
    groups: Sequence[str] = ()
    """The names of these groups."""

    def broadcast_values(self, piles: Column) -> list[Column]:
        """The same, with all leading axes in each array."""
        return [np.broadcast_to(array, piles.shape[:-1]) for array in self.values(piles)]


@dataclass(frozen=True)
class Stack:
    """The counts of several scores over the same units, in one matrix."""

    scores: Sequence[SystemScore]
    units: Sequence[str]
    matrix: Column
    """(units, columns): the counts of all scores."""
    parts: Sequence[UnitCounts]

    @cached_property
    def names(self) -> list[tuple[int, str]]:
        """The score (by index) and the value that each column of `values` belongs to."""
        return [(place, value) for place, score in enumerate(self.scores) for value in score.measure.values]

    @cached_property
    def best_at_zero(self) -> NDArray[np.bool_]:
        """Whether zero is the best number of each value."""
        return np.array([self.scores[place].measure.better_of(value) == "zero" for place, value in self.names], bool)

    @property
    def blocks(self) -> int:
        """The number of blocks that the units were put into; 0 if each is drawn separately."""
        return len(self.units) if self.units and self.units[0].startswith(BLOCK_PREFIX) else 0

    @cached_property
    def total(self) -> Column:
        return column_totals(self.matrix)

    @cached_property
    def estimates(self) -> Column:
        """The values of all units together."""
        return self.values(self.total)

    @cached_property
    def left_out(self) -> Column:
        """The values without each unit in turn: a row per unit."""
        return self.values(self.total - self.matrix)

    @cached_property
    def unit_values(self) -> Column:
        """The values of each unit alone: (units, values)."""
        return self.values(self.matrix)

    @cached_property
    def ranges(self) -> Column:
        """The smallest and the largest possible number of each value: (2, values)."""
        ranges = [self.scores[place].measure.range_of(value) for place, value in self.names]
        return np.array([[bounds.low for bounds in ranges], [bounds.high for bounds in ranges]], float)

    @cached_property
    def unit_sizes(self) -> UnitSizes:
        """The share of each unit in each value: (units, values)."""
        sizes = [unit_sizes(part.matrix, part.broadcast_values) for part in self.parts]
        return UnitSizes(*(np.concatenate(arrays, axis=1) for arrays in zip(*sizes, strict=True)))

    def values(self, piles: Column) -> Column:
        """The values of sums of counts with any leading axes: the last axis follows `names`."""
        arrays, start = [], 0
        for part in self.parts:
            end = start + part.matrix.shape[1]
            arrays += part.broadcast_values(piles[..., start:end])
            start = end
        return np.stack(arrays, axis=-1)

    def select(self, places: Sequence[int]) -> Stack:
        """The scores at these indices."""
        parts = [self.parts[place] for place in places]
        matrix = np.concatenate([part.matrix for part in parts], axis=1)
        return Stack([self.scores[place] for place in places], self.units, matrix, parts)

    def replicates(self, draws: int = DRAWS, seed: int = SEED) -> Column:
        """The values of bootstrap replicates: (draws, values)."""
        values = np.empty((draws, len(self.names)))
        start = 0
        for weights in bootstrap_weights(len(self.units), draws, seed):
            values[start : start + len(weights)] = self.values(weights @ self.matrix)
            start += len(weights)
        return values


def common_stack(scores: Sequence[SystemScore], unit: str = "document") -> Stack:
    """The counts of scores by unit, in the order of the units' names; all must have the same units."""
    first, *others = stacks(scores, unit)
    if others:
        raise UsageError(
            f"{others[0].scores[0].system} was scored on other {unit}s than {first.scores[0].system}: "
            "compare systems on the same ones (missing: empty, extra: ignore)"
        )
    return first


def stacks(scores: Sequence[SystemScore], unit: str = "document") -> list[Stack]:
    """A stack for each set of units that the scores have."""
    members_by_units: dict[tuple[str, ...], list[tuple[SystemScore, UnitCounts]]] = {}
    for score in scores:
        part = counts_by_unit(score, unit)
        order = np.array(sorted(range(len(part.units)), key=part.units.__getitem__), np.int64)
        units = tuple(part.units[place] for place in order.tolist())
        members_by_units.setdefault(units, []).append((score, part._replace(units=units, matrix=part.matrix[order])))
    return [
        Stack(
            [score for score, _ in members],
            units,
            np.concatenate([part.matrix for _, part in members], axis=1),
            [part for _, part in members],
        )
        for units, members in members_by_units.items()
    ]


def counts_by_unit(score: SystemScore, unit: str) -> UnitCounts:
    """A score's counts by unit.

    In an average over groups, a group that is drawn twice counts twice, and one that is not drawn does not count.
    """
    check_known([unit], score.rows.attributes, "unit to draw")
    if not score.averaged_over:
        rows = group_into_blocks(score.rows, unit) or group(score.rows, unit)
        return UnitCounts(
            rows.attributes[unit], rows.matrix, lambda piles: score.score_sums(piles, rows.layout).values()
        )
    groups = group(score.rows, score.averaged_over)
    return _nested_counts(score, groups, unit) if unit in groups.attributes else _crossed_counts(score, unit)


def _nested_counts(score: SystemScore, groups: Rows, unit: str) -> UnitCounts:
    """Every group is inside one unit: each unit has the sums of its groups' values and how many are defined."""
    single = replace(score.measure, by="")
    values = np.stack(single.score_counts(groups.counts, score.options), axis=-1)
    defined = ~np.isnan(values)
    units, codes = encode_values(groups.attributes[unit])
    matrix = group_sums(np.concatenate([np.where(defined, values, 0.0), defined], axis=-1), codes, len(units))
    count = values.shape[-1]
    return UnitCounts(units, matrix, lambda piles: np.moveaxis(ratio(piles[..., :count], piles[..., count:]), -1, 0))


def _crossed_counts(score: SystemScore, unit: str) -> UnitCounts:
    """Groups extend over units: every count has another axis for the groups, and so has their presence."""
    units, names, rows = pivot_rows(score.rows, unit, score.averaged_over)
    ones = Rows(score.rows.attributes, np.ones((len(score.rows), 1)), Layout(_Presence, ("rows",), ((),)))
    presence = pivot_rows(ones, unit, score.averaged_over)[2].matrix
    single = replace(score.measure, by="")

    def group_values(piles: Column) -> Iterator[Column]:
        is_present = piles[..., -len(names) :] > 0
        for array in single.score_counts(rows.layout.unflatten(piles[..., : -len(names)]), score.options):
            yield np.where(is_present, array, np.nan)

    def values(piles: Column) -> Iterator[Column]:
        yield from map(mean_of_defined, group_values(piles))

    return UnitCounts(units, np.concatenate([rows.matrix, presence], axis=1), values, group_values, names)


class _Presence(NamedTuple):
    rows: Column


def bootstrap_weights(units: int, draws: int, seed: int) -> Iterator[Column]:
    """How often each unit is drawn, with replacement, in a sample as large as the data; chunk by chunk of draws.

    >>> [weights.sum(axis=1).tolist() for weights in bootstrap_weights(5, 3, seed=1)]
    [[5.0, 5.0, 5.0]]
    """
    generator = np.random.default_rng(seed)
    for size in chunk_sizes(units, draws):
        picked = generator.integers(0, units, (size, units))
        picked += np.arange(0, size * units, units)[:, None]
        yield np.bincount(picked.ravel(), minlength=size * units).reshape(size, units).astype(float)


def swaps(units: int, draws: int, seed: int) -> Iterator[Column]:
    """Which units are exchanged between two systems, 0 or 1; chunk by chunk of draws.

    If there are no more exchanges than draws, each is used once (except the one that exchanges nothing, which is the
    observation).

    >>> [exchanged.tolist() for exchanged in swaps(2, 100, seed=1)]
    [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]
    """
    if is_exact(units, draws):
        numbers = np.arange(1, 2**units)
        yield (numbers[:, None] >> np.arange(units) & 1).astype(float)
        return
    generator = np.random.default_rng(seed)
    for size in chunk_sizes(units, draws):
        bits = np.unpackbits(np.frombuffer(generator.bytes(-(-size * units // 8)), np.uint8), count=size * units)
        yield bits.reshape(size, units).astype(float)


def is_exact(units: int, draws: int) -> bool:
    """Whether all exchanges of units can be tried with this number of draws."""
    return units < 60 and (1 << units) - 1 <= draws


def exchange_number(units: int, draws: int) -> int:
    """The number of exchanges that `swaps` gives."""
    return (1 << units) - 1 if is_exact(units, draws) else draws


def chunk_sizes(units: int, draws: int) -> Iterator[int]:
    size = max(1, CELLS // max(units, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)
