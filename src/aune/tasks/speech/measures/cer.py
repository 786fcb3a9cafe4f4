"""CER: the errors for each character.

    CER = (S + D + I) / N

over the characters of the utterances, with the blank between two words as one of them (`spaces`).

Source: Levenshtein 1966; the convention of jiwer.
Edges: as `wer`. Of several wordings, the one that fits best word by word.

>>> MEASURE(["the cat"], ["the cats"])
speech.cer(cer=0.1429, substitutions=0.0000, deletions=0.0000, insertions=0.1429)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.tasks.speech.alignment.words import edit_steps
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate

Spaces = Annotated[bool, "whether the blanks between words are characters"]


class Score(NamedTuple):
    """The error rate and its parts."""

    cer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, spaces: Spaces = True) -> Errors:
    keys, responses = comparison.texts(" " if spaces else "")
    steps = edit_steps(keys, responses)
    sizes = comparison.per_row(comparison.base, np.fromiter(map(len, keys), np.int64, len(keys)))
    return comparison.tally_errors(comparison.base[np.array(steps.unit, np.int64)], steps.kind, sizes)


def score(characters: Errors) -> Score:
    return Score(*characters.rates)


MEASURE = error_rate(count, score, "the key has no character")
