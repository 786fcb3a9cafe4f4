"""Pairs: anaphors are to be found as well as resolved.

Every pair ⟨anaphor, antecedent⟩ of the response is a hit, an incorrect antecedent of a real anaphor, or a false alarm;
an anaphor of the key without any is a miss:

    precision = h / (h + i + f) = h / |R|,    recall = h / |K|,  which is h / (h + i + m) with one antecedent each

`recall`, `precision` and `f1` are strict (the pairs of the key); `chain_…` accept any other mention of the key's chain,
and their recall is the share of the key's anaphors that have such an antecedent.

Source: the course notes on evaluating anaphora and coreference (2.4.2.2, anaphors to be found).
Edges: precision and recall are |R∩K|/|R| and |R∩K|/|K| for any number of antecedents. Mentions that the key lists as
not anaphoric are false alarms when the response resolves them. No pair on a side is undefined.

>>> MEASURE({"he": "Clinton", "it": "slavery"}, {"he": "Mandela", "Africans": "Americans"}).counts
{'hits': 0, 'incorrect': 1, 'chain_hits': 0, 'chain_incorrect': 1, 'false_alarms': 1, 'misses': 1, 'key_pairs': 2,
'chain_found': 0, 'anaphors': 2}
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, recall_precision, two_ratios
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Pairs of the response, and anaphors of the key that it misses."""

    hits: Column
    incorrect: Column
    chain_hits: Column
    chain_incorrect: Column
    false_alarms: Column
    misses: Column
    key_pairs: Column
    chain_found: Column
    """Anaphors with an antecedent in their key chain."""
    anaphors: Column


class Score(NamedTuple):
    """Both readings."""

    recall: Column
    precision: Column
    f1: Column
    chain_recall: Column
    chain_precision: Column
    chain_f1: Column


def count(comparison: Comparison) -> Counts:
    judgements = comparison.judgements
    anaphoric = judgements.anaphoric
    return Counts(
        anaphoric * judgements.strict_hits,
        anaphoric * (judgements.response_antecedents - judgements.strict_hits),
        anaphoric * judgements.chain_hits,
        anaphoric * (judgements.response_antecedents - judgements.chain_hits),
        (1 - anaphoric) * judgements.response_antecedents,
        anaphoric * (judgements.response_antecedents == 0),
        judgements.key_antecedents,
        anaphoric * (judgements.chain_hits > 0),
        anaphoric,
    )


def score(counts: Counts) -> Score:
    response_pairs = counts.hits + counts.incorrect + counts.false_alarms
    strict = recall_precision(counts.hits, counts.key_pairs, response_pairs)
    return Score(*strict, *two_ratios(counts.chain_found, counts.anaphors, counts.chain_hits, response_pairs))


MEASURE = Measure(count, score, main="f1")
