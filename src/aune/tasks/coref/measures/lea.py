"""LEA: how well each chain is resolved, weighted by how important it is.

A chain's importance is its size; it is resolved as far as its links (pairs of mentions) are found on the other side:

    recall = Σ |K| · Σ_R link(K∩R) / link(K)  /  Σ |K|,     link(n) = n(n−1)/2,  and 1 for a singleton

A singleton has one link, with itself, which is found when the other side has the same singleton.

Source: Moosavi and Strube 2016.
Edges: no mention on a side is `undefined`.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.lea(recall=0.3333, precision=0.6667, f1=0.4444)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, two_ratios
from aune.tasks.coref.comparison import Comparison, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.split_antecedents import count_split_documents


class Counts(NamedTuple):
    """Resolved importance and importance of the chains, by document."""

    key_resolved: Column
    key_mentions: Column
    response_resolved: Column
    response_mentions: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", split_antecedents: SplitAntecedents = "ignore"
) -> Counts:
    table = comparison.table(mentions)
    shared, key, response = table.cell_size, table.cell_key_size, table.cell_response_size
    pairs = shared * (shared - 1)
    same_singleton = (key == 1) & (response == 1)
    counts = Counts(
        table.cell_sums(np.where(same_singleton, 1.0, pairs / np.maximum(key - 1, 1))),
        table.key_mentions,
        table.cell_sums(np.where(same_singleton, 1.0, pairs / np.maximum(response - 1, 1))),
        table.response_mentions,
    )
    return _with_split_antecedents(counts, comparison, mentions) if split_antecedents == "count" else counts


def _with_split_antecedents(counts: Counts, comparison: Comparison, mentions: str) -> Counts:
    documents, split_counts = count_split_documents(comparison, "lea", mentions)
    columns = Counts(*(np.array(column, float) for column in counts))
    for column, values in zip(columns, split_counts, strict=True):
        column[documents] = values
    return columns


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return two_ratios(*counts, undefined)


MEASURE = Measure(count, score)
