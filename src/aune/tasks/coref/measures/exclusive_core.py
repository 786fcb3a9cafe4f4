r"""XC, exclusive core classes: one response chain per key chain, and none for two.

Key chains choose in decreasing order of size; each takes, among the response chains still free, the one with which it
shares most mentions, if it shares any. That chain is its exclusive core xc(K):

    recall    = Σ |K ∩ xc(K)| / |E|
    precision = 1 − Σ |xc(K) \ K| / |E|

When the response chain that a key chain shares most with is taken, the next best free one is (`taken:next`), or nothing
is, as in the paper's example where xc*(K₂) = ∅ (`taken:empty`, where a key chain wants its core c(K) and no other;
among equal overlaps, for which the paper draws lots, the larger response chain: row 3c of table 2 is reached only so).

Source: Popescu-Belis 1999 (§4.5), which gives no formula; these reproduce the published 53/59, 20/100 and 50/50.
Edges: key chains of equal size choose in the order of their first mentions; among equal overlaps they take the smaller
response chain, and among those the one whose first mention comes first. So the result does not depend on the order of
the files, nor on who completes the mention sets, which are always completed with singletons (DÉF. 17). No mention at
all is `undefined`.

>>> MEASURE([{1, 2, 3}, {4, 5}], [{1, 2, 4, 5}, {3}])
coref.exclusive_core(recall=0.4000, precision=0.6000, f1=0.4800)
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column, Measure, RecallPrecision, two_ratios
from aune.numeric.arrays import run_starts
from aune.tasks.coref.comparison import Comparison, Completed, Contingency
from aune.tasks.coref.conventions import Undefined

Taken: TypeAlias = Annotated[
    Literal["next", "empty"],
    "when the response chain that a key chain shares most with is taken: the next best free one, or none",
]


class Counts(NamedTuple):
    """Mentions, by document."""

    in_own_core: Column
    not_in_foreign_core: Column
    mentions: Column


def count(comparison: Comparison, *, mentions: Completed = "complete", taken: Taken = "next") -> Counts:
    table = comparison.table(mentions)
    cores = exclusive_cores(table, taken)
    inside = table.cell_sums(table.cell_size * cores)
    outside = table.cell_sums((table.cell_response_size - table.cell_size) * cores)
    return Counts(inside, table.key_mentions - outside, table.key_mentions)


def exclusive_cores(table: Contingency, taken: str = "next") -> NDArray[np.bool_]:
    """Which cells are K ∩ xc(K).

    All documents choose at the same time: turn after turn, each document's next largest key chain takes its best
    response chain that is still free.
    """
    turn = _turns(table)[table.cell_key]
    widest = int(table.response_sizes.max(initial=0)) + 1
    merit = table.cell_response_size - widest * table.cell_size  # most shared, then smallest; lexsort keeps the rest
    order = np.lexsort((merit, turn * len(table.key_sizes) + table.cell_key))
    if taken == "empty":
        order = order[_precores(table)[order]]
    bounds = np.searchsorted(turn[order], np.arange(turn.max(initial=-1) + 2))
    free = np.ones(len(table.response_sizes), bool)
    chosen = np.zeros(len(table.cell_size), bool)
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        cells = order[start:end]
        cells = cells[free[table.cell_response[cells]]]
        best = cells[run_starts(table.cell_key[cells])]
        chosen[best] = True
        free[table.cell_response[best]] = False
    return chosen


def _precores(table: Contingency) -> NDArray[np.bool_]:
    """Which cells are c(K), the largest overlap of their key chain; among equals, with the larger response chain."""
    order = np.lexsort((np.arange(len(table.cell_key)), -table.cell_response_size, -table.cell_size, table.cell_key))
    precores = np.zeros(len(order), bool)
    precores[order[run_starts(table.cell_key[order])]] = True
    return precores


def _turns(table: Contingency) -> NDArray[Any]:
    """When each key chain chooses in its document: 0 for the largest."""
    order = np.lexsort((np.arange(len(table.key_sizes)), -table.key_sizes, table.key_document))
    starts = np.concatenate([[0], np.cumsum(table.key_chains)[:-1]])
    turns = np.empty(len(order), np.int64)
    turns[order] = np.arange(len(order)) - starts[table.key_document[order]]
    return turns


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    inside, right, mentions = counts
    return two_ratios(inside, mentions, right, mentions, undefined)


MEASURE = Measure(count, score)
