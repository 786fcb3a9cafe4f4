"""The contrast of two systems, each with one run or several: the difference, its spread, and the sources of the spread.

A system that was trained several times is represented by the mean of its runs. Two things vary: the texts and the
runs. From the counts of each run by unit,

- the variance of texts is that of the difference of the means without each unit in turn (the jackknife); it falls with
  the number of units;
- the variance of runs is that of the values of the runs, minus the variance that chance gives them on the same texts
  (the interaction of texts and runs); it falls with the number of runs.

The two are added, and t has the degrees of freedom of Satterthwaite (1946). For systems with one run, this is the
spread of the intervals of differences (see `aune.statistics.effective_sample`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.results.result import Result
from aune.statistics.effective_sample import ALIKE, DifferenceSpread, difference_spread, scale_of, standard_error
from aune.statistics.group_spread import trial_variance
from aune.statistics.paired_tests import TOLERANCE, comparable_values
from aune.statistics.resampling import Stack, common_stack


@dataclass(frozen=True)
class SystemRuns:
    """The counts of a system's runs over the same units; most systems have one run."""

    name: str
    stacks: Sequence[Stack]
    """The counts of each run."""

    @property
    def first(self) -> Stack:
        return self.stacks[0]

    @property
    def number(self) -> int:
        return len(self.stacks)

    def terms(self, weight: float) -> list[tuple[float, Stack]]:
        """The counts of each run with its share of a weight."""
        return [(weight / self.number, stack) for stack in self.stacks]

    @cached_property
    def values(self) -> Column:
        """The values of each run, in an additive form: (runs, values)."""
        return np.stack([comparable_values(stack, stack.estimates) for stack in self.stacks])

    @property
    def mean_values(self) -> Column:
        """The mean of the runs."""
        return np.asarray(self.values.mean(axis=0))

    @cached_property
    def left_out(self) -> Column:
        """The mean over runs of the values without each unit in turn: (units, values)."""
        return np.asarray(np.mean([comparable_values(stack, stack.left_out) for stack in self.stacks], axis=0))

    @cached_property
    def text_variance(self) -> Column:
        """The contribution of texts to the variance of the mean."""
        return np.asarray(standard_error(self.left_out) ** 2)

    @property
    def variance(self) -> Column:
        """The variance of the mean, of texts and runs together."""
        return np.asarray(self.text_variance + self.run_variance)

    def freedom(self) -> Column:
        """The degrees of freedom of the estimated variance of the mean."""
        return _combine_freedom(self.variance, [(self.text_variance, len(self.first.units) - 1.0), *self.run_parts])

    @property
    def run_parts(self) -> list[tuple[Column, Column | float]]:
        """The estimated variance of the mean of the runs, with its degrees of freedom; none for one run."""
        return [(self.run_spread**2 / self.number, self.number - 1.0)] if self.number > 1 else []

    @cached_property
    def unit_values(self) -> Column:
        """The mean over runs of the values of each unit alone: (units, values)."""
        return np.asarray(np.mean([comparable_values(stack, stack.unit_values) for stack in self.stacks], 0))

    @cached_property
    def run_spread(self) -> Column:
        """The standard deviation of the values of the runs; 0 for a single run."""
        return self.values.std(axis=0, ddof=1) if self.number > 1 else np.zeros(self.values.shape[1])

    @cached_property
    def run_variance(self) -> Column:
        """The contribution of runs to the variance of the mean, beyond the chance differences on the same texts."""
        if self.number == 1:
            return np.zeros(self.values.shape[1])
        deviations = (comparable_values(stack, stack.left_out) - self.left_out for stack in self.stacks)
        chance = sum(standard_error(deviation) ** 2 for deviation in deviations) / (self.number - 1)
        return np.asarray(np.maximum(self.run_spread**2 - chance, 0) / self.number)


class Contrast(NamedTuple):
    """The difference of two systems (first minus second), with an entry per value."""

    spread: DifferenceSpread
    text_variance: Column
    run_variance: Column
    units: int


def contrast_systems(first: SystemRuns, second: SystemRuns) -> Contrast:
    """The contrast of two systems that were scored on the same units."""
    differences = np.nan_to_num(first.unit_values - second.unit_values)
    spread = difference_spread(
        [*first.terms(1.0), *second.terms(-1.0)],
        first.mean_values - second.mean_values,
        first.left_out - second.left_out,
        (np.abs(differences) > TOLERANCE).sum(axis=0),
    )
    return _add_runs(spread, [first, second])


def contrast_with_unknown(system: SystemRuns, correlation: float) -> Contrast:
    """The contrast of a system with an unknown one, of which only the correlation with its values is assumed."""
    factor = np.sqrt(2 * (1 - correlation))
    left_out = factor * system.left_out
    everything = np.full(left_out.shape[1], len(system.first.units))
    spread = difference_spread(
        system.terms(factor),
        np.zeros(left_out.shape[1]),
        left_out,
        everything,
        trial=factor**2 * trial_variance(system.mean_values, *scale_of(system.first)),
    )
    return _add_runs(spread, [system, system])


def _add_runs(spread: DifferenceSpread, systems: Sequence[SystemRuns]) -> Contrast:
    """The contrast of two systems from the spread over texts, with the variance of their runs added."""
    text_variance, run_variance = spread.error**2, sum((system.run_variance for system in systems), np.zeros(1))
    units = len(systems[0].first.units)
    if all(system.number == 1 for system in systems):
        return Contrast(spread, text_variance, np.zeros_like(text_variance), units)
    total = text_variance + run_variance
    parts = [(text_variance, spread.freedom), *(part for system in systems for part in system.run_parts)]
    spread = spread._replace(error=np.sqrt(total), freedom=_combine_freedom(total, parts))
    return Contrast(spread, text_variance, run_variance, units)


def _combine_freedom(total: Column, parts: Sequence[tuple[Column, Column | float]]) -> Column:
    """The degrees of freedom of a sum of variances, each with its own degrees (Satterthwaite 1946)."""
    below = sum((variance**2 / freedom for variance, freedom in parts), np.zeros_like(total))
    varies = below > ALIKE**4
    return np.maximum(np.where(varies, total**2 / np.where(varies, below, 1.0), parts[0][1]), 1)


def systems_with_runs(result: Result, unit: str) -> list[SystemRuns]:
    """The systems of a result with their counts by unit; all must have the same units."""
    common_stack(result.scores, unit)  # raises if systems were not scored on the same units
    return [
        SystemRuns(name, [common_stack([score for score in result if score.system == run], unit) for run in runs])
        for name, runs in result.runs.items()
    ]


def two_sided_p(spread: DifferenceSpread) -> Column:
    """The p-value of each value by Student's t; 1 where the units do not vary."""
    return np.asarray(np.minimum(1.0, 2 * upper_tail(np.abs(spread.observed), spread)))


def upper_tail(distance: Column, spread: DifferenceSpread) -> Column:
    """The probability that t exceeds a distance in standard errors; 1 where the units do not vary."""
    from scipy import special  # noqa: PLC0415 - slow to import

    varies = spread.error > ALIKE
    standardised = distance / np.where(varies, spread.error, 1.0)
    return np.asarray(np.where(varies, special.stdtr(spread.freedom, -standardised), 1.0))


def single_run_warnings(systems: Sequence[SystemRuns]) -> list[str]:
    """A warning if systems with one run are compared with systems that have several."""
    single = [system.name for system in systems if system.number == 1]
    if not single or len(single) == len(systems):
        return []
    return [
        f"{', '.join(single)}: a single run, compared with systems that have several: how much its own runs would vary "
        "is not known, and intervals leave it out"
    ]


def contrast_pairs(systems: Sequence[SystemRuns]) -> dict[tuple[str, str], Contrast]:
    """The contrast of each pair of systems, by their names."""
    return {(first.name, second.name): contrast_systems(first, second) for first, second in combinations(systems, 2)}
