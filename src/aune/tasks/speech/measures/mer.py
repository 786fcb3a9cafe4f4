"""MER: the share of matches that are errors.

    MER = (S + D + I) / (C + S + D + I)

The chance that a step of the alignment is an error; unlike the WER it never exceeds 1.

Source: Morris, Maier and Green 2004.
Edges: two empty transcripts have no rate (undefined); an empty key with an answer is 1.

>>> MEASURE(["a b"], ["x y z"])
speech.mer(mer=1.0000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors


class Score(NamedTuple):
    """The share."""

    mer: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    return comparison.errors(alignment)


def score(words: Errors) -> Score:
    return Score(ratio(words.wrong, words.correct + words.wrong))


MEASURE = Measure(count, score, better="lower", perfect=0.0, undefined={"mer": "no word on either side"})
