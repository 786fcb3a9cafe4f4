"""ETER against α: what finding and typing entities costs (α = 0), what finding and decomposing them costs (α = 1).

Where two curves cross, the order of the systems depends on what the entities are for.

Source: Ben Jannet 2015, figure 4.7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aune.errors import UsageError
from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.results.result import SystemScore

TASKS = ("entities",)
STEPS = 20


def draw(study: Study) -> Plot | None:
    """A line per system."""
    try:
        scores = [study.result[system, "eter"] for system in study.result.systems]
    except UsageError:
        return None
    series: list[Series] = []
    for scored in scores:
        points = [(step / STEPS, _at(scored, step / STEPS)) for step in range(STEPS + 1)]
        known = [
            Point(alpha, value, f"{scored.system}, α = {alpha:.2f}: {100 * value:.2f}", system=scored.system)
            for alpha, value in points
            if value is not None
        ]
        if known:
            series.append(Series(scored.system, known, "line", dashed=bool(len(series) % 2)))
    return Plot("ETER against α", Axis("α", 0.0, 1.0), Axis("ETER", percent=True), series) if series else None


def _at(scored: SystemScore, alpha: float) -> float | None:
    """The value for another α: it only weighs counts that are there already."""
    return replace(scored, options={**scored.options, "alpha": alpha}).values["eter"]
