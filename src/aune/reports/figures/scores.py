"""The scores of the systems under the measure that ranks them, best first, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aune.reports.figures.drawing import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study


def draw(study: Study) -> Plot | None:
    """A point per system, in the order of their scores."""
    result = study.result
    measure = next((one for one in result.measures if one.short == study.task.ranking), result.measures[0])
    found = [(system, result[system, measure.name]) for system in result.systems]
    known = [(one.main, system, one) for system, one in found if one.main is not None]
    if len(known) < 2:
        return None
    sign = -1 if measure.better_of(measure.headline) == "higher" else 1
    known.sort(key=lambda row: (sign * row[0], row[1]))
    points = [
        Point(
            place,
            value,
            f"{system}: {_number(value, measure.percent)}",
            None,
            one.intervals.get(measure.headline),
            system,
        )
        for place, (value, system, one) in enumerate(known)
    ]
    name = " ".join(dict.fromkeys([measure.short, measure.headline]))
    x = Axis("", names=[system for _, system, _ in known])
    return Plot(name, x, Axis(name, percent=measure.percent), [Series("", points)])


def _number(value: float, percent: bool) -> str:
    return f"{100 * value:.2f}" if percent else f"{value:.4f}"
