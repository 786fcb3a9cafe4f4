"""How many errors of each kind each system makes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study


def draw(study: Study) -> Plot | None:
    """A group of bars per kind of error, a bar per system."""
    systems = study.result.systems
    if study.task.explaining.errors is None:
        return None
    counts = {system: Counter(case.kind for case in study.cases[system]) for system in systems}
    total: Counter[str] = sum(counts.values(), Counter())
    kinds = [kind for kind, _ in sorted(total.items(), key=lambda item: (-item[1], item[0]))]
    if not kinds:
        return None
    series = [
        Series(system, [Point(p, counts[system][k], f"{system}, {k}: {counts[system][k]}", system=system)
                        for p, k in enumerate(kinds)], "bars")
        for system in systems
    ]  # fmt: skip
    return Plot("Errors by kind", Axis("", names=kinds), Axis("errors", 0.0), series)
