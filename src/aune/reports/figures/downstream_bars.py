"""How much more errors of each kind downstream systems make on automatic than on manual input, by upstream system.

Drawn from tables of scores with counts of errors downstream (see `aune meta impact`, and `aune speech downstream`,
which writes them): a group of bars per downstream system and kind of error, a bar per upstream system, in the order of
the table. The increase is 100 · (errors on automatic − errors on manual) / errors on manual (PAE). A downstream system
that makes no error of a kind on manual input has no bars there.

Source: Ben Jannet 2015, eq. 5.2, figures 5.3 and 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aune.errors import UsageError
from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.meta.impact import Score

KINDS = ("omissions", "insertions", "substitutions")
"""What is drawn unless kinds are named, in the order of the thesis."""


def from_scores(scores: Sequence[Score], upstream: str | None, target: str | None, manual: str | None) -> Plot:
    """The relative increase of each kind of error; `target` names kinds, separated by commas."""
    from aune.meta.impact import increases  # noqa: PLC0415 - with scipy behind it

    if manual is None or upstream is not None:
        raise UsageError("expected the upstream name of the manual input, --manual NAME, and no --upstream")
    below = [score for score in scores if score.downstream]
    counted = {score.measure for score in below}
    kinds = target.split(",") if target else [kind for kind in KINDS if kind in counted]
    if not kinds:
        raise UsageError(f"none of {', '.join(KINDS)} in the tables: name kinds of errors with --target KIND,KIND")
    defined = [increase for increase in increases([], below, manual, kinds) if increase.pae is not None]
    if not defined:
        raise UsageError(f"no increase of {', '.join(kinds)} to draw: none is made on the manual input {manual}")
    takers = dict.fromkeys(increase.downstream for increase in defined)
    groups = [(taker, kind) for taker in takers for kind in kinds]
    groups = [group for group in groups if any((increase.downstream, increase.error) == group for increase in defined)]
    series = []
    for system in dict.fromkeys(increase.system for increase in defined):
        points = []
        for increase in defined:
            if increase.system == system and increase.pae is not None:
                text = (
                    f"{system}, {increase.downstream}, {increase.error}: {increase.manual:g} → "
                    f"{increase.automatic:g} ({increase.pae:+.0f} %)"
                )
                points.append(
                    Point(groups.index((increase.downstream, increase.error)), increase.pae, text, system=system)
                )
        series.append(Series(system, sorted(points), "bars"))
    names = [" ".join(group) if len(takers) > 1 else group[1] for group in groups]
    return Plot("Increase of errors downstream", Axis("", names=names), Axis("increase, %"), series)
