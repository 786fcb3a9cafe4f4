"""Zeros: the anaphoric zeros whose antecedent is found (the application-related score of CRAC's zeros).

A zero is a mention whose head is an empty node. One that is not the first mention of its key chain is an anaphor:

    right        its counterpart is in a response chain with the counterpart of an earlier mention of its key chain
    wrong link   its counterpart follows other mentions of its chain, but none of them is such a counterpart
    missing      it has no counterpart, or one that begins its chain
    invented     a zero of the response that follows another mention of its chain, and is no anaphor's counterpart

    recall = right / (right + wrong + missing),    precision = right / (right + wrong + invented)

Source: Tuggener 2014, as in the scorers of CorefUD (CRAC 2022 and later) and Universal Anaphora.
Edges: no anaphoric zero on a side is `undefined`. Which zeros are counterparts is decided by `match` and `zeros`.

>>> MEASURE([{1, 2}], [{1, 2}]).counts
{'right': 0, 'wrong_link': 0, 'missing': 0, 'invented': 0}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.model import is_zero


class Counts(NamedTuple):
    """Anaphoric zeros, by document."""

    right: Column
    wrong_link: Column
    missing: Column
    invented: Column


def count(comparison: Comparison) -> Counts:
    key, response = comparison.key, comparison.response
    anaphors, response_zeros = (
        side.column([is_zero(pair[which]) for pair in comparison.pairs]).astype(bool) & ~side.is_first
        for which, side in enumerate((key, response))
    )
    partner = np.full(len(key.chains), -1)
    partner[comparison.matched[0]] = comparison.matched[1]
    matched_anaphors = np.flatnonzero(anaphors & (partner >= 0))
    linked = matched_anaphors[~response.is_first[partner[matched_anaphors]]]
    right = linked[~_begins_part(comparison, partner)[linked]]
    invented = response_zeros.copy()
    invented[partner[matched_anaphors]] = False

    owners = (key.owner[right], key.owner[linked], key.owner[anaphors], response.owner[invented])
    rights, links, every, others = (np.bincount(owner, minlength=len(comparison.pairs)) for owner in owners)
    return Counts(rights, links - rights, every - links, others)


def _begins_part(comparison: Comparison, partner: Column) -> Column:
    """Which key mentions are the first of what their key chain shares with their counterpart's chain."""
    matched = np.flatnonzero(partner >= 0)
    chains = comparison.response.chains[partner[matched]]
    cells = comparison.key.chains[matched] * max(comparison.response.chain_count, 1) + chains
    begins = np.zeros(len(partner), bool)
    begins[matched[np.unique(cells, return_index=True)[1]]] = True
    return begins


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    right, wrong, missing, invented = counts
    return recall_precision(right, right + wrong + missing, right + wrong + invented, undefined)


MEASURE = Measure(count, score)
