"""Units of several words: compounds marked by the key, and those marked by a response.

A response unit counts only where the key has the same segmentation, as one word or as a marked compound. GRACE marked
every compound twice, as a unit and by its parts, and evaluated outputs that were cut in one of the two ways.

Source: Adda et al. 1999, §2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from aune.numeric.arrays import Ints, Mask
from aune.tasks.tagging.alignment import Side, is_related
from aune.tasks.tagging.model import CodedColumn, Compound, Document, Vocabulary

Pair = tuple[Document, Document]


class JoinedWords(NamedTuple):
    """Key words that a response unit joins."""

    word: Ints
    cell: Ints
    """The cell with which the unit is compared."""
    unit: Ints
    marked: Mask
    """Whether the cell is the key's marking of the compound, and not the word's own cell."""


def match_units(
    key: Side, response: Side, marked: Sequence[tuple[int, int]], cells: Ints, paired: tuple[Ints, Ints],
    word_cells: Ints, policy: str,
) -> JoinedWords:  # fmt: skip
    """The key words that each response unit joins."""
    rows: list[tuple[int, int, int, bool]] = []
    if policy != "ignore":
        starts, ends = key.word_starts, key.word_ends
        units = _free_units(response, paired[1])
        for (first, after), cell in zip(marked, cells.tolist(), strict=True):
            unit = units.pop((int(starts[first]), int(ends[after - 1])), None)
            if unit is not None and is_related("".join(key.forms(first, after)), response.forms(unit, unit + 1)[0]):
                rows += [(word, cell, unit, True) for word in range(first, after)]
        if policy == "parts":
            marked_words = {word for word, *_ in rows}
            for (start, end), unit in units.items():
                inside = range(int(np.searchsorted(starts, start)), int(np.searchsorted(starts, end)))
                is_exact = len(inside) > 0 and starts[inside[0]] == start and ends[inside[-1]] == end
                rows += [
                    (word, int(word_cells[word]), unit, False)
                    for word in inside
                    if is_exact and word not in marked_words
                ]
    words, compared_cells, unit_numbers, marking = np.array(rows, np.int64).reshape(-1, 4).T
    return JoinedWords(words, compared_cells, unit_numbers, marking.astype(bool))


def _free_units(response: Side, paired: Ints) -> dict[tuple[int, int], int]:
    """The response's words without a partner, by the characters that they cover."""
    free = ~response.multiword[response.token]
    free[paired] = False
    words = np.flatnonzero(free & (response.word_ends > response.word_starts))
    spans = zip(response.word_starts[words].tolist(), response.word_ends[words].tolist(), strict=True)
    return dict(zip(spans, words.tolist(), strict=True))


class Units(NamedTuple):
    """The documents, with each compound of the response as one word if the key has such a unit."""

    pairs: list[Pair]
    words: list[Pair]
    """The same, except that compounds that the key marks twice stay words, which may match the key's words."""
    unit: Ints
    """(words of the response in `words`,): the word in `pairs` that each word is, or is part of."""
    joined_count: int
    """How many compounds became units."""
    split_count: int
    """How many compounds stayed words."""


def with_units(key: Side, response: Side, column: str) -> Units:
    """The documents, with each compound of the response as one word if the key has such a unit."""
    marked = {
        (int(key.word_starts[base + compound.start]), int(key.word_ends[base + compound.end - 1]))
        for document, base in zip(key.documents, key.first.tolist(), strict=False)
        for compound in document.compounds
    }
    single = set(zip(key.word_starts.tolist(), key.word_ends.tolist(), strict=True))
    pairs, word_pairs, units = [], [], [np.zeros(0, np.int64)]
    first = joined_count = split_count = 0
    for document, response_document, base in zip(
        key.documents, response.documents, response.first.tolist(), strict=False
    ):
        spans = [
            (int(response.word_starts[base + compound.start]), int(response.word_ends[base + compound.end - 1]))
            for compound in response_document.compounds
        ]
        joinable = [
            compound
            for compound, span in zip(response_document.compounds, spans, strict=True)
            if (span in marked or span in single) and compound.end - compound.start > 1
        ]
        words = [
            compound
            for compound, span in zip(response_document.compounds, spans, strict=True)
            if span in single and compound.end - compound.start > 1
        ]
        if response_document.tokens is not None:
            joinable = words = []  # words of multiword tokens have no characters of their own
        outer = _remaining_words(response_document, joinable)
        pairs.append((document, _join_compounds(response_document, joinable, column)))
        word_pairs.append((document, _join_compounds(response_document, words, column)))
        units.append((first + np.cumsum(outer) - 1)[_remaining_words(response_document, words)])
        first, joined_count, split_count = (
            first + int(outer.sum()),
            joined_count + len(joinable),
            split_count + len(response_document.compounds) - len(joinable),
        )
    return Units(pairs, word_pairs, np.concatenate(units), joined_count, split_count)


def _remaining_words(document: Document, compounds: Sequence[Compound]) -> Mask:
    """(words,): False for the words that are merged into the one before."""
    remaining = np.ones(len(document), bool)
    for compound in compounds:
        remaining[compound.start + 1 : compound.end] = False
    return remaining


def _join_compounds(document: Document, compounds: Sequence[Compound], column: str) -> Document:
    """A document in which each of these compounds is one word."""
    if not compounds:
        return document
    outer = _remaining_words(document, compounds)
    remaining, place = np.flatnonzero(outer), np.cumsum(outer) - 1
    forms, cells = document.words.values(), document.column(column).values()
    for compound in compounds:
        forms[compound.start] = " ".join(forms[compound.start : compound.end])
        cells[compound.start] = compound.tags
    columns = {name: CodedColumn(cell.codes[remaining], cell.names) for name, cell in document.columns.items()}
    columns[column] = Vocabulary().encode([cells[word] for word in remaining.tolist()])
    return replace(
        document,
        words=Vocabulary().encode([forms[word] for word in remaining.tolist()]),
        columns=columns,
        sentences=np.unique(place[document.sentences[document.sentences < len(document)]]),
        heads=None,
        compounds=(),
        lines=None if document.lines is None else document.lines[remaining],
    )
