"""Batches of a training loop, counted directly from lists of texts, the most common case.

Only totals are computed, so that a batch takes a fraction of the time of a comparison. Any input other than two lists
of equally many texts is left to the comparison.
"""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import Any

from aune.contract.task import Batch
from aune.reading.python_inputs import is_list_of
from aune.tasks.speech.alignment.words import edit_steps
from aune.tasks.speech.notes import text_notes

EDIT_KIND = itemgetter(0)


def wer(key: Any, response: Any) -> Batch | None:
    """The counts of the word error rate: the words of the key by their outcome."""
    if not (is_list_of(key, str) and is_list_of(response, str)) or len(key) != len(response):
        return None
    key_words, response_words = ([text.split() for text in side] for side in (key, response))
    steps = Counter(map(EDIT_KIND, edit_steps(key_words, response_words).edits))
    substitutions, deletions, insertions = steps["replace"], steps["delete"], steps["insert"]
    correct = sum(map(len, key_words)) - substitutions - deletions
    notes = text_notes(zip(key, response, strict=True))
    return Batch(
        len(key),
        (correct, substitutions, deletions, insertions),
        notes=notes,
        has_annotation=(any(key_words), any(response_words)),
    )
