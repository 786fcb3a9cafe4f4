"""Rand index: the pairs of mentions on which key and response agree, together or apart.

    rand = (pairs together on both sides + pairs apart on both sides) / all pairs

Source: Rand 1971.
Edges: fewer than two mentions is `undefined`. Pairs are formed inside documents and added up. Mention sets are always
completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.rand(rand=0.3333)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import UNDEFINED_VALUES, Column, Measure, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.blanc import pair_counts


class Counts(NamedTuple):
    """Pairs of mentions, by document."""

    agreed: Column
    pairs: Column


class Score(NamedTuple):
    """Share of pairs agreed on."""

    rand: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    together = table.cell_sums(pair_counts(table.cell_size))
    key, response = table.key_sums(pair_counts(table.key_sizes)), table.response_sums(pair_counts(table.response_sizes))
    every = pair_counts(table.key_mentions)
    return Counts(every - key - response + 2 * together, every)


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    return Score(ratio(counts.agreed, counts.pairs, UNDEFINED_VALUES[undefined]))


MEASURE = Measure(count, score)
