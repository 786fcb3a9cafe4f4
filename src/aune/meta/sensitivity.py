"""Which measure suits a level of performance: how well each measure separates neighbours at that level.

Popescu-Belis (1999, §2.3.3 and conclusion): among coherent measures, use the one that is most sensitive at the
level of the systems. Neighbours are systems of consecutive ranks, or one response improved in steps:
at a severity of 20 %, a random fifth of the units of the key have the counts of the response, the others those of a
perfect response, and the units of a step are included in the next. Counts are additive, so nothing is scored again.

For each pair of neighbours a measure is described by

- the difference in standard errors (see `aune.statistics.contrasts`): the larger, the more sensitive;
- the number of units that would show the difference with 80 % power;
- saturation: whether another measure separates the neighbours and this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column
from aune.errors import UsageError
from aune.evaluation.pipeline import run_evaluation
from aune.results.result import Result, SystemScore, plain_value
from aune.results.rows import Rows, group
from aune.statistics.comparison import chosen_values
from aune.statistics.contrasts import SystemRuns, contrast_systems, systems_with_runs, two_sided_p
from aune.statistics.effective_sample import ALIKE
from aune.statistics.power import POWER, Precision
from aune.statistics.resampling import DIGITS
from aune.statistics.sampling_units import AUTO, ENOUGH_UNITS, sampling_unit

SEVERITIES = (0.05, 0.1, 0.2, 0.4, 0.8)
PERFECT = "perfect"


class Separation(NamedTuple):
    """How well one value of one measure separates two neighbours."""

    measure: str
    value: str
    better: str
    worse: str
    better_value: float | None
    worse_value: float | None
    errors: float | None
    """The gain of the better one in standard errors; negative if the measure prefers the other."""
    p: float | None
    needed: int | None
    """The units that show the gain with 80 % power; None if there is no gain."""
    separates: bool
    """Whether the gain is significant."""
    is_most_sensitive: bool
    """Whether no other measure has a larger gain in standard errors."""
    saturates: bool
    """Whether another measure separates the two and this one does not."""


@dataclass(frozen=True)
class Sensitivity:
    """How well measures separate neighbours."""

    result: Result
    settings: Mapping[str, Any]
    separations: list[Separation]
    warnings: list[str]

    def to(self, format: str, digits: int = 2) -> str:
        """The outcome as text: table, json, jsonl, csv, tsv, markdown, latex or html."""
        from aune import analysis_written  # noqa: PLC0415 - through the public interface: reports are a higher layer

        text: str = analysis_written(self, format, digits)
        return text

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")


def sensitivity(
    task: str,
    key: Any,
    systems: Mapping[str, Any],
    *,
    severities: Sequence[float] = SEVERITIES,
    level: float = 0.95,
    unit: str = AUTO,
    seed: int = 1,
    values: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Sensitivity:
    """How well each measure separates neighbours: systems by rank, or steps towards the only system's response.

    The other options are those of `aune.evaluate`; the first measure ranks the systems.

    >>> key = {str(n): [{1, 2, 3}, {4, 5}] for n in range(40)}
    >>> response = {n: [{1, 2}, {3}, {4, 5}] for n in key}
    >>> outcome = sensitivity("coref", key, {"A": response}, severities=[0.1, 0.5], measures=["muc", "lea"])
    >>> [(entry.measure, entry.better, entry.worse, entry.separates) for entry in outcome.separations]
    [('coref.muc', '10 %', '50 %', True), ('coref.lea', '10 %', '50 %', True)]
    """
    if len(systems) > 1:
        result = run_evaluation(task, key, systems, **options).result
        return result_sensitivity(result, level=level, unit=unit, values=values or {})
    steps = check_severities(severities)
    [(name, response)] = systems.items()
    if name == PERFECT:
        raise UsageError(f"the response is called {PERFECT!r}, as a perfect one would be: name it with name=path")
    result = run_evaluation(task, key, {PERFECT: key, name: response}, **options).result
    sampled = sampling_unit(result, unit).name
    damaged, left_out = damage_counts(result, name, steps, sampled, seed)
    outcome = result_sensitivity(damaged, level=level, unit=sampled, values=values or {}, by_rank=False)
    return replace(outcome, settings={**outcome.settings, "seed": seed}, warnings=[*left_out, *outcome.warnings])


def result_sensitivity(
    result: Result,
    *,
    level: float = 0.95,
    unit: str = AUTO,
    values: Mapping[str, Sequence[str]],
    by_rank: bool = True,
) -> Sensitivity:
    """How well each measure separates the neighbours of a result, ranked by its first measure or in the given order."""
    sampled = sampling_unit(result, unit)
    systems = systems_with_runs(result, sampled.name)
    if len(systems) < 2:
        raise UsageError("expected at least two systems, or two severities")
    units = len(systems[0].first.units)
    chosen = chosen_values(result, values)
    if by_rank:
        systems = _rank(systems, chosen[0])
    separations = [
        entry for better, worse in pairwise(systems) for entry in _separate(better, worse, chosen, 1 - level)
    ]
    separations.sort(key=lambda entry: chosen.index((entry.measure, entry.value)))
    settings = {"level": level, "power": POWER, "unit": sampled.name, "units": units, **sampled.marks(units)}
    return Sensitivity(result, settings, separations, sampled.warnings(result.scores[0], units))


def _rank(systems: Sequence[SystemRuns], by: tuple[str, str]) -> list[SystemRuns]:
    """The systems, best first under one value."""
    place = _places(systems[0])[by]
    sign = _signs(systems[0])[place]
    return sorted(systems, key=lambda system: -float(np.nan_to_num(sign * system.mean_values[place], nan=-np.inf)))


def _places(system: SystemRuns) -> dict[tuple[str, str], int]:
    return {(system.first.scores[score].name, value): place for place, (score, value) in enumerate(system.first.names)}


def _signs(system: SystemRuns) -> Column:
    """1 for values that are better when higher, else −1."""
    measures = ((system.first.scores[score].measure, value) for score, value in system.first.names)
    return np.array([1.0 if measure.better_of(value) == "higher" else -1.0 for measure, value in measures])


def _separate(
    better: SystemRuns, worse: SystemRuns, chosen: Sequence[tuple[str, str]], alpha: float
) -> list[Separation]:
    """The separation of two neighbours by each value."""
    contrast = contrast_systems(better, worse)
    places = [_places(better)[about] for about in chosen]
    gains, p_values = _signs(better) * contrast.spread.observed, two_sided_p(contrast.spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(contrast.spread.error > ALIKE, gains / contrast.spread.error, np.nan)
    can_show = contrast.units >= ENOUGH_UNITS
    errors = errors if can_show else np.full_like(errors, np.nan)
    separates = (p_values <= alpha) & (gains > 0) & can_show
    best = np.nanmax(np.append(errors[places], -np.inf))
    any_separates = bool(separates[places].any())
    return [
        Separation(
            *about, better.name, worse.name,
            plain_value(np.round(better.mean_values[place], DIGITS)),
            plain_value(np.round(worse.mean_values[place], DIGITS)),
            plain_value(np.round(errors[place], DIGITS)), plain_value(p_values[place]),
            _units_needed(Precision(contrast, place), float(gains[place]), alpha) if can_show else None,
            bool(separates[place]), bool(errors[place] == best > 0), any_separates and not separates[place],
        )
        for about, place in zip(chosen, places, strict=True)
    ]  # fmt: skip


def _units_needed(precision: Precision, gain: float, alpha: float) -> int | None:
    return precision.units_needed(gain, alpha / 2, POWER) if precision.varies and gain > 0 else None


def check_severities(severities: Sequence[float]) -> list[float]:
    """The severities in order; refused if they are invalid."""
    steps = sorted({*severities})
    if len(steps) < 2 or not all(0 <= step <= 1 for step in steps):
        raise UsageError("expected two severities or more, from 0 (perfect) to 1 (the response): 0.1, 0.2, 0.4")
    return steps


def damage_counts(
    result: Result, name: str, severities: Sequence[float], unit: str, seed: int
) -> tuple[Result, list[str]]:
    """A result with a system for each severity, and the reasons why measures are left out.

    In each, a random share of the units have the counts of the response `name`, the others those of the perfect one;
    the units of a severity are included in the next.
    """
    scores: list[SystemScore] = []
    warnings: list[str] = []
    for measure in result.measures:
        perfect, response = result[PERFECT, measure.name], result[name, measure.name]
        if response.averaged_over:
            warnings.append(f"{measure.short}: an average over {response.averaged_over}s is left out")
            continue
        before, after = group(perfect.rows, unit), group(response.rows, unit)
        if before.layout != after.layout or before.attributes[unit] != after.attributes[unit]:
            warnings.append(f"{measure.short}: counts by label, and the key has other labels: it is left out")
            continue
        for severity, is_damaged in _damaged_units(len(before), severities, unit, seed):
            rows = Rows(before.attributes, np.where(is_damaged, after.matrix, before.matrix), before.layout)
            scores.append(replace(response, system=f"{100 * severity:g} %", rows=rows, make_details=None))
    if not scores:
        raise UsageError("no measure has counts that can be mixed: name others with -m")
    inputs = [record for record in result.inputs if record.system != PERFECT]
    return Result(result.task, scores, inputs, result.warnings), warnings


def _damaged_units(
    units: int, severities: Sequence[float], unit: str, seed: int
) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """A mask (units, 1) of the units that are damaged at each severity."""
    numbers = [round(severity * units) for severity in severities]
    if len({*numbers}) < len(numbers):
        raise UsageError(f"{units:,} {unit}s are too few for these steps: expected severities further apart")
    rank = np.random.default_rng(seed).permutation(units)[:, None]
    yield from ((severity, rank < number) for severity, number in zip(severities, numbers, strict=True))
