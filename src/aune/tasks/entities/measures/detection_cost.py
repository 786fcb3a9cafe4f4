"""Detection cost (ACE 2001): what missed and false entities cost an application, per entity of the key.

    c_det = (miss_cost · D + false_alarm_cost · I) / entities of the key

An entity is detected when it is paired with an overlapping one, whatever its label and boundaries; the pairing is that
of `ser`.

Source: NIST 2002; chapter 1 of Ben Jannet 2015.
Edges: undefined without an entity in the key.

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "ORG"), (8, 9, "LOC")], miss_cost=2.0)
entities.detection_cost(cost=1.5000)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from aune.core.measure import POSITIVE, WEIGHT, Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures.ser import costs_of, paired


class Counts(NamedTuple):
    """Entities, by unit."""

    missed: Column
    false_alarms: Column
    key: Column


class Score(NamedTuple):
    """The one value."""

    cost: Column


def count(comparison: Comparison) -> Counts:
    pairs = paired(comparison, costs_of(comparison))
    key, response = comparison.of_key(), comparison.of_response()
    return Counts(key - comparison.of_key(pairs.left), response - comparison.of_response(pairs.right), key)


def score(
    counts: Counts,
    *,
    miss_cost: Annotated[float, "what a missed entity costs", WEIGHT] = 1.0,
    false_alarm_cost: Annotated[float, "what a false entity costs", WEIGHT] = 1.0,
) -> Score:
    return Score(ratio(miss_cost * counts.missed + false_alarm_cost * counts.false_alarms, counts.key))


MEASURE = Measure(
    count,
    score,
    range=POSITIVE,
    better="lower",
    perfect=0.0,
    percent=False,
    undefined={"cost": "no entity in the key: nothing to detect"},
)
