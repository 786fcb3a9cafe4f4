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
from rapidfuzz.distance import Levenshtein

from aune.core.measure import POSITIVE, Column, Measure
from aune.tasks.speech.comparison import Comparison, Errors

Spaces = Annotated[bool, "whether the blanks between words are characters"]


class Score(NamedTuple):
    """The error rate and its parts."""

    cer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, spaces: Spaces = True) -> Errors:
    blank = " " if spaces else ""
    columns = np.zeros((4, comparison.rows))
    for row, (key, response) in zip(comparison.base.tolist(), comparison.wordings(), strict=True):
        said, given = blank.join(key), blank.join(response)
        if said == given:
            columns[0, row] = len(said)
            continue
        tags = [step.tag for step in Levenshtein.editops(said, given)]
        substitutions, deletions = tags.count("replace"), tags.count("delete")
        insertions = len(tags) - substitutions - deletions
        columns[:, row] = len(said) - substitutions - deletions, substitutions, deletions, insertions
    return Errors(*columns)


def score(characters: Errors) -> Score:
    return Score(*characters.rates)


NO_CHARACTER = "the key has no character"

MEASURE = Measure(
    count,
    score,
    range={"cer": POSITIVE, "insertions": POSITIVE},
    better="lower",
    perfect=0.0,
    main="cer",
    undefined=dict.fromkeys(Score._fields, NO_CHARACTER),
)
