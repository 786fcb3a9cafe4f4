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

from aune.contract.measure import Column
from aune.numeric.arrays import Numbering
from aune.tasks.speech.alignment.words import align_words, encode_texts
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate
from aune.tasks.speech.text.phonemes import Language, pronouncer


class Score(NamedTuple):
    """The error rate and its parts."""

    per: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, language: Language = "en") -> Errors:
    sounds = pronouncer(language)
    texts = [(sounds(key), sounds(response)) for key, response in comparison.wordings()]
    numbers: Numbering[str] = Numbering()
    key, response = (
        encode_texts([text for text, _ in texts], numbers),
        encode_texts([text for _, text in texts], numbers),
    )
    alignment = align_words("levenshtein", key, response, list(numbers))
    sizes = comparison.per_row(comparison.base, key.lengths)
    return comparison.tally_errors(comparison.base[alignment.unit], alignment.kind, sizes)


def score(sounds: Errors) -> Score:
    return Score(*sounds.rates)


MEASURE = error_rate(count, score, "the key has no sound", requires={"gruut": "phonemes"})
