"""Detection cost (ACE 2001): what missed and false entities cost an application, per entity of the key.

    c_det = (miss_cost · D + false_alarm_cost · I) / entities of the key

An entity is detected when it is paired with an overlapping one, whatever its label and boundaries; the pairing is the
one that costs least under the weights of `ser`. Entities are those of `eter`: a component is no entity, and several
labels on the same text are one entity.

Source: NIST 2002; chapter 1 of Ben Jannet 2015.
Edges: undefined without an entity in the key.

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "ORG"), (8, 9, "LOC")], miss_cost=2.0)
entities.detection_cost(cost=1.5000)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from aune.contract.measure import NON_NEGATIVE, WEIGHT_RANGE, Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures.ser import costs_of, pair_gains
from aune.tasks.entities.pairing.spans import best_pairing


class Counts(NamedTuple):
    """Entities, by unit."""

    missed: Column
    false_alarms: Column
    key: Column


class Score(NamedTuple):
    """The one value."""

    cost: Column


def count(comparison: Comparison) -> Counts:
    pairs = best_pairing(comparison.entity_edges, pair_gains(costs_of(comparison)))
    key, response = comparison.count_entities(0), comparison.count_entities(1)
    missed = key - comparison.count_entities(0, pairs.key)
    return Counts(missed, response - comparison.count_entities(1, pairs.response), key)


def score(
    counts: Counts,
    *,
    miss_cost: Annotated[float, "what a missed entity costs", WEIGHT_RANGE] = 1.0,
    false_alarm_cost: Annotated[float, "what a false entity costs", WEIGHT_RANGE] = 1.0,
) -> Score:
    return Score(ratio(miss_cost * counts.missed + false_alarm_cost * counts.false_alarms, counts.key))


MEASURE = Measure(
    count,
    score,
    range=NON_NEGATIVE,
    better="lower",
    perfect=0.0,
    percent=False,
    units="entity_units",
    undefined={"cost": "no entity in the key: nothing to detect"},
)
