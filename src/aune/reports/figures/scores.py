"""The scores of the systems under the measure that ranks them, best first, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aune.reports.figures.plot import Axis, Plot, Point, Series
from aune.reports.paper import rank_systems, ranking_value
from aune.reports.tabular import number, value_label

if TYPE_CHECKING:
    from aune.explain.analysis import Study


def draw(study: Study) -> Plot | None:
    """A point per system, in the order of their scores."""
    result = study.result
    ranking = ranking_value(result)
    measure = ranking.measure
    scores = [
        (system, result[system, measure.name]) for system in rank_systems(result, ranking, sorted(result.systems))
    ]
    known = [(scored.main, system, scored) for system, scored in scores if scored.main is not None]
    if len(known) < 2:
        return None
    points = [
        Point(
            place,
            value,
            f"{system}: {number(value, measure, 2)}",
            None,
            scored.intervals.get(measure.headline),
            system,
        )
        for place, (value, system, scored) in enumerate(known)
    ]
    name = value_label(measure, measure.headline)
    x = Axis("", names=[system for _, system, _ in known])
    return Plot(name, x, Axis(name, percent=measure.percent), [Series("", points)])
