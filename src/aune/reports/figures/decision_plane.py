"""Precision and decision of each tagger, with the zone in which it would operate if its open choices were settled.

A tagger that leaves words open has a decision below 1; settling them moves it up, somewhere in its zone: the area drawn
here, under the restrictive constraints. Below decision 1 a point lies at the bottom of its zone.

Source: Adda et al., GRACE, figure 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aune.core.errors import UsageError
from aune.reports.figures.drawing import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study

TASKS = ("tagging",)


def draw(study: Study) -> Plot | None:
    """A point and an area per system in the plane of precision and decision."""
    from aune.tasks.tagging.grace.zone import zone_of  # noqa: PLC0415 - for this task alone

    try:
        scores = {system: study.result[system, "precision_decision"] for system in study.result.systems}
    except UsageError:
        return None
    series: list[Series] = []
    for system, one in scores.items():
        precision, decision = one.values["precision"], one.values["decision"]
        if precision is None or decision is None:
            continue
        number = sum(other.shape == "points" for other in series)
        outline = [Point(x, y) for x, y in zone_of(one).boundary()]
        if len(outline) > 2:
            series.append(Series("", outline, "area", colour=number))
        lost = 100 * one.counts["noneval"] / one.counts["cases"]
        text = f"{system}: precision {100 * precision:.2f}, decision {100 * decision:.2f}"
        text += f", not evaluated {lost:.2f} % of {one.counts['cases']:,.10g} cases"
        ranges = one.intervals.get("precision"), one.intervals.get("decision")
        series.append(Series(system, [Point(precision, decision, text, *ranges, system)]))
    if not series:
        return None
    series.sort(key=lambda one: one.shape != "area")  # points lie on top
    x, y = Axis("precision", high=1.0, percent=True), Axis("decision", high=1.0, percent=True)
    return Plot("Precision and decision", x, y, series)
