"""Precision and decision of each tagger, with the zone in which it would operate if its open choices were settled.

A tagger that leaves words open has a decision below 1; settling them moves it up, somewhere in its zone: the area drawn
here, under the restrictive constraints. Below decision 1 a point lies at the bottom of its zone, and three more mark
what settling every silence gives: at worst, at random, at best. The four contain everything that was counted; the
legend has the rest, the number of cases and the share that was not evaluated.

Source: Adda et al., GRACE, figure 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aune.errors import UsageError
from aune.reports.figures.plot import Axis, Plot, Point, Series

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
    for system, item in scores.items():
        precision, decision = item.values["precision"], item.values["decision"]
        if precision is None or decision is None:
            continue
        number = sum(other.shape == "points" for other in series)
        outline = [Point(x, y) for x, y in zone_of(item).boundary()]
        if len(outline) > 2:
            series.append(Series("", outline, "area", colour=number))
        unevaluated = 100 * item.counts["noneval"] / item.counts["cases"]
        text = f"{system}: precision {100 * precision:.2f}, decision {100 * decision:.2f}"
        ranges = item.intervals.get("precision"), item.intervals.get("decision")
        points = [Point(precision, decision, text, *ranges, system)]
        if decision < 1:  # the four points that show the seven quantities
            settled = {name: item.values[name] for name in ("p_min", "p_mean", "p_max")}
            points += [Point(x, 1.0, f"{system}: {name} {100 * x:.2f}") for name, x in settled.items() if x is not None]
        legend = f"{system} ({item.counts['cases']:,.10g} cases, {unevaluated:.2f} % not evaluated)"
        series.append(Series(legend, points))
    if not series:
        return None
    series.sort(key=lambda item: item.shape != "area")  # points lie on top
    x, y = Axis("precision", high=1.0, percent=True), Axis("decision", high=1.0, percent=True)
    return Plot("Precision and decision", x, y, series)
