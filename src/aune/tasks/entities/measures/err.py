"""ERR, the error per response fill of MUC-5: the share of all that was to do or was done that is wrong.

    ERR = (incorrect + partial / 2 + missing + spurious) / (correct + incorrect + partial + missing + spurious)

The counts are those of `muc` under the same `schema`. It lies between 0 and 1, but its denominator grows with what the
system inserts, so that systems are better compared by `ser`.

Source: Chinchor and Sundheim 1993; §4.3 of Ben Jannet 2015.
Edges: undefined where there is nothing on either side.

>>> MEASURE([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (8, 9, "LOC")])
entities.err(err=0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures import muc
from aune.tasks.entities.measures.muc import Counts, Schema


class Score(NamedTuple):
    """The one value."""

    err: Column


def count(comparison: Comparison, *, schema: Schema = "strict") -> Counts:
    return muc.count(comparison, schema=schema)


def score(counts: Counts) -> Score:
    correct, incorrect, partial, missing, spurious = counts
    wrong = incorrect + partial / 2 + missing + spurious
    return Score(ratio(wrong, correct + incorrect + partial + missing + spurious))


MEASURE = Measure(
    count, score, better="lower", perfect=0.0, undefined={"err": "no entity on either side: nothing to be wrong"}
)
