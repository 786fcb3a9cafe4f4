"""How sure the numbers of a report are: intervals and tests from `aune.statistics`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aune.reports.paper import competing

if TYPE_CHECKING:
    from aune.core.result import Result
    from aune.explain.analysis import Study
    from aune.statistics.comparison import Comparisons


def with_certainty(
    study: Study, *, level: float, draws: int, seed: int, baselines: Sequence[str] = ()
) -> tuple[Study, Comparisons | None]:
    """The study with an interval on every value, and the comparisons of its systems; None where there is one system.

    One thing tells nothing of others: a text that has no parts gets neither.
    """
    from aune.statistics.comparison import compare_systems, draws_needed  # noqa: PLC0415 - scipy, and only here
    from aune.statistics.intervals import has_units, unit_drawn, with_intervals  # noqa: PLC0415

    unit = unit_drawn(study.result.scores)
    if not all(has_units(score, unit, 2) for score in study.result):
        return study, None
    found = with_intervals(study.result, level=level, draws=draws, seed=seed, unit=unit)
    tested = competing(found, baselines)
    if len(tested.systems) < 2 or not _alike(tested, unit):
        return replace(study, result=found), None
    enough = max(draws, 2 * draws_needed(len(tested.systems), level))
    return replace(study, result=found), compare_systems(tested, level=level, draws=enough, seed=seed, unit=unit)


def _alike(result: Result, unit: str) -> bool:
    """Whether all systems were scored on the same units, as a paired test needs."""
    first = set(result.scores[0].rows.attributes[unit])
    return all(set(one.rows.attributes[unit]) == first for one in result)
