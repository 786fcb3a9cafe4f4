"""Matched pairs of stretches of speech: MAPSSWE and McNemar's test, as NIST's sc_stats computes them.

Errors of two recognisers in one utterance depend on each other, but those in different segments are taken as
independent, where a segment is a stretch with errors of either system, bounded by words (two, by default) that both
have right. MAPSSWE compares the mean difference in errors per segment with its standard error. McNemar's test counts
the utterances that only one of the two has right (sc_stats also shows it on segments, in its report on MAPSSWE).

Source: Gillick and Cox 1989; Pallett et al. 1990.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from aune.core.measure import Column
from aune.statistics.paired import sign_test


class Segments(NamedTuple):
    """The errors of two systems by segment."""

    first: Column
    second: Column


class Matched(NamedTuple):
    """The matched pairs test: what the first system has more errors per segment."""

    segments: int
    mean: float
    deviation: float
    z: float
    p: float


class McNemar(NamedTuple):
    """What is right in the first system only, in the second only, and the exact two-sided p."""

    first_only: int
    second_only: int
    p: float


def segments(first: Column, second: Column, utterance: Column, boundary: int = 2) -> Segments:
    """Cut errors into segments bounded by words that both systems have right.

    The errors lie on slots: an utterance of n words has 2n + 1 of them, the gap before the first word (inserted words
    are counted there), the first word (1 for a substitution or deletion), the next gap, and so on. `utterance` is the
    number of the utterance of each slot.

    >>> errors = np.array([0, 1, 0, 0, 0, 0, 0, 1, 0])  # four words, of which the first and the last are wrong
    >>> segments(errors, errors * 0, np.zeros(9, int))
    Segments(first=array([1, 1]), second=array([0, 0]))
    >>> segments(errors, errors * 0, np.zeros(9, int), boundary=3)
    Segments(first=array([2]), second=array([0]))
    """
    first, second, utterance = np.asarray(first), np.asarray(second), np.asarray(utterance)
    starts = np.flatnonzero(np.r_[True, utterance[1:] != utterance[:-1]]) if len(utterance) else np.zeros(0, int)
    place = np.arange(len(utterance)) - np.repeat(starts, np.diff(np.r_[starts, len(utterance)]))
    wrong = np.flatnonzero((first + second) > 0)
    if not len(wrong):
        return Segments(first[:0], second[:0])
    before, after = wrong[:-1], wrong[1:]
    right_words_between = place[after] // 2 - (place[before] + 1) // 2
    apart = (utterance[before] != utterance[after]) | (right_words_between >= boundary)
    bounds = np.flatnonzero(np.r_[True, apart])
    return Segments(np.add.reduceat(first[wrong], bounds), np.add.reduceat(second[wrong], bounds))


def utterances(first: Column, second: Column, utterance: Column) -> Segments:
    """The errors by utterance, from errors on slots.

    >>> utterances(np.array([0, 1, 0, 0, 0, 0]), np.array([0, 0, 1, 0, 1, 0]), np.array([0, 0, 0, 1, 1, 1]))
    Segments(first=array([1., 0.]), second=array([1., 1.]))
    """
    return Segments(np.bincount(utterance, first), np.bincount(utterance, second))


def mapsswe(first: Column, second: Column) -> Matched:
    """The matched pairs test on errors by segment: z = mean difference / (its deviation / √segments).

    >>> mapsswe(np.array([1, 5, 3]), np.array([0, 5, 2])).z.__round__(3)
    2.0
    """
    differences = np.asarray(first, float) - np.asarray(second, float)
    count = len(differences)
    if count < 2:
        return Matched(count, float(differences.mean()) if count else np.nan, np.nan, np.nan, np.nan)
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if deviation == 0:
        z = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    else:
        z = mean / (deviation / np.sqrt(count))
    return Matched(count, mean, deviation, float(z), float(2 * special.ndtr(-abs(z))))


def mcnemar(first: Column, second: Column) -> McNemar:
    """McNemar's test on which utterances (or segments) have no error at all: exact, on those where the systems differ.

    >>> mcnemar(np.array([1, 5, 3]), np.array([0, 5, 2]))
    McNemar(first_only=0, second_only=1, p=1.0)
    """
    right, other_right = np.asarray(first) == 0, np.asarray(second) == 0
    only, other_only = int((right & ~other_right).sum()), int((other_right & ~right).sum())
    return McNemar(only, other_only, float(sign_test(np.array(only), np.array(other_only))))
