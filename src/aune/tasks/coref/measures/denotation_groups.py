"""Denotation assignments between groups of chains (experimental).

As `denotation`, without its one-to-one correspondence: a chain may correspond to up to `width` chains of the other
side, and C are the pairs of chains with the largest total similarity among all such correspondences (a flow network
with this capacity).

    recall    = Σ_C (|K∩R| − 1) / Σ (|K| − 1)
    precision = Σ_C (|K∩R| − 1) / Σ (|R| − 1)

With a width of 1 these are the recall and precision of `denotation`; when the width is no limit, every overlap counts
and they are those of MUC. In between, a referent that the response cut in two is still recognised in both halves.

Experimental: the paper thinks of such groups, with flow networks, and settles neither the capacity nor the score. Both
are ours and may change, which the signature says (`status:experimental`).

Source: Trouilleux, Gaussier, Bès and Zaenen 2000 (§4.2), who envisage it without a formula.
Edges: as `denotation`; mention sets are always completed with singletons.

>>> MEASURE([{1, 2, 3, 4, 5, 6}], [{1, 2}, {3, 4}, {5, 6}], width=1).recall
0.2
>>> MEASURE([{1, 2, 3, 4, 5, 6}], [{1, 2}, {3, 4}, {5, 6}]).recall
0.4
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Experimental, Measure, RecallPrecision, recall_precision
from aune.contract.options import Range
from aune.tasks.coref.comparison import Comparison, Completed
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    collect_expressions,
    multiple_correspondence,
    parse_specificity,
    similarities,
)
from aune.tasks.coref.denotation_details import Specificity
from aune.tasks.coref.mentions.kinds import Kinds, note_unknown_kinds

Width: TypeAlias = Annotated[int, "how many chains of the other side a chain may correspond to", Range(1)]


class Counts(NamedTuple):
    """Denotation assignments, by document."""

    correct: Column
    possible: Column
    actual: Column


def count(
    comparison: Comparison,
    *,
    mentions: Completed = "complete",
    specificity: Specificity = SPECIFICITY,
    kinds: Kinds = "format",
    width: Width = 2,
    status: Experimental = "experimental",
) -> Counts:
    table, classes = comparison.table(mentions), parse_specificity(specificity)
    note_unknown_kinds(comparison, "denotation_groups", kinds)
    all_expressions = collect_expressions(comparison, list(classes), kinds)
    chosen = multiple_correspondence(
        all_expressions, similarities(all_expressions, list(classes.values()), kinds), width
    )
    correct = np.bincount(all_expressions.cell_document[chosen], all_expressions.cell_size[chosen] - 1, table.documents)
    return Counts(correct, table.key_mentions - table.key_chains, table.key_mentions - table.response_chains)


def score(counts: Counts) -> RecallPrecision:
    return recall_precision(*counts)


MEASURE = Measure(
    count,
    score,
    undefined={
        "recall": "the key assigns no denotation: all its chains are singletons",
        "precision": "the response assigns no denotation: all its chains are singletons",
        "f1": "recall or precision is undefined",
    },
)
