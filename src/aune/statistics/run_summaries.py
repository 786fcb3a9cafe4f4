"""Systems with several runs: the mean of their values, the spread of runs, and the documents that vary with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.results.result import Interval, Result, plain_value
from aune.statistics.contrasts import SystemRuns, systems_with_runs
from aune.statistics.effective_sample import ALIKE, effective, interval_of_error, scale_of, student_quantile
from aune.statistics.group_spread import system_groups
from aune.statistics.paired_tests import TOLERANCE
from aune.statistics.resampling import DIGITS
from aune.statistics.sampling_units import AUTO, sampling_unit

MOST_UNITS = 10
"""How many of the units that vary most are listed."""


class RunSummary(NamedTuple):
    """One value of one measure over the runs of a system."""

    measure: str
    value: str
    system: str
    runs: int
    mean: float | None
    sd: float | None
    """The standard deviation of the runs (n − 1), as papers give it; None for a single run."""
    least: float | None
    most: float | None
    ci: Interval | None
    """The interval of the mean, over texts and runs."""
    text_share: float | None
    """The share of texts in the variance of the mean; the rest is due to the runs."""
    units: int
    changing: int
    """The units whose value changes from run to run."""


class ChangingUnit(NamedTuple):
    """A unit whose value changes from run to run."""

    measure: str
    value: str
    system: str
    unit: str
    least: float
    most: float
    sd: float


def summarise_runs(result: Result, *, level: float = 0.95, unit: str = AUTO) -> list[RunSummary]:
    """The mean, the standard deviation and the interval of every value of every system.

    >>> from aune import Runs, evaluate
    >>> key = {str(n): [{1, 2}, {3, 4}] for n in range(9)}
    >>> good, bad = key, {name: [{1, 2}, {3}, {4}] for name in key}
    >>> [summary] = summarise_runs(evaluate("coref", key, {"A": Runs([good, bad])}, measures=["muc"]))[:1]
    >>> summary.mean, round(summary.sd, 4), summary.runs, summary.changing
    (0.75, 0.3536, 2, 9)
    """
    name = sampling_unit(result, unit).name
    return [entry for system in systems_with_runs(result, name) for entry in _summaries(system, level)]


def _summaries(system: SystemRuns, level: float) -> list[RunSummary]:
    values = np.stack([stack.estimates for stack in system.stacks])
    several = system.number > 1
    bounds = _bounds(system, level)
    text_variance, total = system.text_variance, system.variance
    changing = (_unit_spread(system) > TOLERANCE).sum(axis=0)
    return [
        RunSummary(
            system.first.scores[score].name, value, system.name, system.number,
            _round_value(values[:, place].mean()),
            _round_value(values[:, place].std(ddof=1)) if several else None,
            _round_value(values[:, place].min()), _round_value(values[:, place].max()),
            None if np.isnan(bounds[:, place]).any() else (float(bounds[0, place]), float(bounds[1, place])),
            _round_value(text_variance[place] / total[place]) if several and total[place] > 0 else None,
            len(system.first.units), int(changing[place]),
        )
        for place, (score, value) in enumerate(system.first.names)
    ]  # fmt: skip


def _bounds(system: SystemRuns, level: float) -> Column:
    """The interval of each mean: (2, values)."""
    first = system.first
    if len(first.units) < 2:
        return np.full((2, len(first.names)), np.nan)
    alike = effective(first, level)
    if system.number == 1:
        return np.round(alike, DIGITS)
    groups = system_groups(first, *scale_of(first))
    error, freedom = np.sqrt(system.variance + groups.variance), np.minimum(system.freedom(), groups.freedom)
    mean = np.mean([stack.estimates for stack in system.stacks], axis=0)
    least_units = np.full_like(mean, 2.0)
    bounds = interval_of_error(
        scale_of(first), mean, error, least_units, freedom, student_quantile(freedom, level), level
    )
    return np.round(np.where(system.variance > ALIKE**2, bounds, alike), DIGITS)


def _unit_spread(system: SystemRuns) -> Column:
    """The standard deviation over runs of each unit's value: (units, values); 0 for a single run."""
    values = np.nan_to_num(np.stack([stack.values(stack.matrix) for stack in system.stacks]))
    return np.asarray(values.std(axis=0, ddof=1)) if system.number > 1 else np.zeros(values.shape[1:])


def changing_units(result: Result, measure: str, value: str, unit: str = AUTO) -> list[ChangingUnit]:
    """The units whose value varies most between runs, for one value of one measure; at most ten per system."""
    listed = []
    for system in systems_with_runs(result, sampling_unit(result, unit).name):
        names = [(system.first.scores[score].name, name) for score, name in system.first.names]
        place = names.index((measure, value))
        spread = _unit_spread(system)[:, place]
        values = np.nan_to_num(np.stack([stack.values(stack.matrix)[:, place] for stack in system.stacks]))
        order = np.argsort(-spread, kind="stable")[:MOST_UNITS]
        listed += [
            ChangingUnit(
                measure, value, system.name, system.first.units[number],
                float(values[:, number].min()), float(values[:, number].max()), round(float(spread[number]), DIGITS),
            )
            for number in order.tolist()
            if spread[number] > TOLERANCE
        ]  # fmt: skip
    return listed


def _round_value(value: float) -> float | None:
    return plain_value(np.round(value, DIGITS))
