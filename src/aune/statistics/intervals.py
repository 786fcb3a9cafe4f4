"""Confidence intervals on every value of every score.

Four ways, all from the counts per unit (a document, unless said otherwise):

- `percentile`: the middle of the values of bootstrap replicates;
- `bca`: the same, corrected for bias and for a spread that depends on the value (Efron 1987);
- `jackknife`: the value ± t · its standard error from leaving out each unit in turn;
- `delta`: the value ± z · its standard error from how much each unit weighs in it (the non-parametric delta method,
  Davison and Hinkley 1997, as in the GRACE campaign).

`auto` is percentile, and jackknife for the measures that resampling would bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from aune.core.errors import UsageError
from aune.core.groups import grouped
from aune.core.measure import Column
from aune.core.options import MOST_DRAWS, check_known
from aune.core.result import Interval, Result, Scored
from aune.core.rows import Attribute
from aune.core.signature import Signature
from aune.statistics.resampling import DIGITS, DRAWS, SEED, Stack, stacks

Method: TypeAlias = Literal["auto", "percentile", "bca", "jackknife", "delta"]
FEW = 20  # units below which a user is told that everything is rough
AUTO = "auto"
"""Documents are drawn, or their parts where there are fewer than `FEWEST`."""
DRAWN = ("document", "sentence", "utterance")
FEWEST = 5
PARTS = ("story", "speaker", "utterance", "sentence")  # what else can be drawn; labels and the like are no sample
STEP = 0.1  # how much of the weight of a unit the delta method moves


def with_intervals(
    result: Result,
    method: Method = "auto",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
    unit: str = AUTO,
) -> Result:
    """The result with an interval for every value; the signatures say how it was made.

    `unit` is what is drawn: an attribute, or auto (documents, or their sentences or utterances where there are fewer
    than five).

    >>> from aune import score
    >>> key, response = {"a": [{1, 2, 3}], "b": [{1, 2}]}, {"a": [{1, 2}, {3}], "b": [{1, 2}]}
    >>> found = with_intervals(score("coref", key, response, measures=["muc"]), draws=1000)
    >>> found["muc"].intervals["recall"]
    (0.5, 1.0)
    """
    check_known([method], METHODS, "kind of interval")
    check_settings(level, draws, seed)
    unit = unit_drawn(result.scores, unit)
    found: dict[int, Scored] = {}
    warnings: dict[str, None] = {}
    for chosen, scores in grouped((method_for(score, method), score) for score in result.scores).items():
        used = {"ci": chosen, "level": f"{level:g}", "unit": unit}
        used |= {"draws": str(draws), "seed": str(seed)} if chosen in RESAMPLING else {}
        for stack in stacks(scores, unit):
            warnings |= dict.fromkeys(few_units(stack.scores[0], len(stack.units), unit))
            bounds = interval_of(stack, chosen, level, draws, seed)
            drawn = {**used, "blocks": str(stack.blocks)} if stack.blocks else used
            for score, intervals in zip(stack.scores, bounds, strict=True):
                found[id(score)] = replace(score, intervals=intervals, signature=extended(score.signature, drawn))
    scores = [found[id(score)] for score in result.scores]
    return replace(result, scores=scores, warnings=[*result.warnings, *warnings])


def interval_of(stack: Stack, method: str, level: float, draws: int, seed: int) -> list[dict[str, Interval | None]]:
    """For each score of the stack, the interval of each value; None where there is none."""
    if len(stack.units) < 2:
        bounds = np.full((2, len(stack.names)), np.nan)
    else:
        bounds = METHODS[method](stack, level, draws, seed)
    bounds = np.where(np.isnan(stack.estimates), np.nan, bounds)
    found: list[dict[str, Interval | None]] = [{} for _ in stack.scores]
    for (place, value), (low, high) in zip(stack.names, np.round(bounds, DIGITS).T.tolist(), strict=True):
        found[place][value] = None if np.isnan(low + high) else (low, high)
    return found


def method_for(score: Scored, method: str) -> str:
    """The method that a score gets: the one asked for, or a refusal where it would be biased."""
    if method == "auto":
        return "percentile" if score.measure.bootstrap else "jackknife"
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
    from scipy import special  # noqa: PLC0415 - slow to import, and not for percentiles

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
    """How fast the standard error changes with the value, from the values without each unit."""
    spread = left_out.mean(axis=0) - left_out
    below = 6 * ((spread**2).sum(axis=0)) ** 1.5
    return np.where(below == 0, 0.0, (spread**3).sum(axis=0) / np.where(below == 0, 1.0, below))


def jackknife(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The value ± t · standard error, with one degree of freedom less than units."""
    from scipy import special  # noqa: PLC0415 - slow to import, and not for percentiles

    quantile = special.stdtrit(len(stack.units) - 1, tails(level))
    return np.asarray(stack.estimates + quantile[:, None] * jackknife_error(stack.left_out))


def jackknife_error(left_out: Column) -> Column:
    """The standard error from the values without each unit in turn."""
    units = len(left_out)
    return np.asarray(np.sqrt((units - 1) / units * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)))


def delta(stack: Stack, level: float, draws: int, seed: int) -> Column:
    """The value ± z · standard error, from the influence of each unit."""
    from scipy import special  # noqa: PLC0415 - slow to import, and not for percentiles

    error = np.sqrt((influences(stack) ** 2).sum(axis=0)) / len(stack.units)
    return np.asarray(stack.estimates + special.ndtri(tails(level))[:, None] * error)


def influences(stack: Stack) -> Column:
    """How fast each value moves when weight is moved to each unit: (units, values)."""
    units = len(stack.units)
    step = STEP / units
    move = step * (units * stack.matrix - stack.total)
    return np.asarray((stack.values(stack.total + move) - stack.values(stack.total - move)) / (2 * step))


METHODS: Mapping[str, Callable[[Stack, float, int, int], Column]] = {
    "auto": percentile,
    "percentile": percentile,
    "bca": bca,
    "jackknife": jackknife,
    "delta": delta,
}
RESAMPLING = ("percentile", "bca")


def quantiles(replicates: Column, levels: Column) -> Column:
    """The quantiles of each column, leaving undefined replicates out; NaN where most are undefined."""
    undefined = np.isnan(replicates).any(axis=0)
    found = np.full((len(levels), replicates.shape[1]), np.nan)
    found[:, ~undefined] = np.quantile(replicates[:, ~undefined], levels, axis=0)
    for place in np.flatnonzero(undefined):
        found[:, place] = _column_quantiles(replicates[:, place], levels)
    return found


def _column_quantiles(column: Column, levels: Column) -> Column:
    defined = column[~np.isnan(column)]
    if 2 * len(defined) < len(column) or np.isnan(levels).any():
        return np.full(len(levels), np.nan)
    return np.quantile(defined, levels)


def tails(level: float) -> Column:
    """The two levels between which an interval lies."""
    return np.array([(1 - level) / 2, (1 + level) / 2])


def check_settings(level: float, draws: int, seed: int) -> None:
    """Refuse what no interval or test can be made with."""
    if not 0 < level < 1:
        raise UsageError(f"level {level:g}: expected a number between 0 and 1, such as 0.95")
    if not 1 <= draws <= MOST_DRAWS:
        raise UsageError(f"draws {draws}: expected a number from 1 to {MOST_DRAWS:,}")
    if seed < 0:
        raise UsageError(f"seed {seed}: expected 0 or more")


def extended(signature: Signature, used: Mapping[str, str]) -> Signature:
    return signature._replace(options={**signature.options, **used})


def unit_drawn(scores: Sequence[Scored], unit: str = AUTO) -> str:
    """The unit that was asked for; or the first of `DRAWN` of which there are enough, else the one with most."""
    if unit != AUTO:
        return unit
    for name in DRAWN:
        if all(has_units(score, name, FEWEST) for score in scores):
            return name
    return max(DRAWN, key=lambda name: min(units_of(score, name) for score in scores))


def has_units(score: Scored, unit: str, number: int) -> bool:
    """Whether the rows of a score have so many units of a kind; millions of rows are not all looked at for that."""
    names = score.rows.attributes.get(unit, ())
    return names.holds(number) if isinstance(names, Attribute) else len(set(names)) >= number


def units_of(score: Scored, unit: str) -> int:
    """How many units of a kind the rows of a score have."""
    names = score.rows.attributes.get(unit, ())
    return names.distinct if isinstance(names, Attribute) else len(set(names))


def few_units(score: Scored, units: int, unit: str) -> Sequence[str]:
    """What to tell a user who has few units to learn from, and which others there would be."""
    if units >= FEW:
        return []
    sizes = {name: units_of(score, name) for name in PARTS if name != unit}
    finer = [name for name, size in sizes.items() if size >= FEW]
    hint = f" (there are others to draw: --unit {', '.join(finer)})" if finer else ""
    if units == 1:
        return [f"one {unit} only: nothing can be said about how sure the scores are{hint}"]
    return [f"only {units} {unit}s: intervals and tests are rough below about {FEW}{hint}"]
