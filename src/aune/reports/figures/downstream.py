"""What downstream systems make of the output of upstream systems, against how good that output is by a measure.

Drawn from tables of scores (see `aune meta impact`): a point per upstream system, a series per downstream system.
Points on a falling line mean that the measure predicts what its users will get.

Source: Ben Jannet 2015, figures 5.1 and 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aune.contract.options import check_known
from aune.errors import UsageError
from aune.numeric.grouping import group_items
from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.meta.impact import Score


def from_scores(scores: Sequence[Score], upstream: str | None, target: str | None, manual: str | None) -> Plot:
    """Downstream scores against an upstream measure, over all documents."""
    above = {(item.system, item.measure): item.score for item in pooled_scores(scores) if not item.downstream}
    below = [item for item in pooled_scores(scores) if item.downstream]
    x = choose_name([measure for _, measure in above], upstream, "measure upstream", "--upstream")
    y = choose_name([item.measure for item in below], target, "measure downstream", "--target")
    series = []
    for taker in dict.fromkeys(item.downstream for item in below):
        points = [
            Point(
                above[item.system, x], item.score, f"{item.system}: {x} {above[item.system, x]:g}, {y} {item.score:g}"
            )
            for item in below
            if item.downstream == taker and item.measure == y and (item.system, x) in above
        ]
        series.append(Series(taker, sorted(points)))
    if not any(item.points for item in series):
        raise UsageError("no upstream system has scores on both sides: give both tables the same names of systems")
    return Plot(f"{y} downstream against {x}", Axis(x), Axis(y), series)


def pooled_scores(scores: Sequence[Score]) -> list[Score]:
    """One score per system and measure: that of the whole, or else the mean over documents."""
    pooled = []
    for group in group_items(((score.downstream, score.system, score.measure), score) for score in scores).values():
        group_scores = [score for score in group if not score.document] or group
        pooled.append(
            group_scores[0]._replace(document="", score=sum(score.score for score in group_scores) / len(group_scores))
        )
    return pooled


def choose_name(names: Sequence[str], name: str | None, noun: str, option: str) -> str:
    """The name that was given, or the only one in the tables."""
    known = list(dict.fromkeys(names))
    if not known:
        raise UsageError(f"no {noun} in the tables: see aune meta impact --help for their columns")
    if name is None and len(known) > 1:
        raise UsageError(f"several names of a {noun}: choose one with {option} ({', '.join(known)})")
    check_known([name or known[0]], known, noun)
    return name or known[0]
