"""PER: the errors for each phoneme.

    PER = (S + D + I) / N

over the sounds of the utterances, from gruut's lexica and rules for English and French (`language`). Words that sound
alike are no error.

Source: Levenshtein 1966; Bañeras-Roux et al. 2023 for its agreement with people.
Edges: as `wer`. Needs the extra `phonemes`.

>>> MEASURE(["their books"], ["there books"]).per  # doctest: +SKIP
0.0
"""

from __future__ import annotations

from typing import NamedTuple

from aune.core.arrays import Numbers
from aune.core.measure import Column
from aune.tasks.speech.alignment.words import aligned, side
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate
from aune.tasks.speech.text.phonemes import Language, speaker_of


class Score(NamedTuple):
    """The error rate and its parts."""

    per: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, language: Language = "en") -> Errors:
    sounds = speaker_of(language)
    texts = [(sounds(key), sounds(response)) for key, response in comparison.wordings()]
    numbers: Numbers[str] = Numbers()
    key, response = side([text for text, _ in texts], numbers), side([text for _, text in texts], numbers)
    found = aligned("levenshtein", key, response, list(numbers))
    said = comparison.per_row(comparison.base, key.lengths)
    return comparison.tallied(comparison.base[found.unit], found.kind, said)


def score(sounds: Errors) -> Score:
    return Score(*sounds.rates)


MEASURE = error_rate(count, score, "the key has no sound", requires={"gruut": "phonemes"})
