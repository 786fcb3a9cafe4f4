"""How much more errors of each kind a system makes than the first one: 100 · (its errors − the first's) / the first's.

With the output on manual transcripts first and that on automatic transcripts after it, these are the bars of the
relative increase of errors (PAE). A kind of which the first system has no error is left out.

Source: Ben Jannet 2015, eq. 5.2, figures 5.3 and 5.4.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study

TASKS = ("entities", "speech")


def draw(study: Study) -> Plot | None:
    """A group of bars per kind of error, a bar per system."""
    systems = study.result.systems
    if study.task.explaining.errors is None or len(systems) < 2:
        return None
    counts = {system: Counter(case.kind for case in study.cases[system]) for system in systems}
    base = counts[systems[0]]
    kinds = [kind for kind, _ in sorted(base.items(), key=lambda item: (-item[1], item[0]))]
    if not kinds:
        return None
    series = []
    for system in systems[1:]:
        points = []
        for place, kind in enumerate(kinds):
            more = 100 * (counts[system][kind] - base[kind]) / base[kind]
            text = f"{system}, {kind}: {base[kind]} → {counts[system][kind]} ({more:+.0f} %)"
            points.append(Point(place, more, text, system=system))
        series.append(Series(system, points, "bars"))
    title = f"Errors by kind, against {systems[0]}"
    return Plot(title, Axis("", names=kinds), Axis("increase, %"), series)
