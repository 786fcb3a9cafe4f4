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

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision, two_ratios
from aune.tasks.coref.comparison import Comparison, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.split_antecedents import count_split_documents


class Counts(NamedTuple):
    """Links, by document. Under `split_antecedents:count` common links are two numbers: of recall and of precision."""

    common_links: Column
    key_links: Column
    response_links: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", split_antecedents: SplitAntecedents = "ignore"
) -> Counts:
    table = comparison.table(mentions)
    links = Counts(
        table.common_mentions - table.cells,
        table.key_mentions - table.key_chains,
        table.response_mentions - table.response_chains,
    )
    return _with_split_antecedents(links, comparison, mentions) if split_antecedents == "count" else links


def _with_split_antecedents(links: Counts, comparison: Comparison, mentions: str) -> Counts:
    documents, totals = count_split_documents(comparison, "muc", mentions)
    recalled, key_links, precise, response_links = totals
    common, key, response = (np.array(column, float) for column in links)
    both_common = np.stack([common, common], axis=1)
    both_common[documents] = np.stack([recalled, precise], axis=1)
    key[documents], response[documents] = key_links, response_links
    return Counts(both_common, key, response)


def score(links: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    common = np.asarray(links.common_links)
    if common.ndim == np.ndim(links.key_links):
        return recall_precision(*links, undefined)
    return two_ratios(common[..., 0], links.key_links, common[..., 1], links.response_links, undefined)


MEASURE = Measure(count, score)
