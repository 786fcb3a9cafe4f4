"""Matched pairs of segments of speech: MAPSSWE and McNemar's test, as computed by NIST's sc_stats.

Errors of two recognisers in one utterance depend on each other, but those in different segments are assumed to be
independent. A segment is a stretch with errors of either system, bounded by words (two, by default) that both
have right. MAPSSWE compares the mean difference in errors per segment with its standard error. McNemar's test counts
the utterances that only one of the two has right (sc_stats also shows it on segments, in its report on MAPSSWE).

Errors are assigned to slots. An utterance of n words has 2n + 1 slots: the gap before the first word (which counts
inserted words), the first word (1 for a substitution or deletion), the next gap, and so on.

Source: Gillick and Cox 1989; Pallett et al. 1990.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.contract.task import PairedTest
from aune.numeric.arrays import owner_indices, ranges, run_starts
from aune.numeric.exact_probabilities import sign_test
from aune.tasks.speech.alignment.words import DELETION, INSERTION, SUBSTITUTION, Alignment, WordAlignment
from aune.tasks.speech.comparison import Comparison


class Slots(NamedTuple):
    """The errors on each slot, and the utterance of each slot."""

    errors: Column
    utterance: Column


def trace(comparison: Comparison, *, alignment: WordAlignment = "levenshtein") -> Slots:
    """The errors by slot of the utterances of a comparison."""
    return slots_of(comparison.alignment(alignment))


def slots_of(alignment: Alignment) -> Slots:
    """Slots of an alignment: for every utterance a gap, then a word and a gap in turn."""
    starts = np.asarray(alignment.key.starts)
    number = np.arange(len(starts) - 1)
    utterance = np.repeat(number, 2 * np.diff(starts) + 1)
    inserted = alignment.kind == INSERTION
    wrong = inserted | (alignment.kind == SUBSTITUTION) | (alignment.kind == DELETION)
    place = 2 * alignment.key_at + alignment.unit + np.where(inserted, 0, 1)
    return Slots(np.bincount(place[wrong], minlength=len(utterance)), utterance)


def join_chunks(chunks: Sequence[Slots]) -> Slots:
    """The slots of all chunks, with utterances numbered consecutively."""
    utterances = [int(chunk.utterance[-1]) + 1 if len(chunk.utterance) else 0 for chunk in chunks]
    firsts = np.cumsum([0, *utterances[:-1]])
    return Slots(
        np.concatenate([chunk.errors for chunk in chunks]),
        np.concatenate([first + slots.utterance for first, slots in zip(firsts, chunks, strict=True)]),
    )


def match_slots(first: Slots, second: Slots) -> tuple[Column, Column, Column]:
    """The errors of two systems on the same slots, and their utterances.

    If the key has several wordings of an utterance, it may be aligned with a different one for each system; it is then
    one slot, and so one segment.
    """
    lengths = [np.bincount(slots.utterance) for slots in (first, second)]
    if np.array_equal(lengths[0], lengths[1]):
        return first.errors, second.errors, first.utterance
    pieces = [
        np.split(slots.errors, np.cumsum(size)[:-1]) for slots, size in zip((first, second), lengths, strict=True)
    ]
    columns: tuple[list[Column], list[Column]] = ([], [])
    for slots, other in zip(*pieces, strict=True):
        same = len(slots) == len(other)
        for column, errors in zip(columns, (slots, other), strict=True):
            column.append(errors if same else np.array([errors.sum()]))
    utterance = owner_indices(np.array([len(piece) for piece in columns[0]], np.int64))
    return np.concatenate(columns[0]), np.concatenate(columns[1]), utterance


class Segments(NamedTuple):
    """The errors of two systems by segment."""

    first: Column
    second: Column


class MatchedPairs(NamedTuple):
    """The matched pairs test: how many more errors per segment the first system has."""

    segments: int
    mean: float
    deviation: float
    z: float
    p: float


class McNemar(NamedTuple):
    """What only the first system has right, what only the second has right, and the exact two-sided p-value."""

    first_only: int
    second_only: int
    p: float


def error_segments(first: Column, second: Column, utterance: Column, boundary: int = 2) -> Segments:
    """Cut errors into segments bounded by words that both systems have right.

    `utterance` gives the utterance number of each slot.

    >>> errors = np.array([0, 1, 0, 0, 0, 0, 0, 1, 0])  # four words, of which the first and the last are wrong
    >>> error_segments(errors, errors * 0, np.zeros(9, int))
    Segments(first=array([1, 1]), second=array([0, 0]))
    >>> error_segments(errors, errors * 0, np.zeros(9, int), boundary=3)
    Segments(first=array([2]), second=array([0]))
    """
    first, second, utterance = np.asarray(first), np.asarray(second), np.asarray(utterance)
    place = ranges(0, np.diff(np.flatnonzero(run_starts(utterance)), append=len(utterance)))
    wrong = np.flatnonzero((first + second) > 0)
    if not len(wrong):
        return Segments(first[:0], second[:0])
    before, after = wrong[:-1], wrong[1:]
    right_words_between = place[after] // 2 - (place[before] + 1) // 2
    is_break = (utterance[before] != utterance[after]) | (right_words_between >= boundary)
    bounds = np.flatnonzero(np.r_[True, is_break])
    return Segments(np.add.reduceat(first[wrong], bounds), np.add.reduceat(second[wrong], bounds))


def utterance_errors(first: Column, second: Column, utterance: Column) -> Segments:
    """The errors of each utterance, from errors on slots.

    >>> utterance_errors(np.array([0, 1, 0, 0, 0, 0]), np.array([0, 0, 1, 0, 1, 0]), np.array([0, 0, 0, 1, 1, 1]))
    Segments(first=array([1., 0.]), second=array([1., 1.]))
    """
    return Segments(np.bincount(utterance, first), np.bincount(utterance, second))


def mapsswe(first: Column, second: Column) -> MatchedPairs:
    """The matched pairs test on errors by segment: z = mean difference / (its deviation / √segments).

    >>> mapsswe(np.array([1, 5, 3]), np.array([0, 5, 2])).z.__round__(3)
    2.0
    """
    differences = np.asarray(first, float) - np.asarray(second, float)
    count = len(differences)
    if count < 2:
        return MatchedPairs(count, float(differences.mean()) if count else np.nan, np.nan, np.nan, np.nan)
    mean = math.fsum(differences.tolist()) / count
    deviation = math.sqrt(math.fsum(((differences - mean) ** 2).tolist()) / (count - 1))
    if deviation == 0:
        z = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    else:
        z = mean / (deviation / np.sqrt(count))
    return MatchedPairs(count, mean, deviation, float(z), math.erfc(abs(z) / math.sqrt(2)))


def mcnemar(first: Column, second: Column) -> McNemar:
    """McNemar's test on which utterances (or segments) have no errors: exact, over those where the systems differ.

    >>> mcnemar(np.array([1, 5, 3]), np.array([0, 5, 2]))
    McNemar(first_only=0, second_only=1, p=1.0)
    """
    right, other_right = np.asarray(first) == 0, np.asarray(second) == 0
    only, other_only = int((right & ~other_right).sum()), int((other_right & ~right).sum())
    return McNemar(only, other_only, sign_test(only, other_only))


def mapsswe_p(first: Sequence[Slots], second: Sequence[Slots]) -> float:
    """The p-value of the matched pairs test, from the slots of two systems."""
    return mapsswe(*error_segments(*match_slots(join_chunks(first), join_chunks(second)))).p


def mcnemar_p(first: Sequence[Slots], second: Sequence[Slots]) -> float:
    """The p-value of McNemar's test on utterances, from the slots of two systems."""
    return mcnemar(*utterance_errors(*match_slots(join_chunks(first), join_chunks(second)))).p


TESTS = {
    "mapsswe": PairedTest("wer", "wer", trace, mapsswe_p),
    "mcnemar": PairedTest("sentence_error", "rate", trace, mcnemar_p),
}
