"""BLANC: links that are there, and links that are not, each worth half.

Every pair of mentions of a document is a link: a coreference link inside a chain, a non-coreference link between two.
Recall and precision are taken over each of the two sorts and averaged; so is F:

    recall = (C/C_K + N/N_K) / 2,   precision = (C/C_R + N/N_R) / 2,   F = (F_C + F_N) / 2

with C the coreference links and N the non-coreference links on which both sides agree. All of them are sums of n(n−1)/2
over chains, overlaps and documents; no pair is ever enumerated.

Source: Recasens and Hovy 2011, for differing mention sets Luo et al. 2014, as in the CoNLL scorer 8.01.
Edges: a sort of link that the key has none of is left out (the official cases M and N); a key without any link (at most
one mention) is `undefined`. A precision over no link of the response is 0. The rule is applied once, to the totals. The
scorers of CorefUD and Universal Anaphora leave a sort out only when neither side has any (`links:either`).

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.blanc(recall=0.3333, precision=1.0000, f1=0.5000)
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core.measure import EMPTY, Column, Measure, RecallPrecision, f_score, ratio
from aune.tasks.coref.comparison import Comparison, Mentions
from aune.tasks.coref.conventions import Undefined

Sorts: TypeAlias = Annotated[
    Literal["key", "either"],
    "which sorts of links count: those that the key has (CoNLL 8.01), or those that either side has (CorefUD)",
]


class Counts(NamedTuple):
    """Links of both sorts, by document."""

    common_coreferent: Column
    key_coreferent: Column
    response_coreferent: Column
    common_distinct: Column
    key_distinct: Column
    response_distinct: Column


def count(comparison: Comparison, *, mentions: Mentions = "conll") -> Counts:
    table = comparison.table(mentions)
    common = table.of_cells(pairs(table.cell_size))
    key = table.of_keys(pairs(table.key_sizes))
    response = table.of_responses(pairs(table.response_sizes))
    # mentions that both sides have: all their pairs, less those together on either side, plus those counted twice
    shared_by_key = np.bincount(table.cell_key, table.cell_size, len(table.key_sizes))
    shared_by_response = np.bincount(table.cell_response, table.cell_size, len(table.response_sizes))
    together = table.of_keys(pairs(shared_by_key)) + table.of_responses(pairs(shared_by_response)) - common
    return Counts(
        common,
        key,
        response,
        pairs(table.common_mentions) - together,
        pairs(table.key_mentions) - key,
        pairs(table.response_mentions) - response,
    )


def pairs(sizes: Column) -> Column:
    return np.asarray(sizes * (sizes - 1) / 2)


def score(counts: Counts, *, undefined: Undefined = "zero", links: Sorts = "key") -> RecallPrecision:
    together, key_together, response_together, apart, key_apart, response_apart = map(np.asarray, counts)
    recalls = ratio(together, key_together, 0.0), ratio(apart, key_apart, 0.0)
    precisions = ratio(together, response_together, 0.0), ratio(apart, response_apart, 0.0)
    fs = [f_score(recall, precision) for recall, precision in zip(recalls, precisions, strict=True)]
    has = key_together > 0, key_apart > 0
    if links == "either":
        has = has[0] | (response_together > 0), has[1] | (response_apart > 0)
    return RecallPrecision(*(_mean(sorts, has, EMPTY[undefined]) for sorts in (recalls, precisions, fs)))


def _mean(sorts: tuple[Column, Column] | list[Column], has: tuple[Column, Column], empty: float) -> Column:
    """The mean over the sorts of links that count."""
    total = sum(np.where(there, value, 0.0) for value, there in zip(sorts, has, strict=True))
    return ratio(np.asarray(total), has[0].astype(float) + has[1], empty)


MEASURE = Measure(count, score)
