"""GAP: which of two names a pronoun stands for, and whether that is found equally well for both genders.

Every name beside a pronoun is coreferent or not, in key and response. Over all of them

    recall = TP / (TP + FN),   precision = TP / (TP + FP),   f1 = 2TP / (2TP + FP + FN)
    bias   = f1 of feminine pronouns / f1 of masculine pronouns

Source: Webster, Recasens, Axelrod and Baldridge 2018 (the GAP benchmark), as its scorer does.
Edges: a row that the response lacks is two false negatives, and a ratio without a denominator is 0, as in the scorer;
f1 by gender is undefined where there is no such pronoun. A bias of 1 is even; it is undefined when a gender is absent
or the masculine f1 is 0. For other data than GAP's, a true positive is an antecedent that both sides give.

>>> key = {"anaphors": {"her": "A", "his": "B"},
...        "attributes": {"her": {"gender": "feminine"}, "his": {"gender": "masculine"}}}
>>> MEASURE(key, {"her": "B", "his": "B"})
anaphora.gap(recall=0.5000, precision=0.5000, f1=0.5000, masculine=1.0000, feminine=0.0000, bias=0.0000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Names beside pronouns: masculine, feminine, and those of no known gender."""

    true_positives: Column
    false_positives: Column
    false_negatives: Column
    pronouns: Column


class Score(NamedTuple):
    """Over all pronouns, and f1 by gender."""

    recall: Column
    precision: Column
    f1: Column
    masculine: Column
    feminine: Column
    bias: Column


def count(comparison: Comparison) -> Counts:
    judgements = comparison.judgements
    genders = np.eye(3, dtype=np.int64)[judgements.gender]
    missed = np.where(
        judgements.unanswered > 0, judgements.unanswered, judgements.key_antecedents - judgements.strict_hits
    )
    columns = (
        judgements.strict_hits,
        judgements.response_antecedents - judgements.strict_hits,
        missed,
        judgements.listed,
    )
    return Counts(*(genders * column[:, None] for column in columns))


def score(counts: Counts) -> Score:
    hits, alarms, misses, pronouns = counts
    by_gender = np.where(pronouns > 0, ratio(2 * hits, 2 * hits + alarms + misses, 0.0), np.nan)
    masculine, feminine = by_gender[..., 0], by_gender[..., 1]
    all_hits, all_alarms, all_misses, _ = (column.sum(axis=-1) for column in counts)
    return Score(
        ratio(all_hits, all_hits + all_misses, 0.0),
        ratio(all_hits, all_hits + all_alarms, 0.0),
        ratio(2 * all_hits, 2 * all_hits + all_alarms + all_misses, 0.0),
        masculine,
        feminine,
        np.where(np.isnan(feminine), np.nan, ratio(feminine, np.where(np.isnan(masculine), 0.0, masculine))),
    )


MEASURE = Measure(
    count,
    score,
    range={"bias": NON_NEGATIVE},
    main="f1",
    undefined={
        "masculine": "no masculine pronoun",
        "feminine": "no feminine pronoun",
        "bias": "one of the genders is absent, or nothing masculine is right",
    },
)
