"""V-measure: homogeneity and completeness, and their harmonic mean.

    homogeneity  = I / H(P_K)    each response chain holds mentions of few key chains
    completeness = I / H(P_R)    each key chain lies in few response chains

Source: Rosenberg and Hirschberg 2007. It is Popescu-Belis's H (1999) under other names: homogeneity is his precision,
completeness his recall, and V his F.
Edges: 1 when the entropy below the line is 0. For a corpus, information is added up over documents, weighted by their
mentions. Mention sets are always completed with singletons (DÉF. 17).

>>> MEASURE([{1, 2}, {3, 4}], [{1, 2}, {3}, {4}])
coref.v_measure(homogeneity=1.0000, completeness=0.6667, v=0.8000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.measures import entropy
from aune.tasks.coref.measures.entropy import Counts


class Score(NamedTuple):
    """Homogeneity, completeness and V."""

    homogeneity: Column
    completeness: Column
    v: Column


def count(comparison: Comparison, *, mentions: Completed = "complete") -> Counts:
    return entropy.count(comparison, mentions=mentions)


def score(bits: Counts) -> Score:
    recall, precision, f1 = entropy.score(bits)
    return Score(precision, recall, f1)


MEASURE = Measure(count, score, support=())
