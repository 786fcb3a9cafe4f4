"""Pairs: anaphors are to be found as well as resolved.

Every pair ⟨anaphor, antecedent⟩ of the response is a hit, an incorrect antecedent of a real anaphor, or a false alarm;
an anaphor of the key without any is a miss:

    precision = h / (h + i + f),    recall = h / (h + i + m)

`recall`, `precision` and `f1` are strict (the antecedents of the key); `chain_…` accept any other mention of the key's
chain.

Source: the course notes on evaluating anaphora and coreference (2.4.2.2, anaphors to be found).
Edges: when each anaphor has one antecedent, precision and recall are |R∩K|/|R| and |R∩K|/|K|. Mentions that the key
lists as not anaphoric are false alarms when the response resolves them. No pair on a side is undefined.

>>> MEASURE({"he": "Clinton", "it": "slavery"}, {"he": "Mandela", "Africans": "Americans"}).counts
{'hits': 0, 'incorrect': 1, 'chain_hits': 0, 'chain_incorrect': 1, 'false_alarms': 1, 'misses': 1}
"""

from __future__ import annotations

from typing import NamedTuple

from aune.core.measure import Column, Measure, f_score, ratio
from aune.tasks.anaphora.comparison import Comparison


class Counts(NamedTuple):
    """Pairs of the response, and anaphors of the key that it misses."""

    hits: Column
    incorrect: Column
    chain_hits: Column
    chain_incorrect: Column
    false_alarms: Column
    misses: Column


class Values(NamedTuple):
    """Both readings."""

    recall: Column
    precision: Column
    f1: Column
    chain_recall: Column
    chain_precision: Column
    chain_f1: Column


def count(comparison: Comparison) -> Counts:
    found = comparison.judged
    real = found.anaphoric
    return Counts(
        real * found.strict,
        real * (found.given - found.strict),
        real * found.chained,
        real * (found.given - found.chained),
        (1 - real) * found.given,
        real * (found.given == 0),
    )


def score(counts: Counts) -> Values:
    values = []
    for hits, incorrect in ((counts.hits, counts.incorrect), (counts.chain_hits, counts.chain_incorrect)):
        recall = ratio(hits, hits + incorrect + counts.misses)
        precision = ratio(hits, hits + incorrect + counts.false_alarms)
        values += [recall, precision, f_score(recall, precision)]
    return Values(*values)


MEASURE = Measure(count, score, main="f1")
