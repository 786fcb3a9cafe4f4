"""MUC: the links that a response keeps.

A chain of n mentions is held together by n − 1 links. Recall is the share of the key's links that survive in the
response, precision the share of the response's links that the key confirms:

    recall    = (|E| − Σ |π(K)|) / (|E| − |P_K|)
    precision = (|E| − Σ |σ(R)|) / (|E| − |P_R|)

Both numerators are the same number, Σ (|K∩R| − 1) over the non-empty overlaps. Mentions that only one side has change
nothing, whatever `mentions` does with them.

Source: Vilain et al. 1995, in the form of Popescu-Belis 1999 (DÉF. 6 and 7).
Edges: no link to find, or none made, is 1 in the partition convention (`undefined` one) and 0 in CoNLL's (zero).

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.muc(recall=0.5000, precision=1.0000, f1=0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.core.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison, Mentions
from aune.tasks.coref.conventions import Undefined


class Counts(NamedTuple):
    """Links, by document."""

    common_links: Column
    key_links: Column
    response_links: Column


def count(comparison: Comparison, *, mentions: Mentions = "conll") -> Counts:
    table = comparison.table(mentions)
    return Counts(
        table.common_mentions - table.cells,
        table.key_mentions - table.key_chains,
        table.response_mentions - table.response_chains,
    )


def score(links: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*links, undefined)


MEASURE = Measure(count, score)
