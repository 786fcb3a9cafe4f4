"""How many entities are inserted into the stretches between the key's entities: most stretches with any have one.

A stretch is what lies between two entities of the key, or between one and the end of the document. Stretches without an
insertion are left out.

Source: Ben Jannet 2015, figures 5.11 and 5.12.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study

TASKS = ("entities",)
MAX_INSERTIONS = 5  # insertions in one stretch that are counted together


def draw(study: Study) -> Plot | None:
    """A group of bars per number of insertions, a bar per system."""
    if study.result.task not in TASKS:
        return None
    series = []
    for system, comparisons in study.comparisons.items():
        counts = Counter(min(n, MAX_INSERTIONS) for comparison in comparisons for n in _insertions(comparison))
        total = sum(counts.values())
        if total:
            points = [
                Point(place, counts[place + 1] / total, f"{system}: {counts[place + 1]} of {total}", system=system)
                for place in range(MAX_INSERTIONS)
            ]
            series.append(Series(system, points, "bars"))
    names = [*(str(number) for number in range(1, MAX_INSERTIONS)), f"{MAX_INSERTIONS} or more"]
    x, y = Axis("insertions in a stretch", names=names), Axis("stretches with insertions, %", 0.0, percent=True)
    return Plot("Inserted entities between the key's entities", x, y, series) if series else None


def _insertions(comparison: Any) -> Iterator[int]:
    """The number of insertions in each stretch that has some."""
    from aune.tasks.entities.view import view  # noqa: PLC0415 - for this task alone

    for text in view(comparison):
        ends = sorted(span.end for span in text.key)
        inserted = Counter(bisect_left(ends, span.start + 1) for span in text.response if span.error == "insertion")
        yield from inserted.values()
