"""NE-WER: the word error rate on named entities.

    NE-WER = (S + D + I) / N    over the words of entities

An insertion counts when it falls between two words of the same entity, not at its edge. The words of nested entities
belong to the outermost. The alignment is `similar` unless another is asked for: entities are names, and a name
misheard must meet the name, not the word beside it.

Source: Garofolo et al. 1999; the thesis of Ben Jannet 2015, eq. 2.10.
Edges: a key without entities has no rate (undefined).

>>> key = {"u": {"text": "the monro company said", "entities": [(1, 3, "ORG")]}}
>>> MEASURE(key, {"u": "monroe said"})
speech.ne_wer(ne_wer=1.0000, substitutions=0.5000, deletions=0.5000, insertions=0.0000)
"""

from __future__ import annotations

from typing import NamedTuple

from aune.contract.measure import Column
from aune.tasks.speech.alignment.words import WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate


class Score(NamedTuple):
    """The error rate on the words of entities, and its parts."""

    ne_wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(comparison: Comparison, *, alignment: WordAlignment = "similar") -> Errors:
    inside = comparison.in_entities
    return Errors(*(column * inside for column in comparison.errors(alignment)))


def score(words: Errors) -> Score:
    return Score(*words.rates)


NO_ENTITY = "the key has no entity"

MEASURE = error_rate(count, score, NO_ENTITY)
