"""How much more errors of a kind a downstream system makes on automatic than on manual input, against a measure of it.

Drawn from tables of scores with counts of errors downstream (see `aune meta impact`): a point per upstream system,
a series per downstream system. The increase is 100 · (errors on automatic − errors on manual) / errors on manual (PAE).

Source: Ben Jannet 2015, eq. 5.2, figures 5.5 to 5.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aune.errors import UsageError
from aune.reports.figures.downstream import choose_name
from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.meta.impact import Score


def from_scores(scores: Sequence[Score], upstream: str | None, target: str | None, manual: str | None) -> Plot:
    """The relative increase of a kind of error against an upstream measure."""
    from aune.meta.impact import increases  # noqa: PLC0415 - with scipy behind it

    if manual is None:
        raise UsageError("expected the upstream name of the manual input: --manual NAME")
    above, below = [item for item in scores if not item.downstream], [item for item in scores if item.downstream]
    x = choose_name([item.measure for item in above], upstream, "measure upstream", "--upstream")
    kind = choose_name([item.measure for item in below], target, "kind of error downstream", "--target")
    defined = [item for item in increases(above, below, manual, [kind]) if item.pae is not None and x in item.upstream]
    if not defined:
        raise UsageError(f"no increase of {kind} to draw: none is made on the manual input, or no {x} is known")
    series = []
    for taker in dict.fromkeys(item.downstream for item in defined):
        points = [
            Point(
                item.upstream[x],
                item.pae or 0.0,
                f"{item.system}: {item.manual:g} → {item.automatic:g}, {item.pae:+.0f} %",
            )
            for item in defined
            if item.downstream == taker
        ]
        series.append(Series(taker, sorted(points)))
    return Plot(f"Increase of {kind} downstream against {x}", Axis(x), Axis("increase, %"), series)
