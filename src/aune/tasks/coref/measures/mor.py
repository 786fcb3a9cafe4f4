"""MOR, mention overlap ratio: how far the extents of mentions agree, whatever their chains.

Mentions of key and response are paired one to one so that the pairs share as many tokens as possible; then

    recall = tokens shared / tokens of the key's mentions,    precision = the same / tokens of the response's mentions

A token that lies in several mentions counts once for each.

Source: Žabokrtský et al. 2022 (the CorefUD shared task of CRAC), as its scorer does.
Edges: no mention on a side is `undefined`. Mentions given by name instead of place are one token long.

>>> MEASURE([{(0, 3), (5, 6)}], [{(1, 3), (5, 6)}])
coref.mor(recall=0.7500, precision=1.0000, f1=0.8571)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.extents import best_overlaps, token_counts


class Counts(NamedTuple):
    """Tokens of mentions, by document."""

    shared_tokens: Column
    key_tokens: Column
    response_tokens: Column


def count(comparison: Comparison) -> Counts:
    table = comparison.conll
    shared, owner = best_overlaps(comparison)
    return Counts(
        table.per_document(shared, owner),
        table.per_document(token_counts(comparison, 0), comparison.key.owner),
        table.per_document(token_counts(comparison, 1), comparison.response.owner),
    )


def score(tokens: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*tokens, undefined)


MEASURE = Measure(count, score)
