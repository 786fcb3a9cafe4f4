"""Variation of information: the bits per mention by which key and response differ.

    lost   = H(P_K) − I    what the key distinguishes and the response does not
    gained = H(P_R) − I    what the response distinguishes and the key does not
    vi     = lost + gained

A distance between partitions: 0 for the same partition, at most log₂|E|; lower is better.

Source: Meilă 2007.
Edges: undefined without any mention. For a corpus, information is added up over documents, weighted by their mentions.
Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2}, {3, 4}], [{1, 2}, {3}, {4}])
coref.variation_of_information(lost=0.0000, gained=0.5000, vi=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.information import information


class Counts(NamedTuple):
    """Bits times mentions, and mentions, by document."""

    lost: Column
    gained: Column
    mentions: Column


class Score(NamedTuple):
    """Bits per mention."""

    lost: Column
    gained: Column
    vi: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    table = comparison.table(mentions)
    common, key, response = information(table)
    return Counts(np.maximum(key - common, 0.0), np.maximum(response - common, 0.0), table.key_mentions)


def score(counts: Counts) -> Score:
    lost, gained = ratio(counts.lost, counts.mentions), ratio(counts.gained, counts.mentions)
    return Score(lost, gained, lost + gained)


MEASURE = Measure(count, score, range=NON_NEGATIVE, better="lower", perfect=0.0, percent=False, aliases=("vi",))
