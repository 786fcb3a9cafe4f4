"""WER: the errors for each word said.

    WER = (S + D + I) / N

S words replaced by others, D left out and I put in, from the alignment of both transcripts; N is the number of words in
the key. It can exceed 1. Beside it the three parts, and the recognition rate (C / N).

Source: the thesis of Ben Jannet 2015, eq. 2.1.
Edges: an empty key has no rate (undefined), its insertions count in the total; two empty transcripts are no error. A
word that may be missing and is, counts as correct, as in sclite.

>>> MEASURE(["the cat sat on the mat"], ["the cat sat mat on"])
speech.wer(wer=0.5000, substitutions=0.0000, deletions=0.3333, insertions=0.1667, recognition=0.6667)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import NON_NEGATIVE, Column, Measure, ratio
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors


class Score(NamedTuple):
    """The error rate, its parts, and the share of words recognised."""

    wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column
    recognition: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    return comparison.errors(alignment)


def score(words: Errors) -> Score:
    return Score(*words.rates, ratio(words.correct, words.key_size))


EMPTY_KEY = "the key has no word"
PERFECT = {"wer": 0.0, "substitutions": 0.0, "deletions": 0.0, "insertions": 0.0, "recognition": 1.0}

MEASURE = Measure(
    count,
    score,
    range={"wer": NON_NEGATIVE, "insertions": NON_NEGATIVE},
    better="lower",
    better_by_value={"recognition": "higher"},
    perfect=PERFECT,
    main="wer",
    undefined=dict.fromkeys(PERFECT, EMPTY_KEY),
)
