"""Words: how well the response cuts the text into words.

A word of the response is correct when it is a word of the key: the same characters of the text, or inside multiword
tokens the same form in an order-keeping alignment.

    precision = aligned / words of the response    recall = aligned / words of the key
    f1 = 2 · aligned / (words of the key + words of the response)

Source: the metric Words of the CoNLL 2018 shared task (Zeman et al. 2018), whose numbers these are.
Edges: undefined without words (the official scorer prints 0). Texts that differ are realigned, where the official
scorer refuses them.

>>> MEASURE([("a", "X"), ("b", "X"), ("c", "X")], [("a", "X"), ("bc", "X")])
tagging.ud_words(precision=0.5000, recall=0.3333, f1=0.4000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.word_counts import StretchCounts, StretchScore, score_stretches


class Counts(NamedTuple):
    """Words, by unit."""

    aligned: Column
    key: Column
    response: Column


def count(comparison: Comparison) -> Counts:
    unit = comparison.key_unit
    aligned = comparison.per_unit(unit[comparison.words.paired[0]])
    return Counts(aligned, comparison.per_unit(unit), comparison.per_unit(comparison.words.unit))


def score(words: Counts) -> StretchScore:
    return score_stretches(StretchCounts(*words))


MEASURE = Measure(count, score)
