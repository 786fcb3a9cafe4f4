"""How sure the numbers of a report are: intervals and tests from `aune.statistics`."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aune.analysis import Study


def with_certainty(study: Study, *, level: float, draws: int, seed: int) -> tuple[Study, Any]:
    """The study with an interval on every value, and the comparisons of its systems; None where there is one system.

    One document tells nothing of the others: then there are neither.
    """
    if find_spec("aune.statistics") is None or len(set(study.result.scores[0].rows.attributes["document"])) < 2:
        return study, None
    from aune.statistics.comparison import compare_systems  # noqa: PLC0415 - scipy, and only here
    from aune.statistics.intervals import with_intervals  # noqa: PLC0415

    found = with_intervals(study.result, level=level, draws=draws, seed=seed)
    if len(found.systems) < 2 or any(_unlike(found)):
        return replace(study, result=found), None
    return replace(study, result=found), compare_systems(found, level=level, draws=draws, seed=seed)


def _unlike(result: Any) -> list[bool]:
    """Whether systems were scored on other documents than the first one, so that no paired test applies."""
    first = set(result.scores[0].rows.attributes["document"])
    return [set(one.rows.attributes["document"]) != first for one in result]
