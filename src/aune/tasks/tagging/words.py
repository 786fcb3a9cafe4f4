"""Counting words that are the same and carry the same: what the measures of the CoNLL 2018 scorer share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aune.core.measure import Column, ratio
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.model import Ints

NO_COLUMN = "no words to compare, or the key has no such column"


class Counts(NamedTuple):
    """Words, by unit."""

    correct: Column
    aligned: Column
    key: Column
    response: Column


class Score(NamedTuple):
    """Over all words, and over those that both sides have."""

    precision: Column
    recall: Column
    f1: Column
    accuracy: Column
    """On aligned words only."""


def counts_of(
    comparison: Comparison, column: str, plain: Callable[[str], str] = str, free: str | None = None
) -> Counts:
    """Words with the same value in a column; `plain` is applied to values first, a key word with `free` is right."""
    if not comparison.carries(column):
        nothing = np.zeros(comparison.unit_count)
        return Counts(nothing, nothing, nothing, nothing)
    key, response, names = comparison.columns(column)
    numbers: dict[str, int] = {}
    same = np.fromiter((numbers.setdefault(plain(name), len(numbers)) for name in names), np.int64, len(names))
    keys, responses = comparison.paired
    right = same[key[keys]] == same[response[responses]]
    if free is not None:
        right |= same[key[keys]] == numbers.get(free, -1)
    return counted(comparison, keys[right])


def counted(comparison: Comparison, right: Ints) -> Counts:
    """Counts from the key words that are right."""
    unit = comparison.key_unit
    return Counts(
        comparison.per_unit(unit[right]),
        comparison.per_unit(unit[comparison.paired[0]]),
        comparison.per_unit(unit),
        comparison.per_unit(comparison.response_unit),
    )


def score_of(words: Counts) -> Score:
    return Score(
        ratio(words.correct, words.response),
        ratio(words.correct, words.key),
        ratio(2 * words.correct, words.key + words.response),
        ratio(words.correct, words.aligned),
    )
