"""Mention detection: are the mentions there, whatever their chains.

    recall = mentions that both sides have / mentions of the key,    precision = the same / mentions of the response

Source: Pradhan et al. 2012 (the scorer's "identification of mentions").
Edges: no mention on a side is `undefined`. Spans that `duplicates:conll` leaves in several chains count once, as in the
scorer 8.01. It depends on `match` and `singletons`, like everything that follows.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {4}])
coref.mentions(recall=0.6667, precision=0.6667, f1=0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.matches import distinct_mentions


class Counts(NamedTuple):
    """Mentions, by document."""

    common_mentions: Column
    key_mentions: Column
    response_mentions: Column


def count(comparison: Comparison) -> Counts:
    table = comparison.conll
    common = np.bincount(comparison.key.owner[comparison.matched[0]], minlength=table.documents)
    if not comparison.has_repeats:
        return Counts(common, table.key_mentions, table.response_mentions)
    once = (
        np.bincount(side.owner[distinct_mentions(comparison.pairs, side, which)], minlength=table.documents)
        for which, side in enumerate((comparison.key, comparison.response))
    )
    return Counts(common, *once)


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score, aliases=("mention", "md"))
