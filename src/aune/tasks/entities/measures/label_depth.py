"""Label depth: how far down their label path the found entities are right.

Over the key entities that are paired with an overlapping one (the pairing of `ser`):

    type      = those with the right first part / all of them
    subtype   = those with the first two parts right / those whose key label has two parts or more
    third     = the same for three parts
    label     = those with the whole label right / all of them

`type` high and `subtype` low means that the kinds are known but not told apart.

Source: the distinction of type and sub-type substitutions in table 4.4 of Ben Jannet 2015.
Edges: undefined where no pair has a label that deep.

>>> MEASURE([(0, 2, "loc.fac"), (4, 6, "loc.oro")], [(0, 2, "loc.fac"), (4, 6, "loc.fac")])
entities.label_depth(type=1.0000, subtype=0.5000, third=undefined, label=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.numeric.arrays import Numbering
from aune.tasks.entities.comparison import ALL, Comparison
from aune.tasks.entities.measures.ser import costs_of, pair_slots

DEPTHS = (1, 2, 3)


class Counts(NamedTuple):
    """Pairs with the right label down to a depth, and pairs whose key label is that deep, by unit."""

    right_1: Column
    deep_1: Column
    right_2: Column
    deep_2: Column
    right_3: Column
    deep_3: Column
    right: Column
    pairs: Column


class Score(NamedTuple):
    """The share that is right, by depth."""

    type: Column
    subtype: Column
    third: Column
    label: Column


def count(comparison: Comparison) -> Counts:
    pairs = pair_slots(comparison, costs_of(comparison))
    key, response = comparison.key.label[pairs.key], comparison.response.label[pairs.response]
    chosen = []
    for depth in DEPTHS:
        heads: Numbering[tuple[str, ...]] = Numbering()
        code = heads.codes(tuple(parts[:depth]) for parts in comparison.labels.parts)
        deep = np.take(comparison.labels.depth, key) >= depth
        chosen += [deep & (np.take(code, key) == np.take(code, response)), deep]
    chosen += [key == response, ALL]
    return Counts(*(comparison.count_key(pairs.key[which]) for which in chosen))


def score(counts: Counts) -> Score:
    return Score(
        ratio(counts.right_1, counts.deep_1),
        ratio(counts.right_2, counts.deep_2),
        ratio(counts.right_3, counts.deep_3),
        ratio(counts.right, counts.pairs),
    )


MEASURE = Measure(count, score, undefined=dict.fromkeys(Score._fields, "no pair with a label of that depth"))
