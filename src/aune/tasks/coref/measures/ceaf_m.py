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

from aune.core.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison, Mentions
from aune.tasks.coref.conventions import Undefined


class Counts(NamedTuple):
    """Mentions, by document."""

    shared: Column
    key_mentions: Column
    response_mentions: Column


def count(comparison: Comparison, *, mentions: Mentions = "conll") -> Counts:
    table = comparison.complete if mentions == "complete" else comparison.with_copies
    shared = table.of_cells(table.cell_size * table.matched_by_mentions)
    return Counts(shared, table.key_mentions, table.response_mentions)


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score, aliases=("ceafm",))
