"""CoNLL: the mean of the F-measures of MUC, B³ and CEAFe.

    conll = (F_MUC + F_B³ + F_CEAFe) / 3

The number by which the CoNLL shared tasks of 2011 and 2012 ranked systems. Each F comes from the totals over all
documents.

Source: Pradhan et al. 2012; the measures' own sources in their pages.
Edges: as the three measures.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.conll(f1=0.6381)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure
from aune.tasks.coref.comparison import Comparison, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures import b_cubed, ceaf_e, muc


class Counts(NamedTuple):
    """The counts of the three measures."""

    muc: muc.Counts
    b_cubed: b_cubed.Counts
    ceaf_e: ceaf_e.Counts


class Score(NamedTuple):
    """The mean F."""

    f1: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", split_antecedents: SplitAntecedents = "ignore"
) -> Counts:
    return Counts(
        muc.count(comparison, mentions=mentions, split_antecedents=split_antecedents),
        b_cubed.count(comparison, mentions=mentions, split_antecedents=split_antecedents),
        ceaf_e.count(comparison, mentions=mentions, split_antecedents=split_antecedents),
    )


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    links = muc.score(counts.muc, undefined=undefined).f1
    mentions = b_cubed.score(counts.b_cubed, undefined=undefined).f1
    chains = ceaf_e.score(counts.ceaf_e, undefined=undefined).f1
    return Score((links + mentions + chains) / 3)


MEASURE = Measure(count, score, parts=(muc.MEASURE, b_cubed.MEASURE, ceaf_e.MEASURE), aliases=("average", "avg"))
