"""Confidence intervals on every value of every score.

Five methods, all from the counts per unit (see `aune.statistics.sampling_units`):

- `effective`: from the effective number of units, also for few units and near the ends of a scale (see
  `aune.statistics.effective_sample`);
- `percentile`: the middle of the values of bootstrap replicates;
- `bca`: the same, corrected for bias and for a spread that depends on the value (Efron 1987);
- `jackknife`: the value ± t · its standard error from leaving out each unit in turn;
- `delta`: the value ± z · its standard error from the influence of each unit (the non-parametric delta method,
  Davison and Hinkley 1997, as in the GRACE campaign).

`auto` is effective: in simulations only this method reaches its nominal coverage (`benchmarks/coverage.py`). If another
method gives an interval of zero width, because all units are equal, the interval is that of `effective`. Intervals
from a standard error are cut at the bounds of the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from aune.contract.measure import Column
from aune.contract.options import MOST_DRAWS, check_known
from aune.contract.signature import Signature
from aune.errors import UsageError
from aune.numeric.grouping import group_items
from aune.results.result import Interval, Result, SystemScore
from aune.statistics.effective_sample import ALIKE, effective, scale_of, standard_error
from aune.statistics.resampling import DIGITS, DRAWS, SEED, Stack, stacks
from aune.statistics.sampling_units import AUTO, SamplingUnit, sampling_unit

Method: TypeAlias = Literal["auto", "effective", "percentile", "bca", "jackknife", "delta"]
DELTA_STEP = 0.1  # the share of a unit's weight that the delta method moves


def with_intervals(
    result: Result,
    method: Method = "auto",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
    few_units: int | None = None,
) -> Result:
    """The result with an interval for every value; the signatures record the method.

    `unit` is the unit to draw: an attribute, or auto (see `aune.statistics.sampling_units`). `few_units` is used by
    leaderboards of older versions: their automatic method was the percentile, and with fewer units the jackknife.

    >>> from aune import score
    >>> key = {str(n): [{1, 2, 3}] for n in range(30)}
    >>> response = {name: [{1, 2}, {3}] if name < "2" else chains for name, chains in key.items()}
    >>> result = with_intervals(score("coref", key, response, measures=["muc"]))
    >>> result["muc"].intervals["recall"]
    (0.6796845687, 0.8904797557)
    """
    check_known([method], METHODS, "kind of interval")
    check_settings(level, draws, seed)
    sampled = sampling_unit(result, unit)
    by_score: dict[int, SystemScore] = {}
    warnings: dict[str, None] = {}
    for stack in stacks(result.scores, sampled.name):
        units = len(stack.units)
        warnings |= dict.fromkeys(sampled.warnings(stack.scores[0], units))
        places = group_items((method_for(score, method, units, few_units), n) for n, score in enumerate(stack.scores))
        for chosen, members in places.items():
            part = stack.select(members)
            settings = _interval_settings(chosen, sampled, stack, level, draws, seed)
            bounds = interval_bounds(part, chosen, level, draws, seed, widen=few_units is None)
            warnings |= dict.fromkeys(_alike_warnings(part, bounds, sampled.name) if few_units is None else [])
            for score, intervals in zip(part.scores, _by_score(part, bounds), strict=True):
                by_score[id(score)] = replace(
                    score, intervals=intervals, signature=extend_signature(score.signature, settings)
                )
    scores = [by_score[id(score)] for score in result.scores]
    return replace(result, scores=scores, warnings=[*result.warnings, *warnings])


def _interval_settings(
    method: str, sampled: SamplingUnit, stack: Stack, level: float, draws: int, seed: int
) -> dict[str, str]:
    """The part of the signature about an interval."""
    settings = {"ci": method, "level": f"{level:g}", "unit": sampled.name}
    settings |= {"draws": str(draws), "seed": str(seed)} if method in RESAMPLING else {}
    settings |= {"blocks": str(stack.blocks)} if stack.blocks else {}
    return settings | sampled.marks(len(stack.units))


def interval_bounds(stack: Stack, method: str, level: float, draws: int, seed: int, *, widen: bool = True) -> Column:
    """The interval of each value of the stack, NaN if there is none: (2, values).

    `widen` gives the interval of `effective` to values whose units are all equal.
    """
    if len(stack.units) < 2:
        return np.full((2, len(stack.names)), np.nan)
    bounds = METHODS[method](stack, level, draws, seed)
    bounds = np.where(np.isnan(stack.estimates), np.nan, bounds)
    if method in BY_ERROR:
        low, high = scale_of(stack)
        bounds = np.clip(bounds, np.fmin(low, stack.estimates), np.fmax(high, stack.estimates))
    if widen and method != "effective" and (without_width := bounds[1] - bounds[0] <= ALIKE).any():
        bounds = np.where(without_width, effective(stack, level), bounds)
    return np.round(bounds, DIGITS)


def _by_score(stack: Stack, bounds: Column) -> list[dict[str, Interval | None]]:
    """For each score of the stack, the interval of each value; None if there is none."""
    intervals: list[dict[str, Interval | None]] = [{} for _ in stack.scores]
    for (place, value), (low, high) in zip(stack.names, bounds.T.tolist(), strict=True):
        intervals[place][value] = None if np.isnan(low + high) else (low, high)
    return intervals


def _alike_warnings(stack: Stack, bounds: Column, unit: str) -> list[str]:
    """The reason why unbounded values have no interval: their units do not differ."""
    missing = np.isnan(bounds).any(axis=0) & ~np.isnan(stack.estimates) & (len(stack.units) > 1)
    warnings = []
    for number in np.flatnonzero(missing).tolist():
        place, value = stack.names[number]
        score = stack.scores[place]
        one_matters = np.isnan(stack.left_out[:, number]).any()
        reason = (
            f"it is undefined without one of the {unit}s"
            if one_matters
            else f"the {len(stack.units):,} {unit}s do not differ, and the measure has no end to bound it"
        )
        warnings.append(f"{score.system}: {score.measure.short}.{value} has no interval: {reason}")
    return warnings


def method_for(score: SystemScore, method: str, units: int, few_units: int | None) -> str:
    """The method for a score: the requested one, or an error if it would be biased."""
    if method == "auto" and few_units is None:
        return "effective"
    if method == "auto":
        return "percentile" if score.measure.bootstrap and units >= (few_units or 0) else "jackknife"
    if method in RESAMPLING and not score.measure.bootstrap:
        raise UsageError(
            f"{score.name}: resampling would bias it, so it has no {method} interval: use jackknife, delta or auto"
        )
    return method


def percentile(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The quantiles of the replicates; (2, values)."""
    return quantiles(stack.replicates(draws, seed), tails(level))


def bca(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The quantiles of the replicates, at levels corrected for bias and acceleration."""
    from scipy import special  # noqa: PLC0415 - slow to import, and not needed for percentiles

    replicates, estimates = stack.replicates(draws, seed), stack.estimates
    defined = ~np.isnan(replicates)
    tolerance = 1e-12
    below = (defined & (replicates < estimates - tolerance)).sum(axis=0)
    tied = (defined & (np.abs(replicates - estimates) <= tolerance)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        bias = special.ndtri((below + tied / 2) / defined.sum(axis=0))
        corrected = bias + special.ndtri(tails(level))[:, None]
        levels = special.ndtr(bias + corrected / (1 - acceleration(stack.left_out) * corrected))
    return np.stack([_column_quantiles(column, levels[:, place]) for place, column in enumerate(replicates.T)], axis=1)


def acceleration(left_out: Column) -> Column:
    """The acceleration: how the standard error changes with the value, from the values without each unit."""
    spread = left_out.mean(axis=0) - left_out
    below = 6 * ((spread**2).sum(axis=0)) ** 1.5
    return np.where(below == 0, 0.0, (spread**3).sum(axis=0) / np.where(below == 0, 1.0, below))


def jackknife(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The value ± t · standard error, with one degree of freedom less than units."""
    from scipy import special  # noqa: PLC0415 - slow to import, and not needed for percentiles

    quantile = special.stdtrit(len(stack.units) - 1, tails(level))
    return np.asarray(stack.estimates + quantile[:, None] * standard_error(stack.left_out))


def delta(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The value ± z · standard error, from the influence of each unit."""
    from scipy import special  # noqa: PLC0415 - slow to import, and not needed for percentiles

    error = np.sqrt((influences(stack) ** 2).sum(axis=0)) / len(stack.units)
    return np.asarray(stack.estimates + special.ndtri(tails(level))[:, None] * error)


def influences(stack: Stack) -> Column:
    """The change of each value when weight is moved to each unit: (units, values)."""
    units = len(stack.units)
    step = DELTA_STEP / units
    move = step * (units * stack.matrix - stack.total)
    return np.asarray((stack.values(stack.total + move) - stack.values(stack.total - move)) / (2 * step))


METHODS: Mapping[str, Callable[[Stack, float, int, int], Column]] = {
    "auto": effective,
    "effective": effective,
    "percentile": percentile,
    "bca": bca,
    "jackknife": jackknife,
    "delta": delta,
}
RESAMPLING = ("percentile", "bca")
BY_ERROR = ("jackknife", "delta")
"""The methods that add a standard error, which may exceed the possible values of a measure."""


def quantiles(replicates: Column, levels: Column) -> Column:
    """The quantiles of each column without undefined replicates; NaN if most are undefined."""
    undefined = np.isnan(replicates).any(axis=0)
    values = np.full((len(levels), replicates.shape[1]), np.nan)
    values[:, ~undefined] = np.quantile(replicates[:, ~undefined], levels, axis=0)
    for place in np.flatnonzero(undefined):
        values[:, place] = _column_quantiles(replicates[:, place], levels)
    return values


def _column_quantiles(column: Column, levels: Column) -> Column:
    defined = column[~np.isnan(column)]
    if 2 * len(defined) < len(column) or np.isnan(levels).any():
        return np.full(len(levels), np.nan)
    return np.quantile(defined, levels)


def tails(level: float) -> Column:
    """The lower and the upper level of an interval."""
    return np.array([(1 - level) / 2, (1 + level) / 2])


def check_settings(level: float, draws: int, seed: int) -> None:
    """Refuse settings with which no interval or test can be computed."""
    if not 0 < level < 1:
        raise UsageError(f"level {level:g}: expected a number between 0 and 1, such as 0.95")
    if not 1 <= draws <= MOST_DRAWS:
        raise UsageError(f"draws {draws}: expected a number from 1 to {MOST_DRAWS:,}")
    if seed < 0:
        raise UsageError(f"seed {seed}: expected 0 or more")


def extend_signature(signature: Signature, used: Mapping[str, str]) -> Signature:
    return signature._replace(options={**signature.options, **used})
