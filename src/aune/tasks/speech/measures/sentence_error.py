"""Sentence error rate: the share of utterances with any error.

    SER = utterances with an error / utterances

Source: NIST's sclite (the column S.Err).
Edges: an utterance empty on both sides is right.

>>> MEASURE(["good morning", "how are you"], ["good morning", "who are you"])
speech.sentence_error(rate=0.5000)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.speech.alignment.words import OPTIONAL, WordAlignment
from aune.tasks.speech.comparison import Comparison


class Counts(NamedTuple):
    """Utterances."""

    wrong: Column
    utterances: Column


class Score(NamedTuple):
    """The share of utterances with an error."""

    rate: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Counts:
    word_alignment = comparison.alignment(alignment)
    wrong = comparison.base[np.unique(word_alignment.unit[word_alignment.kind < OPTIONAL])]
    return Counts(comparison.per_row(wrong), comparison.per_row(comparison.base))


def score(counts: Counts) -> Score:
    return Score(ratio(counts.wrong, counts.utterances))


MEASURE = Measure(count, score, better="lower", perfect=0.0, aliases=("ser", "utterance_error"))
