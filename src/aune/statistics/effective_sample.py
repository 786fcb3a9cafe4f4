"""Intervals from an effective number of units: never narrower than the evidence allows.

The standard error of a value (from leaving out each unit in turn) determines how many independent trials the units are
worth. Values with two bounds are put on a scale from 0 to 1:

    effective number = value · (1 − value) / standard error²     for values with two bounds
    effective number = value / standard error²                   for values with one bound, such as error rates

It is reduced by (z/t)², because the standard error is itself estimated, from the informative units: those that
are not at the end of the scale. The interval is that of Clopper and Pearson (or Garwood's for rates) for this number of
trials (Korn and Graubard 1998). Units that are all perfect do not show how much they vary: each of them is then a
single trial, whatever its length. The weight of a unit is its share of the value's denominators (see
`aune.statistics.unit_sizes`), and averages over groups allow for rare ones (see `aune.statistics.group_spread`).
Values without bounds have value ± t · standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.statistics.group_spread import difference_groups, system_groups
from aune.statistics.resampling import Stack

ALIKE = 1e-12  # standard errors below this are zero
FEW_UNITS = 30  # units that differ between two systems, below which percentiles of the difference are too narrow


class Scale(NamedTuple):
    """The bounds of the possible numbers of each value of a stack."""

    low: Column
    high: Column


def scale_of(stack: Stack) -> Scale:
    """The smallest and the largest possible value of each column."""
    return Scale(*stack.ranges)


def standard_error(left_out: Column) -> Column:
    """The standard error from the values without each unit in turn."""
    units = len(left_out)
    return np.asarray(np.sqrt((units - 1) / units * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)))


def effective(stack: Stack, level: float, draws: int = 0, seed: int = 0) -> Column:
    """The interval of each value from its effective number of units: (2, values)."""
    scale, error = scale_of(stack), standard_error(stack.left_out)
    units, unit_values = unit_numbers(stack), stack.unit_values
    defined = ~np.isnan(unit_values) & stack.unit_sizes.is_part
    off_low = (defined & (unit_values > scale.low + ALIKE)).sum(axis=0)
    off_high = (defined & (unit_values < scale.high - ALIKE)).sum(axis=0)
    telling = np.minimum(np.minimum(off_low, off_high), len(stack.units) - 1)
    freedom = np.maximum(telling * units / len(stack.units), 1)  # large units count for more than small ones
    groups = system_groups(stack, scale.low, scale.high)
    error = np.sqrt(error**2 + np.where(error > ALIKE, groups.variance, 0.0))
    freedom = np.maximum(np.minimum(freedom, groups.freedom), 1)
    return interval_of_error(
        scale, stack.estimates, error, units, freedom, student_quantile(len(stack.units) - 1, level), level
    )


def interval_of_error(
    scale: Scale, estimates: Column, error: Column, units: Column, freedom: Column, quantile: Column, level: float
) -> Column:
    """The interval of values with these standard errors and degrees of freedom: (2, values).

    A value is worth at least as many trials as there are units, unless the error contradicts; `quantile` is that of t,
    for values without bounds.
    """
    shrink = (normal_quantile(level) / student_quantile(freedom, level)) ** 2
    bounds = np.full((2, len(estimates)), np.nan)
    two_ends, only_low, only_high = _kinds(scale)
    low, width = np.where(two_ends, scale.low, 0.0), np.where(two_ends, scale.high - scale.low, 1.0)
    share = proportion_interval((estimates - low) / width, error / width, units, shrink, level)
    bounds = np.where(two_ends, low + width * share, bounds)
    distance = np.where(only_low, estimates - scale.low, np.where(only_high, scale.high - estimates, np.nan))
    rate = rate_interval(distance, error, units, shrink, level)
    bounds = np.where(only_low, scale.low + rate, bounds)
    bounds = np.where(only_high, (scale.high - rate)[::-1], bounds)
    plain = estimates + np.array([[-1], [1]]) * quantile * error
    return np.where(~two_ends & ~only_low & ~only_high & (error > ALIKE), plain, bounds)


def _kinds(scale: Scale) -> tuple[Column, Column, Column]:
    """Which values have two bounds, only a lower one, only an upper one."""
    has_low, has_high = np.isfinite(scale.low), np.isfinite(scale.high)
    return has_low & has_high, has_low & ~has_high, ~has_low & has_high


def proportion_interval(share: Column, error: Column, units: Column, shrink: Column, level: float) -> Column:
    """The interval of Clopper and Pearson for the effective number of trials; (2, values)."""
    from scipy import special  # noqa: PLC0415 - slow to import

    trials = _trials(share * (1 - share), error, units, shrink)
    hits, tail = share * trials, (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > ALIKE, special.betaincinv(np.maximum(hits, ALIKE), trials - hits + 1, tail), 0.0)
        misses = np.maximum(trials - hits, ALIKE)
        high = np.where(trials - hits > ALIKE, special.betaincinv(hits + 1, misses, 1 - tail), 1.0)
    bounds = np.stack([low, high])
    inner = (error <= ALIKE) & (share > ALIKE) & (share < 1 - ALIKE)  # all units are equal, but not at an end
    unseen = unseen_share(units, level)
    return np.where(inner, np.stack([share * (1 - unseen), share + (1 - share) * unseen]), bounds)


def rate_interval(rate: Column, error: Column, units: Column, shrink: Column, level: float) -> Column:
    """The exact interval of a Poisson rate for the effective exposure; (2, values)."""
    from scipy import special  # noqa: PLC0415 - slow to import

    exposure = _trials(rate, error, units, shrink)
    events, tail = rate * exposure, (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(events > ALIKE, special.gammaincinv(np.maximum(events, ALIKE), tail), 0.0) / exposure
        high = special.gammaincinv(events + 1, 1 - tail) / exposure
    unseen = unseen_share(units, level)
    alike = np.stack([rate * (1 - unseen), rate + np.maximum(1 - rate, rate) * unseen])
    return np.where((error <= ALIKE) & (rate > ALIKE), alike, np.stack([low, high]))


class DifferenceSpread(NamedTuple):
    """The spread of the difference of two systems over units, an entry per value."""

    observed: Column
    error: Column
    """The standard error; 0 if no unit shows how much the difference varies."""
    freedom: Column
    """The degrees of freedom of the error: at most the number of units on which the two systems differ."""
    width: Column
    """The largest possible difference; NaN if there is none."""
    units: Column
    """The number of units of equal size that the units are worth."""
    share_differing: Column
    """The share of units on which the two systems differ, among those that count in the value."""
    telling: Column
    """The units that show how much the difference varies; 0 if none does for a group of an average."""


def difference_spread(
    terms: Sequence[tuple[float, Stack]],
    observed: Column,
    left_out: Column,
    differing: Column,
    *,
    trial: Column | None = None,
) -> DifferenceSpread:
    """The spread of a difference, from its values without each unit in turn and the number of units that differ.

    `terms` are the stacks of the difference, with their weights. The number of units is that of the stack where it is
    smallest, so that the interval of a difference is the mirror image of that of the opposite difference. `trial`
    is the variance of one trial of a group of an average; by default that of units of which as many differ as here.
    """
    stacks = [stack for _, stack in terms]
    low, high = scale_of(stacks[0])
    width = np.where(np.isfinite(low) & np.isfinite(high), high - low, 1.0)
    width = np.where(np.isfinite(low) | np.isfinite(high), np.maximum(width, np.abs(observed)), np.nan)
    units = np.min([unit_numbers(stack) for stack in stacks], axis=0)
    number = np.maximum(np.any([stack.unit_sizes.is_part for stack in stacks], axis=0).sum(axis=0), 1)
    share_differing = np.minimum(differing / number, 1)
    usual_trial = np.nan_to_num(share_differing * width**2)
    groups = difference_groups(terms, usual_trial if trial is None else trial)
    error = standard_error(left_out)
    error = np.sqrt(error**2 + np.where(error > ALIKE, groups.variance, 0.0))
    freedom = np.minimum(np.minimum(differing, number - 1) * units / number, groups.freedom)
    telling = np.where(groups.variance > 0, 0, np.minimum(differing, groups.freedom))
    return DifferenceSpread(observed, error, np.maximum(freedom, 1), width, units, share_differing, telling)


def difference_interval(spread: DifferenceSpread, level: float) -> Column:
    """The interval of the difference of two systems, from its standard error; (2, values).

    The difference is at most the largest share of units that may differ.
    """
    observed, error, width, units = spread.observed, spread.error, spread.width, spread.units
    signs = np.array([[-1], [1]])
    reach = width * proportion_interval(spread.share_differing, 0 * error, units, 1 + 0 * error, level)[1]
    reach = np.fmax(np.where(np.isnan(reach), np.inf, reach), np.abs(observed))
    bounds = np.clip(observed + signs * student_quantile(spread.freedom, level) * error, -reach, reach)
    alike = observed + signs * unseen_share(units, level) * (width - signs * observed)
    return np.asarray(np.where(error > ALIKE, bounds, alike))


def _trials(spread: Column, error: Column, units: Column, shrink: Column) -> Column:
    """The effective number of trials, if one trial has the variance `spread`."""
    varies = error > ALIKE
    count = np.maximum(units, 2)
    raw = np.where(varies, spread / np.where(varies, error, 1.0) ** 2, np.inf)
    least = np.minimum(units, raw * count / (count - 1))  # the jackknife divides by one unit less
    return np.where(varies, np.maximum(raw * shrink, least), units)


def unseen_share(units: Column, level: float) -> Column:
    """The largest share of units that may differ if none of this many does."""
    return np.asarray(1 - ((1 - level) / 2) ** (1 / np.maximum(units, 1)))


def unit_numbers(stack: Stack) -> Column:
    """The number of units of equal size that the units of each value are worth."""
    return stack.unit_sizes.number


def normal_quantile(level: float) -> float:
    from scipy import special  # noqa: PLC0415 - slow to import

    return float(special.ndtri((1 + level) / 2))


def student_quantile(freedom: Column | int, level: float) -> Column:
    """The quantile of Student's t at the upper end of an interval."""
    from scipy import special  # noqa: PLC0415 - slow to import

    return np.asarray(special.stdtrit(freedom, (1 + level) / 2))
