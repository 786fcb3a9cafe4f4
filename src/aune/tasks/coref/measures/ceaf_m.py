"""CEAFm: mentions in chains that correspond, one to one.

Key and response chains are paired so that the pairs share as many mentions as possible (φ₃ = |K∩R|); then

    recall = Σ φ₃ / mentions of the key,    precision = Σ φ₃ / mentions of the response

Source: Luo 2005 (mention-based CEAF), as in the CoNLL scorer 8.01.
Edges: no mention on a side is `undefined`. Under `mentions:complete` the pairing is that of the completed partitions.
Under `duplicates:conll` a span that the key repeats is in each of its chains, once.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.ceaf_m(recall=0.6667, precision=0.6667, f1=0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.split_antecedents import count_split_documents


class Counts(NamedTuple):
    """Mentions, by document."""

    shared: Column
    key_mentions: Column
    response_mentions: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", split_antecedents: SplitAntecedents = "ignore"
) -> Counts:
    table = comparison.complete if mentions == "complete" else comparison.with_copies
    shared = table.cell_sums(table.cell_size * table.matched_by_mentions)
    counts = Counts(shared, table.key_mentions, table.response_mentions)
    return _with_split_antecedents(counts, comparison, mentions) if split_antecedents == "count" else counts


def _with_split_antecedents(counts: Counts, comparison: Comparison, mentions: str) -> Counts:
    documents, (common, key_total, _, response_total) = count_split_documents(comparison, "ceaf_m", mentions)
    columns = Counts(*(np.array(column, float) for column in counts))
    for column, values in zip(columns, (common, key_total, response_total), strict=True):
        column[documents] = values
    return columns


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score, aliases=("ceafm",))
