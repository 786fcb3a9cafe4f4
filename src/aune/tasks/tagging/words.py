"""Counting words that are the same and carry the same: what the measures of the CoNLL 2018 scorer share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from aune.core.arrays import Ints, Mask, Numbers
from aune.core.measure import Column, Measure, ratio
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison

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


def of_words(count: Callable[..., Counts], undefined: str, **more: Any) -> Measure:
    """A measure of words that are the same and carry the same; `undefined` says why there may be no value."""
    return Measure(count, score, main="f1", undefined=dict.fromkeys(Score._fields, undefined), **more)


def counts_of(
    comparison: Comparison, column: str, plain: Callable[[str], str] = str, free: str | None = None
) -> Counts:
    """Words with the same value in a column, as `same` has it."""
    if not comparison.carries(column):
        return no_words(comparison)
    return counted(comparison, same(comparison, column, plain, free))


def same(comparison: Comparison, column: str, plain: Callable[[str], str] = str, free: str | None = None) -> Mask:
    """(pairs,): whether both words have the same value in a column, made `plain` first; a key word `free` takes any."""
    key, response, numbers = coded(comparison, column, plain)
    keys, responses = comparison.words.paired
    right = key[keys] == response[responses]
    return np.asarray(right if free is None else right | (key[keys] == numbers.get(free, -1)))


def coded(comparison: Comparison, column: str, plain: Callable[[str], str]) -> tuple[Ints, Ints, Numbers[str]]:
    """The values of both sides in a column as numbers, and the numbers by plain value."""
    key, response, names = comparison.columns(column)
    numbers: Numbers[str] = Numbers()
    codes = numbers.of(map(plain, names), len(names))
    return codes[key], codes[response], numbers


def counted(comparison: Comparison, right: Mask, of_key: Any = True, of_response: Any = True) -> Counts:
    """Words, and the pairs of them that are right; those words only that are marked, if any are."""
    unit, keys = comparison.key_unit, comparison.words.paired[0]
    of_key = np.broadcast_to(of_key, len(comparison.key))
    of_response = np.broadcast_to(of_response, len(comparison.words.side))
    return Counts(
        comparison.per_unit(unit[keys[right & of_key[keys]]]),
        comparison.per_unit(unit[keys[of_key[keys]]]),
        comparison.per_unit(unit[of_key]),
        comparison.per_unit(comparison.words.unit[of_response]),
    )


def no_words(comparison: Comparison) -> Counts:
    return Counts(*np.zeros((len(Counts._fields), comparison.unit_count)))


def score(words: Counts) -> Score:
    return Score(
        ratio(words.correct, words.response),
        ratio(words.correct, words.key),
        ratio(2 * words.correct, words.key + words.response),
        ratio(words.correct, words.aligned),
    )


class Stretches(NamedTuple):
    """Tokens or sentences of one side: their characters in the key, and their first word."""

    start: Ints
    end: Ints
    word: Ints


def tokens_of(side: Side) -> Stretches:
    first = np.searchsorted(side.token, np.arange(len(side.starts)))
    return Stretches(side.starts, side.ends, first)


def sentences_of(side: Side) -> Stretches:
    """The sentences that have a word, each from its first token to its last."""
    bases = zip(side.documents, side.first.tolist(), strict=False)
    firsts = [one.sentences[one.sentences < len(one)] + base for one, base in bases if len(one)]
    word = np.concatenate([np.zeros(0, np.int64), *firsts])
    last = np.append(word[1:], len(side))[: len(word)] - 1
    return Stretches(side.word_starts[word], side.word_ends[last], word)


def shared(key: Stretches, response: Stretches) -> Ints:
    """The numbers of the key's stretches that the response has, too."""
    wide = int(max(key.end.max(initial=0), response.end.max(initial=0))) + 1
    real = response.end > response.start  # the others are characters that the key does not have
    left, right = key.start * wide + key.end, (response.start * wide + response.end)[real]
    return np.flatnonzero(np.isin(left, right))


class Stretched(NamedTuple):
    """Tokens or sentences, by unit."""

    correct: Column
    key: Column
    response: Column


class StretchedScore(NamedTuple):
    """How many of them are the same."""

    precision: Column
    recall: Column
    f1: Column


def stretches_in(comparison: Comparison, stretches_of: Callable[[Side], Stretches]) -> Stretched:
    """The stretches of both sides, and those that are the same."""
    key, response = stretches_of(comparison.key), stretches_of(comparison.words.side)
    unit = comparison.key_unit
    return Stretched(
        comparison.per_unit(unit[key.word[shared(key, response)]]),
        comparison.per_unit(unit[key.word]),
        comparison.per_unit(comparison.words.unit[response.word]),
    )


def score_of_stretches(stretches: Stretched) -> StretchedScore:
    correct, key, response = stretches
    return StretchedScore(ratio(correct, response), ratio(correct, key), ratio(2 * correct, key + response))
