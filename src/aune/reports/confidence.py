"""The uncertainty of the numbers of a report: intervals and tests from `aune.statistics`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aune.reports.paper import without_baselines

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.results.result import Result
    from aune.statistics.comparison import Comparisons


def with_confidence(
    study: Study, *, level: float, draws: int, seed: int, baselines: Sequence[str] = ()
) -> tuple[Study, Comparisons | None]:
    """The study with an interval on every value, and the comparisons of its systems; None if there is one system.

    A single unit gives no evidence about others: a text without parts gets neither.
    """
    from aune.statistics.comparison import compare_systems, draws_needed  # noqa: PLC0415 - scipy, only needed here
    from aune.statistics.intervals import with_intervals  # noqa: PLC0415
    from aune.statistics.sampling_units import has_units, sampling_unit  # noqa: PLC0415

    unit = sampling_unit(study.result).name
    if not all(has_units(score, unit, 2) for score in study.result):
        return study, None
    result = with_intervals(study.result, level=level, draws=draws, seed=seed, unit=unit)
    tested = without_baselines(result, baselines)
    if len(tested.runs) < 2 or not _has_same_units(tested, unit):
        return replace(study, result=result), None
    enough = max(draws, 2 * draws_needed(len(tested.runs), level))
    return replace(study, result=result), compare_systems(tested, level=level, draws=enough, seed=seed, unit=unit)


def _has_same_units(result: Result, unit: str) -> bool:
    """Whether all systems were scored on the same units, as a paired test needs."""
    first = set(result.scores[0].rows.attributes[unit])
    return all(set(scored.rows.attributes[unit]) == first for scored in result)
