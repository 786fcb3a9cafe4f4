"""Units over several words: compounds that the key marks, and those that a response marks itself.

A response unit counts only where the key has the same segmentation, as one word or as a marked compound: GRACE marked
every compound twice, as a unit and by its parts, and looked at outputs that were cut in one of the two ways.

Source: Adda et al. 1999, §2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from aune.core.arrays import Ints, Mask
from aune.tasks.tagging.alignment import Side, related
from aune.tasks.tagging.model import Coded, Compound, Document, Vocabulary

Pair = tuple[Document, Document]


class Spanned(NamedTuple):
    """Key words that a response unit takes together."""

    word: Ints
    cell: Ints
    """The cell that the unit is compared with."""
    unit: Ints
    marked: Mask
    """Whether that is the key's marking of the compound, and not the word's own cell."""


def spanned(
    key: Side, response: Side, marked: Sequence[tuple[int, int]], cells: Ints, paired: tuple[Ints, Ints],
    own: Ints, policy: str,
) -> Spanned:  # fmt: skip
    """The key words that a response unit takes together."""
    found: list[tuple[int, int, int, bool]] = []
    if policy != "ignore":
        starts, ends = key.word_starts, key.word_ends
        units = _free_units(response, paired[1])
        for (first, after), cell in zip(marked, cells.tolist(), strict=True):
            unit = units.pop((int(starts[first]), int(ends[after - 1])), None)
            if unit is not None and related("".join(key.forms(first, after)), response.forms(unit, unit + 1)[0]):
                found += [(word, cell, unit, True) for word in range(first, after)]
        if policy == "parts":
            taken = {word for word, *_ in found}
            for (start, end), unit in units.items():
                inside = range(int(np.searchsorted(starts, start)), int(np.searchsorted(starts, end)))
                whole = len(inside) > 0 and starts[inside[0]] == start and ends[inside[-1]] == end
                found += [(word, int(own[word]), unit, False) for word in inside if whole and word not in taken]
    words, compared, by, marking = np.array(found, np.int64).reshape(-1, 4).T
    return Spanned(words, compared, by, marking.astype(bool))


def _free_units(response: Side, paired: Ints) -> dict[tuple[int, int], int]:
    """The response's words that have no partner, by the characters that they cover."""
    free = ~response.multiword[response.token]
    free[paired] = False
    words = np.flatnonzero(free & (response.word_ends > response.word_starts))
    spans = zip(response.word_starts[words].tolist(), response.word_ends[words].tolist(), strict=True)
    return dict(zip(spans, words.tolist(), strict=True))


class Units(NamedTuple):
    """The documents, with the response's own compounds as one word each where the key has such a unit."""

    pairs: list[Pair]
    words: list[Pair]
    """The same, but the words of the compounds that the key marks twice stay words: they can be its words, too."""
    unit: Ints
    """(words of the response in `words`,): the word in `pairs` that each is, or is a part of."""
    joined: int
    """How many compounds became units."""
    left: int
    """How many did not."""


def with_units(key: Side, response: Side, column: str) -> Units:
    """The documents, with the response's own compounds as one word each where the key has such a unit."""
    marked = {
        (int(key.word_starts[base + compound.start]), int(key.word_ends[base + compound.end - 1]))
        for document, base in zip(key.documents, key.first.tolist(), strict=False)
        for compound in document.compounds
    }
    single = set(zip(key.word_starts.tolist(), key.word_ends.tolist(), strict=True))
    pairs, apart, units = [], [], [np.zeros(0, np.int64)]
    first = joined = left = 0
    for document, other, base in zip(key.documents, response.documents, response.first.tolist(), strict=False):
        spans = [
            (int(response.word_starts[base + compound.start]), int(response.word_ends[base + compound.end - 1]))
            for compound in other.compounds
        ]
        known = [one for one, span in zip(other.compounds, spans, strict=True) if span in marked or span in single]
        words = [one for one, span in zip(other.compounds, spans, strict=True) if span in single]
        if other.tokens is not None:
            known = words = []  # words of multiword tokens have no characters of their own
        outer = _outer(other, known)
        pairs.append((document, _joined(other, known, column)))
        apart.append((document, _joined(other, words, column)))
        units.append((first + np.cumsum(outer) - 1)[_outer(other, words)])
        first, joined, left = first + int(outer.sum()), joined + len(known), left + len(other.compounds) - len(known)
    return Units(pairs, apart, np.concatenate(units), joined, left)


def _outer(document: Document, compounds: Sequence[Compound]) -> Mask:
    """(words,): all but those that disappear into the one before."""
    outer = np.ones(len(document), bool)
    for one in compounds:
        outer[one.start + 1 : one.end] = False
    return outer


def _joined(document: Document, compounds: Sequence[Compound], column: str) -> Document:
    """A document with each of these compounds as one word."""
    if not compounds:
        return document
    outer = _outer(document, compounds)
    kept, place = np.flatnonzero(outer), np.cumsum(outer) - 1
    forms, cells = document.words.values(), document.column(column).values()
    for one in compounds:
        forms[one.start] = " ".join(forms[one.start : one.end])
        cells[one.start] = one.tags
    columns = {name: Coded(cell.codes[kept], cell.names) for name, cell in document.columns.items()}
    columns[column] = Vocabulary().coded([cells[word] for word in kept.tolist()])
    return replace(
        document,
        words=Vocabulary().coded([forms[word] for word in kept.tolist()]),
        columns=columns,
        sentences=np.unique(place[document.sentences[document.sentences < len(document)]]),
        heads=None,
        compounds=(),
        lines=None if document.lines is None else document.lines[kept],
    )
