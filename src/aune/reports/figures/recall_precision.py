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
    from aune.contract.measure import Measure
    from aune.explain.analysis import Study
    from aune.results.result import Result

LEVEL_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
MAX_CURVES = 6
FIRST_HALF = ("mentions", "ud_tokens", "ud_sentences", "ud_words")


def draw(study: Study) -> Plot | None:
    """A point per system in the plane of recall and precision."""
    result = study.result
    candidates = [item for item in result.measures if {"recall", "precision"} <= set(item.values)]
    candidates.sort(key=lambda item: (item.short != study.task.ranking, item.short in FIRST_HALF))
    several = len(result.systems) > 1
    measure = next((item for item in candidates if not several or _places(result, item) > 1), None)
    if measure is None:
        return None
    series: list[Series] = []
    for system in result.systems:
        item = result[system, measure.name]
        recall, precision = item.values["recall"], item.values["precision"]
        if recall is not None and precision is not None:
            ranges = item.intervals.get("recall"), item.intervals.get("precision")
            text = f"{system}: recall {100 * recall:.1f}, precision {100 * precision:.1f}"
            series.append(Series(system, [Point(recall, precision, text, *ranges, system)]))
    if not series:
        return None
    series = [_curve(level) for level in levels([item.points[0] for item in series])] + series
    x, y = Axis("recall", 0.0, 1.0, percent=True), Axis("precision", 0.0, 1.0, percent=True)
    return Plot(f"{measure.short}: recall and precision", x, y, series)


def _places(result: Result, measure: Measure) -> int:
    """In how many places of the plane the systems are."""
    places = [result[system, measure.name].values for system in result.systems]
    return len({(values["recall"], values["precision"]) for values in places})


def levels(points: Sequence[Point]) -> list[float]:
    """Round values of F1 around those of some points, a few of them.

    >>> levels([Point(0.5, 0.5), Point(0.9, 0.8)])
    [0.5, 0.6, 0.7, 0.8, 0.9]
    >>> levels([Point(0.91, 0.9), Point(0.93, 0.92)])
    [0.9, 0.91, 0.92, 0.93]
    """
    known = [2 * item.x * item.y / (item.x + item.y) if item.x + item.y else 0.0 for item in points]
    low, high = min(known), max(known)
    step = next((item for item in LEVEL_STEPS if (high - low) / item <= MAX_CURVES - 2), LEVEL_STEPS[-1])
    numbers = range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
    return [round(number * step, 2) for number in numbers if 0 < number * step < 1]


def _curve(level: float) -> Series:
    """Places where F1 = level, the hyperbola (2 recall − level)(2 precision − level) = level²."""
    end = math.log((2 - level) / level)  # where one of them is 1
    angles = [end * (step / 40 - 1) for step in range(81)]
    points = [Point(level * (1 + math.exp(a)) / 2, min(1.0, level * (1 + math.exp(-a)) / 2)) for a in angles]
    return Series(f"F1 {100 * level:.0f}", points, "line", dashed=True, quiet=True)
