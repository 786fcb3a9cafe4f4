"""WIP: the word information that is preserved.

    WIP = C/N₁ · C/N₂

C words correct, of N₁ in the key and N₂ in the response: the share of the information of each side that the other side
has. An answer all wrong preserves nothing, whatever its length.

Source: Morris, Maier and Green 2004; the thesis of Ben Jannet 2015, eq. 2.6.
Edges: 0 when one side is empty and the other is not; undefined when both are.

>>> MEASURE(["a b c d"], ["a b x"])
speech.wip(wip=0.3333)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column, Measure, ratio
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors


class Score(NamedTuple):
    """The share preserved."""

    wip: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Errors:
    return comparison.errors(alignment)


def score(words: Errors) -> Score:
    return Score(preserved_information(words))


def preserved_information(words: Errors) -> Column:
    """C/N₁ · C/N₂."""
    share: Column = ratio(words.correct, words.key_size, 0.0) * ratio(words.correct, words.response_size, 0.0)
    total = words.key_size + words.response_size
    return share * ratio(total, total)  # undefined where both sides are empty


MEASURE = Measure(count, score, perfect=1.0, undefined={"wip": "no word on either side"})
