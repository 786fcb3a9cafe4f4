"""Pairs: the pairs of mentions that are in one chain, as the coreferent links of BLANC.

    recall = C / C_K,   precision = C / C_R

with C_K the pairs of mentions of the key that are in one chain, C_R those of the response, and C those of both. With
several annotators as the key, the pooled value weighs each pair by the share of the annotators who put it in one chain.

Source: Recasens and Hovy 2011 (BLANC), the coreferent links alone.
Edges: a ratio without a pair is `undefined`. Chains of one mention have no pair and do not matter. A chain of n
mentions has n(n−1)/2 pairs, so that large chains weigh more than in `muc`, which counts n−1 links.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.pairs(recall=0.3333, precision=1.0000, f1=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures import blanc


class Counts(NamedTuple):
    """Pairs of mentions in one chain, by document."""

    common: Column
    key: Column
    response: Column


def count(comparison: Comparison) -> Counts:
    links = blanc.count(comparison)
    return Counts(links.common_coreferent, links.key_coreferent, links.response_coreferent)


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined=undefined)


MEASURE = Measure(count, score, aliases=("pairwise",))
