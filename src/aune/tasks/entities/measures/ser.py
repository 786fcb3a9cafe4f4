"""SER, the slot error rate: what the errors cost, per slot of the key.

Every label on every span is a slot, entities and components alike. Key and response slots that share text are paired
one to one so that the cost is lowest; what is wrong in a pair says its kind:

    SER = (Σ weight(kind) · pairs of that kind + omission · D + insertion · I) / slots of the key

    kind                weight      what is wrong
    type                0.5         the type (the first part of the label)
    subtype             0.5         the label below the type
    boundary            0.5         where it begins or ends
    type_boundary       0.5         both
    subtype_boundary    0.5         both
    omission            1           a key slot without a partner (D)
    insertion           1           a response slot without a partner (I)

`ser_weights` changes them, as `type=1,boundary=0.25`; so does a section [weights.ser] of the typology. Where weights
for type and boundary are given (α₁ and α₂ of eq. 4.4), a slot with both errors costs their sum, at most an omission
plus an insertion, unless it has a weight of its own; it never costs less than one of them.

`slots` restricts the count to `types` or `components` (the typology says which is which); both sides are restricted
before they are paired. Among pairings of equal cost the one with the fewest wrong properties counts (see `pairing.py`),
so that the kinds are what they are whatever the order. The other values are the errors of each kind per slot of the
key. Per label: pairs and omissions go with the key's label, insertions with their own.

Source: Makhoul et al. 1999; eqs 1.1 and 4.4 of Ben Jannet 2015; the kinds of substitution of tables 4.2 and 4.4.
Edges: undefined without a slot in the key. It can exceed 1.

>>> found = MEASURE([(0, 2, "loc.fac"), (5, 6, "pers.ind")], [(0, 2, "loc.oro"), (8, 9, "pers.ind")])
>>> found.ser, found.subtype, found.omission, found.insertion
(1.25, 0.5, 0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.pairing.spans import KINDS, Pairing
from aune.typologies.typology import merge_weights, parse_weights

Slots: TypeAlias = Annotated[Literal["all", "types", "components"], "which slots count"]
Weights: TypeAlias = Annotated[str, "what errors cost, such as type=1,boundary=0.25; others as the typology says"]


class Counts(NamedTuple):
    """Slots by what is wrong with them, what that costs, and slots of the key, by unit."""

    correct: Column
    type: Column
    subtype: Column
    boundary: Column
    type_boundary: Column
    subtype_boundary: Column
    omission: Column
    insertion: Column
    cost: Column
    key: Column


class Score(NamedTuple):
    """The rate, and how many errors of each kind there are per slot of the key."""

    ser: Column
    type: Column
    subtype: Column
    boundary: Column
    type_boundary: Column
    subtype_boundary: Column
    omission: Column
    insertion: Column


def count(comparison: Comparison, *, slots: Slots = "all", ser_weights: Weights = "") -> Counts:
    costs = costs_of(comparison, ser_weights)
    pairs = pair_slots(comparison, costs, slots)
    key, response = (comparison.in_slots(side, slots) for side in (comparison.key, comparison.response))
    kinds = [comparison.count_key(pairs.key[pairs.kind == kind]) for kind in range(len(KINDS))]
    all_keys = comparison.count_key(key)
    omission = all_keys - comparison.count_key(pairs.key)
    insertion = comparison.count_response(response) - comparison.count_response(pairs.response)
    cost = cost_of({**dict(zip(KINDS, kinds, strict=True)), "omission": omission, "insertion": insertion}, costs)
    return Counts(*[*kinds, omission, insertion, cost, all_keys])


def costs_of(comparison: Comparison, weights: str = "") -> Mapping[str, float]:
    return merge_weights(comparison.typology.ser, parse_weights(weights))


def pair_slots(comparison: Comparison, costs: Mapping[str, float], slots: str = "all") -> Pairing:
    """The pairs of slots that cost least together."""
    return comparison.pairing(pair_gains(costs), slots)


def pair_gains(costs: Mapping[str, float]) -> tuple[float, ...]:
    """What a pair of each kind costs less than leaving both slots alone."""
    unpaired_cost = costs["omission"] + costs["insertion"]
    return tuple(unpaired_cost - costs.get(kind, 0.0) for kind in KINDS)


def cost_of(numbers: Mapping[str, Any], costs: Mapping[str, float]) -> Any:
    """Numbers of errors by kind, weighted.

    >>> cost_of({"type": 2, "omission": 1}, {"type": 0.5, "omission": 1.0})
    2.0
    """
    return sum(costs.get(kind, 0.0) * number for kind, number in numbers.items())


def score(counts: Counts) -> Score:
    _, *errors, cost, key = counts
    return Score(*(ratio(number, key) for number in (cost, *errors)))


def details(comparisons: Sequence[Comparison], *, slots: Slots = "all", ser_weights: Weights = "") -> dict[str, Any]:
    """The substitutions by kind, and which label was taken for which; '' is no label: missed, or spurious."""
    substitutions = dict.fromkeys(KINDS[1:], 0)
    confusion: dict[tuple[str, str], int] = {}
    for comparison in comparisons:
        pairs = pair_slots(comparison, costs_of(comparison, ser_weights), slots)
        for number, kind in enumerate(KINDS[1:], 1):
            substitutions[kind] += int((pairs.kind == number).sum())
        for cell, times in confusions(comparison, pairs, slots).items():
            confusion[cell] = confusion.get(cell, 0) + times
    cells = [{"key": key, "response": response, "count": n} for (key, response), n in sorted(confusion.items())]
    return {"substitutions": substitutions, "confusion": cells}


def confusions(comparison: Comparison, pairs: Pairing, slots: str = "all") -> dict[tuple[str, str], int]:
    """How often each key label met each response label."""
    key, response = comparison.key, comparison.response
    missed, spurious = comparison.unpaired_spans(pairs, slots)
    names = [*comparison.names, ""]
    none = len(comparison.names)
    left = np.concatenate([key.label[pairs.key], key.label[missed], np.full(len(spurious), none)])
    right = np.concatenate([response.label[pairs.response], np.full(len(missed), none), response.label[spurious]])
    cells, times = np.unique(left * len(names) + right, return_counts=True)
    counted = zip(cells.tolist(), times.tolist(), strict=True)
    return {(names[cell // len(names)], names[cell % len(names)]): number for cell, number in counted}


MEASURE = Measure(
    count,
    score,
    range={"ser": NON_NEGATIVE, "insertion": NON_NEGATIVE},
    better="lower",
    perfect=0.0,
    main="ser",
    details=details,
    undefined=dict.fromkeys(Score._fields, "no slot in the key: nothing to find"),
)
