"""CEAFe: chains that correspond, one to one, each worth the same.

Key and response chains are paired so that the pairs are as alike as possible (φ₄ = 2|K∩R| / (|K|+|R|)); then

    recall = Σ φ₄ / chains of the key,    precision = Σ φ₄ / chains of the response

Source: Luo 2005 (entity-based CEAF), as in the CoNLL scorer 8.01.
Edges: no chain on a side is `undefined`. Under `mentions:complete` the pairing is that of the completed partitions.
Under `duplicates:conll` a span that the key repeats is in each of its chains, once.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.ceaf_e(recall=0.8000, precision=0.4000, f1=0.5333)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.split_antecedents import count_split_documents


class Counts(NamedTuple):
    """Likeness of the paired chains, and chains, by document."""

    likeness: Column
    key_chains: Column
    response_chains: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", split_antecedents: SplitAntecedents = "ignore"
) -> Counts:
    table = comparison.complete if mentions == "complete" else comparison.with_copies
    likeness = table.cell_sums(np.where(table.matched_by_dice, table.dice, 0.0))
    counts = Counts(likeness, table.key_chains, table.response_chains)
    return _with_split_antecedents(counts, comparison, mentions) if split_antecedents == "count" else counts


def _with_split_antecedents(counts: Counts, comparison: Comparison, mentions: str) -> Counts:
    documents, (common, key_total, _, response_total) = count_split_documents(comparison, "ceaf_e", mentions)
    columns = Counts(*(np.array(column, float) for column in counts))
    for column, values in zip(columns, (common, key_total, response_total), strict=True):
        column[documents] = values
    return columns


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score, aliases=("ceaf", "ceafe"))
