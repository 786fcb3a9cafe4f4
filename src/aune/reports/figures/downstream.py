"""What downstream systems make of the output of upstream systems, against how good that output is by a measure.

Drawn from tables of scores (see `aune meta impact`): a point per upstream system, a series per downstream system.
Points on a falling line mean that the measure predicts what its users will get.

Source: Ben Jannet 2015, figures 5.1 and 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aune.core.errors import UsageError
from aune.core.groups import grouped
from aune.core.options import check_known
from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.meta.impact import Score


def from_scores(scores: Sequence[Score], upstream: str | None, target: str | None, manual: str | None) -> Plot:
    """Downstream scores against an upstream measure, over all documents."""
    above = {(one.system, one.measure): one.score for one in whole(scores) if not one.downstream}
    below = [one for one in whole(scores) if one.downstream]
    x = chosen([measure for _, measure in above], upstream, "measure upstream", "--upstream")
    y = chosen([one.measure for one in below], target, "measure downstream", "--target")
    series = []
    for taker in dict.fromkeys(one.downstream for one in below):
        points = [
            Point(above[one.system, x], one.score, f"{one.system}: {x} {above[one.system, x]:g}, {y} {one.score:g}")
            for one in below
            if one.downstream == taker and one.measure == y and (one.system, x) in above
        ]
        series.append(Series(taker, sorted(points)))
    if not any(one.points for one in series):
        raise UsageError("no upstream system has scores on both sides: give both tables the same names of systems")
    return Plot(f"{y} downstream against {x}", Axis(x), Axis(y), series)


def whole(scores: Sequence[Score]) -> list[Score]:
    """One score per system and measure: that of the whole, or else the mean over documents."""
    found = []
    for group in grouped(((one.downstream, one.system, one.measure), one) for one in scores).values():
        kept = [one for one in group if not one.document] or group
        found.append(kept[0]._replace(document="", score=sum(one.score for one in kept) / len(kept)))
    return found


def chosen(names: Sequence[str], wanted: str | None, what: str, option: str) -> str:
    """The name asked for, or the only one there is."""
    known = list(dict.fromkeys(names))
    if not known:
        raise UsageError(f"no {what} in the tables: see aune meta impact --help for what they hold")
    if wanted is None and len(known) > 1:
        raise UsageError(f"several names of a {what}: choose one with {option} ({', '.join(known)})")
    check_known([wanted or known[0]], known, what)
    return wanted or known[0]
