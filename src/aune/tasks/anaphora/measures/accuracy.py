"""Accuracy: how many of the anaphors given have a right antecedent.

    accuracy = anaphors resolved correctly / anaphors of the key

`strict` asks for the antecedent that the key gives; `chain` is satisfied with any other mention of the key's chain.

Source: the course notes on evaluating anaphora and coreference (2.4.2.1, anaphors known), with the variant for chains.
Edges: an anaphor to which the response gives several antecedents is right when all of them are. Mentions that the key
lists as not anaphoric do not count. No anaphor at all is undefined.

>>> MEASURE({"he": "Clinton", "his": "he"}, {"he": "Clinton", "his": "Clinton"})
anaphora.accuracy(strict=0.5000, chain=1.0000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Anaphors."""

    strict_hits: Column
    chain_hits: Column
    anaphors: Column


class Score(NamedTuple):
    """Both readings."""

    strict: Column
    chain: Column


def count(comparison: Comparison) -> Counts:
    judgements = comparison.judgements
    return Counts(judgements.is_resolved("strict"), judgements.is_resolved("chain"), judgements.anaphoric)


def score(counts: Counts) -> Score:
    strict, chain, anaphors = counts
    return Score(ratio(strict, anaphors), ratio(chain, anaphors))


MEASURE = Measure(
    count, score, undefined=dict.fromkeys(("strict", "chain"), "the key has no anaphor"), aliases=("acc",)
)
