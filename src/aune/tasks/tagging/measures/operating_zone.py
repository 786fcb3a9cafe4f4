"""Operating zone: how much the silences leave open.

The region of the precision–decision plane that a system can reach once its silences are settled, whatever settles them.
`area` is its exact area, `triangle` that of the approximation with corners (P_min, 1), (P, D), (P_max, 1):

    triangle = ½ (P_max − P_min) (1 − D)

A system that always decides has a single point and area 0. The details give the boundary arcs, each P = α + β/D, and
`aune.tasks.tagging.grace.zone` intersects the zones of two systems.

Source: Adda et al. 1999, §4 and figure 1. `constraints:restrictive` keeps to the system's alternatives (the figure's
region), `permissive` lets the settling leave them.
Edges: undefined when nothing was evaluated.

>>> words = [("le", "D"), ("chat", "N")]
>>> MEASURE(words, [("le", "D|P"), ("chat", "N")])
tagging.operating_zone(area=0.1534, triangle=0.1250)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.grace.quantities import Quantities
from aune.tasks.tagging.grace.zone import Constraints, areas, zone
from aune.tasks.tagging.measures import precision_decision
from aune.tasks.tagging.measures.precision_decision import UNEVALUATED, Counts, contributions

Settling = Annotated[
    Constraints, "whether settling a silence keeps to its alternatives (restrictive) or not (permissive)"
]


class Score(NamedTuple):
    """The size of the zone."""

    area: Column
    triangle: Column


def count(comparison: Comparison) -> Counts:
    return precision_decision.count(comparison)


def score(counts: Counts, *, constraints: Settling = "restrictive") -> Score:
    evaluated = counts.cases - counts.noneval
    silences = evaluated - counts.ok - counts.err
    reach = silences - counts.sil_ok - counts.sil_err if constraints == "restrictive" else silences
    return Score(
        areas(counts.ok, counts.err, counts.sil_ok, counts.sil_err, silences, constraints),
        ratio(reach * silences, 2 * evaluated**2),
    )


def details(comparisons: Sequence[Comparison], *, constraints: Settling = "restrictive") -> dict[str, Any]:
    """The boundary of the zone as data."""
    totals = sum(np.stack(contributions(comparison.cases)).sum(axis=1) for comparison in comparisons)
    quantities = Quantities(*np.asarray(totals).tolist())
    operating_zone = zone(
        ok=quantities.ok,
        err=quantities.err,
        sil_ok=quantities.sil_ok,
        sil_err=quantities.sil_err,
        sil=quantities.sil,
        constraints=constraints,
    )
    return operating_zone.as_data()


MEASURE = Measure(
    count,
    score,
    better="lower",
    perfect=0.0,
    main="area",
    details=details,
    undefined=dict.fromkeys(Score._fields, UNEVALUATED),
)
