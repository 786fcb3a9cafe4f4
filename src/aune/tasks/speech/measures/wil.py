"""WIL: the word information that is lost.

    WIL = 1 − C/N₁ · C/N₂

Lies between 0 and 1: an answer as long as the key and all wrong, and one twice as long and all wrong, both lose
everything, although their WER is 100 % and 200 %.

Source: Morris, Maier and Green 2004; the thesis of Ben Jannet 2015, §2.5.1 and eq. 2.7.
Edges: as `wip`.

>>> MEASURE(["a b"], ["x y"]).wil, MEASURE(["a b"], ["x y z t"]).wil
(1.0, 1.0)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.measures.wip import preserved_information


class Score(NamedTuple):
    """The share lost."""

    wil: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    return comparison.errors(alignment)


def score(words: Errors) -> Score:
    return Score(1 - preserved_information(words))


MEASURE = Measure(count, score, better="lower", perfect=0.0, undefined={"wil": "no word on either side"})
