"""Words with their tags, key above response; words that differ share a column with as many words as needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from aune.contract.views import Confusion, Counterpart, View
from aune.numeric.arrays import Ints
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.errors import kind_of


def view(comparison: Comparison) -> Iterator[View]:
    """One view per document."""
    wrong = _wrong(comparison)
    partner = np.full(len(comparison.key), -1)
    partner[comparison.paired[0]] = comparison.paired[1]
    for number, document in enumerate(comparison.key.documents):
        first, after = comparison.key.first[number : number + 2].tolist()
        words = [comparison.key.words.names[code] for code in comparison.key.words.codes[first:after].tolist()]
        tags = [_tags(comparison, 0, word) for word in range(first, after)]
        columns = list(_columns(comparison, number, partner, wrong))
        starts = [0] if document.sentences is None else document.sentences.tolist()
        yield View(
            document.id, words, [start for start in starts if start < len(words)] or [0], tags=tags, columns=columns
        )


def _wrong(comparison: Comparison) -> dict[int, str]:
    """The error of each word of the key, if any."""
    columns = (column.tolist() for column in comparison.key_outcomes())
    return {
        word: kind_of(alternatives, correct)
        for word, (alternatives, correct) in enumerate(zip(*columns, strict=True))
        if not alternatives == correct == 1
    }


def _tags(comparison: Comparison, side: int, word: int) -> str:
    readings = (comparison.key_readings, comparison.response_readings)[side]
    return "|".join(readings.alternatives[int(readings.codes[word])]) or "_"


def _columns(comparison: Comparison, number: int, partner: Ints, wrong: dict[int, str]) -> Iterator[Counterpart]:
    """The words between two common boundaries of the text; paired words have columns of their own."""
    base = first_word = int(comparison.key.first[number])
    for keys, responses in _pieces(comparison, number):
        if keys and partner[keys].tolist() == responses:
            for word, response in zip(keys, responses, strict=True):
                yield _column(comparison, word - base, [word], [response], wrong)
        else:
            yield _column(comparison, first_word - base, keys, responses, wrong)
        first_word += len(keys)


def _column(
    comparison: Comparison, start: int, keys: list[int], responses: list[int], wrong: dict[int, str]
) -> Counterpart:
    words = [comparison.response.words.names[int(comparison.response.words.codes[word])] for word in responses]
    tags = [_tags(comparison, 1, word) for word in responses]
    kinds = [wrong[word] for word in keys if word in wrong]
    return Counterpart(start, start + len(keys), words, tags, kinds[0] if kinds else "")


def _pieces(comparison: Comparison, number: int) -> list[tuple[list[int], list[int]]]:
    """The words of both sides between common boundaries."""
    sides = comparison.key, comparison.response
    ranges = [range(*side.first[number : number + 2].tolist()) for side in sides]
    edges: list[Ints] = [side.word_ends[words.start : words.stop] for side, words in zip(sides, ranges, strict=True)]
    cuts = np.intersect1d(edges[0], edges[1])
    pieces: list[tuple[list[int], list[int]]] = [([], []) for _ in range(len(cuts) + 1)]
    for which, (words, ends) in enumerate(zip(ranges, edges, strict=True)):
        for word, piece in zip(words, np.searchsorted(cuts, ends, "left").tolist(), strict=True):
            pieces[piece][which].append(word)
    return [piece for piece in pieces if any(piece)]


def confusion(comparison: Comparison) -> Confusion:
    """The tags of the key by the tags of the response."""
    alternatives, correct = comparison.key_outcomes()
    right = np.flatnonzero((alternatives == 1) & (correct == 1)).tolist()
    return Confusion("tag", "response_tag", Counter(_tags(comparison, 0, word) for word in right))
