"""Where in an utterance the errors of a recogniser are, for the tests on segments.

`SLOTS` is a measure only in form: it counts nothing, and its details are the errors by slot (see `segments`). Scored
beside others, it carries the alignments of each system to the comparison of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import numpy as np

from aune.core.measure import Column, Measure

Alignment = Annotated[str, "how words are aligned, as for the word error rate"]


class Slots(NamedTuple):
    """The errors on each slot, and the utterance of each slot."""

    errors: Column
    utterance: Column


class Nothing(NamedTuple):
    """A column of zeros."""

    nothing: Column


def count(comparison: Any, *, alignment: Alignment = "levenshtein") -> Nothing:
    return Nothing(np.zeros(len(comparison.units["document"])))


def score(counts: Nothing) -> Nothing:
    return Nothing(np.asarray(counts.nothing))


def slots(comparisons: Sequence[Any], *, alignment: Alignment = "levenshtein") -> Slots:
    """The errors by slot of all utterances of all comparisons."""
    errors, utterances, first = [], [], 0
    for comparison in comparisons:
        found = slots_of(comparison.alignment(alignment))
        errors.append(found.errors)
        utterances.append(first + found.utterance)
        first += len(comparison.pairs)
    return Slots(np.concatenate(errors), np.concatenate(utterances))


def slots_of(alignment: Any) -> Slots:
    """Slots of an alignment: for every utterance a gap, then a word and a gap in turn."""
    speech = import_module("aune.tasks.speech.alignment.words")
    starts = np.asarray(alignment.key.starts)
    number = np.arange(len(starts) - 1)
    utterance = np.repeat(number, 2 * np.diff(starts) + 1)
    inserted = alignment.kind == speech.INSERTION
    wrong = inserted | (alignment.kind == speech.SUBSTITUTION) | (alignment.kind == speech.DELETION)
    place = 2 * alignment.key_at + alignment.unit + np.where(inserted, 0, 1)
    return Slots(np.bincount(place[wrong], minlength=len(utterance)), utterance)


def matched(first: Slots, second: Slots) -> tuple[Column, Column, Column]:
    """The errors of two systems on the same slots, and their utterances.

    An utterance for which the key has several wordings may be aligned with another one for each system; it is then one
    slot, and so one segment.
    """
    lengths = [np.bincount(one.utterance) for one in (first, second)]
    if np.array_equal(lengths[0], lengths[1]):
        return first.errors, second.errors, first.utterance
    pieces = [np.split(one.errors, np.cumsum(size)[:-1]) for one, size in zip((first, second), lengths, strict=True)]
    columns: tuple[list[Column], list[Column]] = ([], [])
    for one, other in zip(*pieces, strict=True):
        same = len(one) == len(other)
        for column, errors in zip(columns, (one, other), strict=True):
            column.append(errors if same else np.array([errors.sum()]))
    utterance = np.repeat(np.arange(len(columns[0])), [len(piece) for piece in columns[0]])
    return np.concatenate(columns[0]), np.concatenate(columns[1]), utterance


SLOTS = Measure(count, score, details=slots, label="slots", perfect=0.0)
