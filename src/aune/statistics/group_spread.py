"""The variation of an average over groups beyond what its units show: few samples contain an error on a rare label.

The groups of an average, such as labels, extend over units, have equal weights, and may be rare. Units in which a rare
group is always right contain no evidence on its errors, and the standard error of the average, which is due to the
frequent groups, ignores them. If no unit shows how much a group varies, each of its units counts as one trial, with the
average's value. A variance that is due to few units has few degrees of freedom (Satterthwaite 1946).

A term is a stack with its weight: a single system has one term, a difference also has terms with negative weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.statistics.resampling import Stack, UnitCounts
from aune.statistics.unit_sizes import UnitSizes, unit_sizes

ALIKE = 1e-12

IsTelling = Callable[[Column, Column], Column]
"""From the values of units alone, (units, groups), and the index of a value: which units show how much units vary."""


class GroupSpread(NamedTuple):
    """The contribution of groups to the spread of each value; an entry per value."""

    variance: Column
    """The variance that no unit shows."""
    freedom: Column
    """The degrees of freedom of the whole variance; infinite if groups do not limit it."""


class _PartSpread(NamedTuple):
    """The same for one measure, by group: (values, groups)."""

    shown: Column
    hidden: Column
    freedom: Column
    number: Column
    """The number of groups, by value."""


def system_groups(stack: Stack, low: Column, high: Column) -> GroupSpread:
    """The contribution of groups to the spread of a system's values; `low` and `high` are the bounds of the values."""

    def is_telling(alone: Column, places: Column) -> Column:
        return np.stack([alone > low[places, None] + ALIKE, alone < high[places, None] - ALIKE])

    return _group_spread([(1.0, stack)], trial_variance(stack.estimates, low, high), is_telling)


def difference_groups(terms: Sequence[tuple[float, Stack]], trial: Column) -> GroupSpread:
    """The contribution of groups to the spread of a difference; `trial` is the variance of one trial."""

    def is_telling(alone: Column, places: Column) -> Column:
        return (np.abs(alone) > ALIKE)[None]

    return _group_spread(terms, trial, is_telling)


def _group_spread(terms: Sequence[tuple[float, Stack]], trial: Column, is_telling: IsTelling) -> GroupSpread:
    """The contribution of groups to the spread of the sum of terms; `trial` is the variance of one trial."""
    first = terms[0][1]
    variance, freedom = np.zeros(len(first.names)), np.full(len(first.names), np.inf)
    start = 0
    for place, score in enumerate(first.scores):
        end = start + len(score.measure.values)
        if first.parts[place].groups:
            places = np.arange(start, end)
            parts = [(weight, stack.parts[place]) for weight, stack in terms]
            variance[places], freedom[places] = _combine_groups(_part_spread(parts, trial[places], places, is_telling))
        start = end
    return GroupSpread(variance, freedom)


def _combine_groups(spread: _PartSpread) -> tuple[Column, Column]:
    """The variance of the average that no unit shows, and the degrees of freedom of the whole variance."""
    below = (spread.shown**2 / spread.freedom).sum(axis=-1)
    total = (spread.shown + spread.hidden).sum(axis=-1)
    freedom = np.where(below > 0, total**2 / np.where(below > 0, below, 1.0), np.inf)
    return spread.hidden.sum(axis=-1) / spread.number**2, freedom


def _part_spread(
    parts: Sequence[tuple[float, UnitCounts]], trial: Column, places: Column, is_telling: IsTelling
) -> _PartSpread:
    """The spread of each group of one measure."""
    names = list(dict.fromkeys(name for _, part in parts for name in part.groups))
    units = len(parts[0][1].units)
    totals = [part.matrix.sum(axis=0) for _, part in parts]
    whole = _sum_of_terms(parts, totals, names)
    left_out = _sum_of_terms(
        parts, [total - part.matrix for total, (_, part) in zip(totals, parts, strict=True)], names
    )
    alone = _sum_of_terms(parts, [part.matrix for _, part in parts], names)
    left_out = np.where(np.isnan(left_out), whole, left_out)
    shown = (units - 1) / units * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    shape = alone.shape
    sizes = [_group_sizes(part, names) for _, part in parts]
    numbers = np.min([size.number.reshape(shape[1:]) for size in sizes], axis=0)
    is_part = np.any([size.is_part.reshape(shape) for size in sizes], axis=0) & ~np.isnan(alone)
    telling = (is_telling(alone, places) & is_part).sum(axis=1).min(axis=0)
    present = np.maximum(is_part.sum(axis=0), 1)
    freedom = np.maximum(np.minimum(telling, present - 1) * numbers / present, 1)
    defined = ~np.isnan(whole)
    hidden = np.where(defined & (shown <= ALIKE**2), trial[:, None] / np.maximum(numbers, 1), 0.0)
    return _PartSpread(np.where(defined, shown, 0.0), hidden, freedom, np.maximum(defined.sum(axis=-1), 1))


def _sum_of_terms(parts: Sequence[tuple[float, UnitCounts]], piles: Sequence[Column], names: Sequence[str]) -> Column:
    """The values of groups, weighted and added up: (…, values, groups)."""
    return np.asarray(
        sum(weight * _group_array(part, pile, names) for (weight, part), pile in zip(parts, piles, strict=True))
    )


def _group_array(part: UnitCounts, piles: Column, names: Sequence[str]) -> Column:
    """The values of groups in the order of their names, NaN for groups that a part lacks: (…, values, groups)."""
    assert part.group_values is not None
    array = np.stack([*part.group_values(piles)], axis=-2)
    aligned = np.full((*array.shape[:-1], len(names)), np.nan)
    aligned[..., [names.index(name) for name in part.groups]] = array
    return aligned


def _group_sizes(part: UnitCounts, names: Sequence[str]) -> UnitSizes:
    """The share of each unit in each group's values: (units, values · groups)."""

    def flat_values(piles: Column) -> Iterable[Column]:
        array = _group_array(part, piles, names)
        return np.moveaxis(array.reshape(*array.shape[:-2], -1), -1, 0)

    return unit_sizes(part.matrix, flat_values)


def trial_variance(estimates: Column, low: Column, high: Column) -> Column:
    """The variance of one trial with these values; 0 for values without bounds."""
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    with np.errstate(invalid="ignore"):
        product = (estimates - low) * (high - estimates)
        distance = np.where(has_low, estimates - low, np.where(has_high, high - estimates, 0.0))
    return np.nan_to_num(np.where(has_low & has_high, product, distance))
