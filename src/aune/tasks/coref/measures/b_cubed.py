"""B³: how much of each mention's chain is found with it.

Every mention gets the share of its key chain that lies in its response chain (recall), and the share of its response
chain that lies in its key chain (precision); the score is the mean over mentions:

    recall    = Σ |K∩R|² / |K|  /  |E|
    precision = Σ |K∩R|² / |R|  /  |E|

`weights` changes the mean: `chain` gives every chain the same weight whatever its size, and `name=3,noun=2,pronoun=1`
weighs mentions by their kind (kinds not named weigh 1).

`over:coreferent` leaves singletons out of what is averaged, those of the key in recall and those of the response in
precision, but not out of the other side, where they are mentions left alone (P², Popescu-Belis 1999, §5.2; recall and
precision of MUC and C are the same either way, by PROP. 13).

Source: Bagga and Baldwin 1998, in the form of Popescu-Belis 1999 (DÉF. 8 and 9); weights by kind after Trouilleux et
al. 2000, §6.4.
Edges: under `mentions:conll` a mention that the other side lacks scores 0 and |E| is its own side's count; under
`mentions:complete` it is a singleton there. No mention at all is `undefined`. Under `duplicates:conll` a span that the
key repeats is in the last of its chains, as in the scorer 8.01, and all its copies are mentions of the key.

>>> MEASURE([{1, 2, 3}], [{1, 2}, {3}])
coref.b_cubed(recall=0.5556, precision=1.0000, f1=0.7143)
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np

from aune.contract.measure import WEIGHT_RANGE, Column, Measure, RecallPrecision, two_ratios
from aune.contract.options import parse_named_numbers
from aune.errors import UsageError
from aune.numeric.arrays import Ints
from aune.tasks.coref.comparison import Comparison, Contingency, Mentions, SplitAntecedents
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.measures.split_antecedents import count_split_documents
from aune.tasks.coref.mentions.kinds import mention_kinds, note_unknown_kinds

Over = Annotated[
    Literal["all", "coreferent"],
    "whose scores are averaged: those of all chains, or of chains of two and more mentions",
]
Weights = Annotated[str, "what weighs the same: mention, chain, or weights by kind such as name=3,noun=2,pronoun=1"]


class Counts(NamedTuple):
    """Sums of the mentions' scores and of their weights, by document."""

    key_overlap: Column
    key_weight: Column
    response_overlap: Column
    response_weight: Column


def count(
    comparison: Comparison, *, mentions: Mentions = "conll", weights: Weights = "mention", over: Over = "all",
    split_antecedents: SplitAntecedents = "ignore",
) -> Counts:  # fmt: skip
    counts = _count_chains(comparison, mentions=mentions, weights=weights, over=over)
    if split_antecedents == "ignore":
        return counts
    documents, split_counts = count_split_documents(comparison, "b_cubed", mentions)
    if len(documents) and (weights != "mention" or over != "all"):
        raise UsageError(
            "--split-antecedents count: b_cubed defines no weights for split antecedents, choose --weights mention "
            "--over all, or --split-antecedents ignore"
        )
    columns = Counts(*(np.array(column, float) for column in counts))
    for column, values in zip(columns, split_counts, strict=True):
        column[documents] = values
    return columns


def _count_chains(comparison: Comparison, *, mentions: str, weights: str, over: str) -> Counts:
    table = comparison.table(mentions)
    least = 2 if over == "coreferent" else 1
    if weights == "mention":
        return _count_by_mention(table, table.cell_size if mentions == "complete" else comparison.shared_sizes, least)
    if weights == "chain":
        return _count_by_chain(table, least)
    return _count_by_kind(comparison, mentions, parse_weights(weights), least)


def score(overlaps: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return two_ratios(*overlaps, undefined)


def _count_by_mention(table: Contingency, shared: Ints, least: int) -> Counts:
    squares = table.cell_size.astype(float) * shared
    key_included, response_included = table.cell_key_size >= least, table.cell_response_size >= least
    return Counts(
        table.cell_sums(key_included * squares / table.cell_key_size),
        table.key_sums(table.key_sizes * (table.key_sizes >= least)),
        table.cell_sums(response_included * squares / table.cell_response_size),
        table.response_sums(table.response_sizes * (table.response_sizes >= least)),
    )


def _count_by_chain(table: Contingency, least: int) -> Counts:
    """The mean over the mentions of a chain, summed over chains."""
    key_included, response_included = table.cell_key_size >= least, table.cell_response_size >= least
    return Counts(
        table.cell_sums(key_included * (table.cell_size / table.cell_key_size) ** 2),
        table.key_sums(table.key_sizes >= least),
        table.cell_sums(response_included * (table.cell_size / table.cell_response_size) ** 2),
        table.response_sums(table.response_sizes >= least),
    )


def _count_by_kind(comparison: Comparison, mentions: str, weights: dict[str, float], least: int) -> Counts:
    """Mention by mention; a mention that the other side lacks meets nobody (conll) or itself (complete)."""
    if set(weights.values()) != {1.0}:
        note_unknown_kinds(comparison, "b_cubed")
    table, alone = comparison.conll, int(mentions == "complete")
    sides, matched = (comparison.key, comparison.response), comparison.matched
    together = table.cell_size[
        table.find_cells(*(side.chains[same] for side, same in zip(sides, matched, strict=True)))
    ]
    worth = [np.array([weights.get(kind, 1.0) for kind in mention_kinds(comparison, which)]) for which in (0, 1)]
    sums = []
    for which, (side, sizes) in enumerate(zip(sides, (table.key_sizes, table.response_sizes), strict=True)):
        size, shared = sizes[side.chains], np.full(len(side.chains), alone)
        shared[matched[which]] = together
        weight = worth[which] * (size >= least)
        overlap, total = (table.per_document(part, side.owner) for part in (weight * shared / size, weight))
        if alone and least == 1:  # mentions that only the other side has are perfect singletons here
            other_weights = worth[1 - which].copy()
            other_weights[matched[1 - which]] = 0.0
            extra = table.per_document(other_weights, sides[1 - which].owner)
            overlap, total = overlap + extra, total + extra
        sums += [overlap, total]
    return Counts(*sums)


def parse_weights(text: str) -> dict[str, float]:
    """`name=3,noun=2` as numbers.

    >>> parse_weights("name=3,noun=2")
    {'name': 3.0, 'noun': 2.0}
    """
    try:
        weights = dict(parse_named_numbers(text))
    except ValueError:
        weights = {}
    if not all(kind and weight in WEIGHT_RANGE for kind, weight in weights.items()) or not weights:
        raise UsageError(f"--weights {text}: expected mention, chain, or such as name=3,noun=2,pronoun=1")
    return weights


MEASURE = Measure(count, score, aliases=("b3", "bcubed", "bcub"))
