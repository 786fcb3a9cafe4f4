"""Counts of corresponding words with equal values, shared by the measures of the CoNLL 2018 scorer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.numeric.arrays import Ints, Mask, Numbering
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison

NO_COLUMN = "no words to compare, or the key has no such column"


class Counts(NamedTuple):
    """Numbers of words, by unit."""

    correct: Column
    aligned: Column
    key: Column
    response: Column


class Score(NamedTuple):
    """Values over all words, and accuracy over corresponding words."""

    precision: Column
    recall: Column
    f1: Column
    accuracy: Column
    """Over aligned words only."""


def word_measure(count: Callable[..., Counts], undefined: str, **settings: Any) -> Measure:
    """A measure that counts corresponding words with equal values; `undefined` explains a missing value."""
    return Measure(count, score, main="f1", undefined=dict.fromkeys(Score._fields, undefined), **settings)


def count_column(
    comparison: Comparison, column: str, plain: Callable[[str], str] = str, free: str | None = None
) -> Counts:
    """Counts of words with the same value in a column, in the sense of `is_same`."""
    if not comparison.carries(column):
        return no_words(comparison)
    return count_words(comparison, is_same(comparison, column, plain, free))


def is_same(comparison: Comparison, column: str, plain: Callable[[str], str] = str, free: str | None = None) -> Mask:
    """(pairs,): whether both words have the same value in a column after `plain`; a key value `free` matches any."""
    key, response, numbers = encode_column(comparison, column, plain)
    keys, responses = comparison.words.paired
    right = key[keys] == response[responses]
    return np.asarray(right if free is None else right | (key[keys] == numbers.get(free, -1)))


def encode_column(
    comparison: Comparison, column: str, plain: Callable[[str], str]
) -> tuple[Ints, Ints, Numbering[str]]:
    """The values of both sides in a column as numbers, after mapping equal plain values to one number."""
    key, response, names = comparison.columns(column)
    numbers: Numbering[str] = Numbering()
    codes = numbers.codes(map(plain, names), len(names))
    return codes[key], codes[response], numbers


def count_words(comparison: Comparison, right: Mask, of_key: Any = True, of_response: Any = True) -> Counts:
    """The words, and the pairs of words that are right; only marked words count, if any are marked."""
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
    """The tokens or sentences of one side: their characters in the key, and their first word."""

    start: Ints
    end: Ints
    word: Ints


def token_stretches(side: Side) -> Stretches:
    first = np.searchsorted(side.token, np.arange(len(side.starts)))
    return Stretches(side.starts, side.ends, first)


def sentence_stretches(side: Side) -> Stretches:
    """The sentences with at least one word, each from its first token to its last."""
    bases = zip(side.documents, side.first.tolist(), strict=False)
    firsts = [
        document.sentences[document.sentences < len(document)] + base for document, base in bases if len(document)
    ]
    word = np.concatenate([np.zeros(0, np.int64), *firsts])
    last = np.append(word[1:], len(side))[: len(word)] - 1
    return Stretches(side.word_starts[word], side.word_ends[last], word)


def shared_stretches(key: Stretches, response: Stretches) -> Ints:
    """The numbers of the key's stretches that the response has too."""
    wide = int(max(key.end.max(initial=0), response.end.max(initial=0))) + 1
    real = response.end > response.start  # empty ones consist of characters that the key lacks
    key_spans, response_spans = key.start * wide + key.end, (response.start * wide + response.end)[real]
    return np.flatnonzero(np.isin(key_spans, response_spans))


class StretchCounts(NamedTuple):
    """Numbers of tokens or sentences, by unit."""

    correct: Column
    key: Column
    response: Column


class StretchScore(NamedTuple):
    """How many of them both sides have."""

    precision: Column
    recall: Column
    f1: Column


def count_stretches(comparison: Comparison, stretches_of: Callable[[Side], Stretches]) -> StretchCounts:
    """The stretches of both sides, and those that they share."""
    key, response = stretches_of(comparison.key), stretches_of(comparison.words.side)
    unit = comparison.key_unit
    return StretchCounts(
        comparison.per_unit(unit[key.word[shared_stretches(key, response)]]),
        comparison.per_unit(unit[key.word]),
        comparison.per_unit(comparison.words.unit[response.word]),
    )


def score_stretches(stretches: StretchCounts) -> StretchScore:
    correct, key, response = stretches
    return StretchScore(ratio(correct, response), ratio(correct, key), ratio(2 * correct, key + response))
