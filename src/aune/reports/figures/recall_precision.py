"""Recall and precision of each system, with their intervals. The curves join places of equal F1.

The measure is the one that ranks systems if it has both values, else the first that has and under which they differ;
finding mentions or words is only the first half of resolving or tagging them, so those measures come last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.core.measure import Measure
    from aune.core.result import Result
    from aune.explain.analysis import Study

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
MOST_CURVES = 6
FIRST_HALF = ("mentions", "ud_tokens", "ud_sentences", "ud_words")


def draw(study: Study) -> Plot | None:
    """A point per system in the plane of recall and precision."""
    result = study.result
    both = [one for one in result.measures if {"recall", "precision"} <= set(one.values)]
    both.sort(key=lambda one: (one.short != study.task.ranking, one.short in FIRST_HALF))
    several = len(result.systems) > 1
    measure = next((one for one in both if not several or _places(result, one) > 1), None)
    if measure is None:
        return None
    series: list[Series] = []
    for system in result.systems:
        one = result[system, measure.name]
        recall, precision = one.values["recall"], one.values["precision"]
        if recall is not None and precision is not None:
            ranges = one.intervals.get("recall"), one.intervals.get("precision")
            text = f"{system}: recall {100 * recall:.1f}, precision {100 * precision:.1f}"
            series.append(Series(system, [Point(recall, precision, text, *ranges, system)]))
    if not series:
        return None
    series = [_curve(level) for level in levels([one.points[0] for one in series])] + series
    x, y = Axis("recall", 0.0, 1.0, percent=True), Axis("precision", 0.0, 1.0, percent=True)
    return Plot(f"{measure.short}: recall and precision", x, y, series)


def _places(result: Result, measure: Measure) -> int:
    """In how many places of the plane the systems are."""
    every = [result[system, measure.name].values for system in result.systems]
    return len({(values["recall"], values["precision"]) for values in every})


def levels(points: Sequence[Point]) -> list[float]:
    """Round values of F1 around those of some points, a few of them.

    >>> levels([Point(0.5, 0.5), Point(0.9, 0.8)])
    [0.5, 0.6, 0.7, 0.8, 0.9]
    >>> levels([Point(0.91, 0.9), Point(0.93, 0.92)])
    [0.9, 0.91, 0.92, 0.93]
    """
    known = [2 * one.x * one.y / (one.x + one.y) if one.x + one.y else 0.0 for one in points]
    low, high = min(known), max(known)
    step = next((one for one in STEPS if (high - low) / one <= MOST_CURVES - 2), STEPS[-1])
    numbers = range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
    return [round(number * step, 2) for number in numbers if 0 < number * step < 1]


def _curve(level: float) -> Series:
    """Places where F1 = level, the hyperbola (2 recall − level)(2 precision − level) = level²."""
    end = math.log((2 - level) / level)  # where one of them is 1
    angles = [end * (step / 40 - 1) for step in range(81)]
    points = [Point(level * (1 + math.exp(a)) / 2, min(1.0, level * (1 + math.exp(-a)) / 2)) for a in angles]
    return Series(f"F1 {100 * level:.0f}", points, "line", dashed=True, quiet=True)
