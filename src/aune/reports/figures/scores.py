"""The scores of the systems under the measure that ranks them, best first, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aune.reports.figures.plot import Axis, Plot, Point, Series
from aune.reports.paper import ranked, ranking_value
from aune.reports.tabular import named, number

if TYPE_CHECKING:
    from aune.explain.analysis import Study


def draw(study: Study) -> Plot | None:
    """A point per system, in the order of their scores."""
    result = study.result
    by = ranking_value(result)
    measure = by.measure
    scores = [(system, result[system, measure.name]) for system in ranked(result, by, sorted(result.systems))]
    known = [(one.main, system, one) for system, one in scores if one.main is not None]
    if len(known) < 2:
        return None
    points = [
        Point(
            place,
            value,
            f"{system}: {number(value, measure, 2)}",
            None,
            one.intervals.get(measure.headline),
            system,
        )
        for place, (value, system, one) in enumerate(known)
    ]
    name = named(measure, measure.headline)
    x = Axis("", names=[system for _, system, _ in known])
    return Plot(name, x, Axis(name, percent=measure.percent), [Series("", points)])
