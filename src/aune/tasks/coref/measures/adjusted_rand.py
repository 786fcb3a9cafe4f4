"""Adjusted Rand index: agreement on pairs of mentions, beyond what chance gives.

    ari = (C − C_K·C_R/T) / ((C_K + C_R)/2 − C_K·C_R/T)

with C the pairs together on both sides, C_K and C_R those together on each side, and T all pairs. 0 is what random
partitions with the same chain sizes get on average; it can be negative.

Source: Hubert and Arabie 1985.
Edges: 1 when key and response are both all singletons or both one chain (they are then the same partition, and there is
nothing to adjust); undefined when the document has fewer than two mentions. For a corpus C, the expected C and the
largest C are added up over documents. Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}])
coref.adjusted_rand(ari=0.1667)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.contract.options import Range
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.measures.blanc import pair_counts


class Counts(NamedTuple):
    """Pairs of mentions, by document."""

    together: Column
    expected: Column
    largest: Column
    pairs: Column


class Score(NamedTuple):
    """Agreement beyond chance."""

    ari: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    key, response = table.key_sums(pair_counts(table.key_sizes)), table.response_sums(pair_counts(table.response_sizes))
    every = pair_counts(table.key_mentions)
    expected = ratio(key * response, every, 0.0)
    return Counts(table.cell_sums(pair_counts(table.cell_size)), expected, (key + response) / 2, every)


def score(counts: Counts) -> Score:
    together, expected, largest, every = counts
    adjusted = ratio(together - expected, largest - expected, 1.0)
    return Score(np.where(np.asarray(every) == 0, np.nan, adjusted))


MEASURE = Measure(
    count,
    score,
    range=Range(-1, 1),
    support=(),
    undefined={"ari": "fewer than two mentions: there is no pair to agree on"},
    aliases=("ari",),
)
