"""Mitkov's rates: success over all anaphors, over those attempted, and over those that are not easy.

    recall       = resolved correctly / anaphors               (the success rate)
    precision    = resolved correctly / anaphors attempted
    non_trivial  = the success rate over anaphors with more than one candidate
    critical     = the success rate over anaphors with more than one candidate that agrees in gender and number
    etiquette    = (resolved correctly + left alone rightly) / anaphors and mentions listed as not anaphoric
    over_baseline = (recall − baseline) / (1 − baseline), where the baseline takes the nearest agreeing candidate

Source: Mitkov and Belguith 1998 as told by Popescu-Belis 1999 (§5.4) for recall and precision; Mitkov 2000 and 2002 for
the critical and non-trivial success rates; Mitkov, Evans and Orăsan 2002 for resolution etiquette.
Edges: an antecedent is right when it is in the anaphor's key chain (`right:strict`: when the key gives it). Candidates
come from the key: listed there, GAP's two names, or the mentions of the sentence and the two before it in a coreference
file; without any, the rates that need them are undefined. 0 over the baseline is the baseline, 1 perfect; a perfect
baseline leaves it undefined.

>>> key = {"anaphors": {"he": "Ann", "it": "hat", "rain-it": None}, "candidates": {"he": ["Ann", "hat"], "it": ["hat"]}}
>>> found = MEASURE(key, {"he": "Ann"})
>>> found.recall, found.precision, found.non_trivial, round(found.etiquette, 4)
(0.5, 1.0, 1.0, 0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import AT_MOST_ONE, Column, Measure, f_score, ratio
from aune.tasks.anaphora.comparison import Comparison, Right


class Counts(NamedTuple):
    """Anaphors."""

    correct: Column
    anaphors: Column
    attempted: Column
    non_trivial_correct: Column
    non_trivial: Column
    critical_correct: Column
    critical: Column
    left_alone: Column
    listed: Column
    baseline_correct: Column
    with_candidates: Column


class Score(NamedTuple):
    """The rates."""

    recall: Column
    precision: Column
    f1: Column
    non_trivial: Column
    critical: Column
    etiquette: Column
    over_baseline: Column


def count(comparison: Comparison, *, right: Right = "chain") -> Counts:
    judgements = comparison.judgements
    anaphoric, attempted = judgements.anaphoric == 1, judgements.response_antecedents > 0
    correct = judgements.is_resolved(right)
    several, ambiguous = anaphoric & (judgements.candidates > 1), anaphoric & (judgements.agreeing > 1)
    return Counts(
        correct,
        anaphoric,
        anaphoric & attempted,
        correct & several,
        several,
        correct & ambiguous,
        ambiguous,
        (judgements.listed == 1) & ~anaphoric & ~attempted,
        judgements.listed,
        anaphoric & ((judgements.recent if right == "chain" else judgements.recent_strict) == 1),
        anaphoric & (judgements.candidates > 0),
    )


def score(counts: Counts) -> Score:
    recall, precision = ratio(counts.correct, counts.anaphors), ratio(counts.correct, counts.attempted)
    baseline = np.where(counts.with_candidates > 0, ratio(counts.baseline_correct, counts.anaphors), np.nan)
    return Score(
        recall,
        precision,
        f_score(recall, precision),
        ratio(counts.non_trivial_correct, counts.non_trivial),
        ratio(counts.critical_correct, counts.critical),
        ratio(counts.correct + counts.left_alone, counts.listed),
        ratio(recall - baseline, 1 - baseline),
    )


MEASURE = Measure(
    count,
    score,
    range={"over_baseline": AT_MOST_ONE},
    main="recall",
    undefined={
        "recall": "the key has no anaphor",
        "precision": "the response attempts no anaphor of the key",
        "non_trivial": "the key lists no anaphor with several candidates",
        "critical": "the key lists no anaphor with several agreeing candidates",
        "over_baseline": "the key lists no candidates, or the nearest agreeing one is always right",
    },
)
