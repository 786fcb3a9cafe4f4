"""Transcripts aligned word by word, like the `pra` reports of sclite, with the entities of the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from aune.contract.views import Confusion, Counterpart, Span, View
from aune.numeric.grouping import group_items, key_positions
from aune.tasks.speech.alignment.words import ALLOWED, DELETION, INSERTION, JOINED, OPTIONAL, SUBSTITUTION
from aune.tasks.speech.comparison import Comparison

KINDS = {SUBSTITUTION: "substitution", DELETION: "deletion", INSERTION: "insertion"}
SIDES = {SUBSTITUTION: (1, 1), DELETION: (1, 0), INSERTION: (0, 1), OPTIONAL: (1, 0), ALLOWED: (0, 1),
         JOINED: (0, 1)}  # fmt: skip
"""How many words an error has on each side."""


def view(comparison: Comparison) -> Iterator[View]:
    """One view per document: its utterances one after the other."""
    units = key_positions(comparison.units["document"][row] for row in comparison.base.tolist())
    utterances = _Utterances(comparison)
    for document, numbers in units.items():
        yield utterances.document_view(document, numbers)


class _Utterances:
    """The alignment of each utterance."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.alignment = comparison.alignment("levenshtein")
        self.names = np.array(comparison.words, object)
        self.first = np.searchsorted(self.alignment.unit, np.arange(len(comparison.pairs) + 1))
        known = comparison.entities
        spans = zip(known.start.tolist(), known.end.tolist(), known.labels, strict=True)
        self.entities = group_items(zip(known.unit.tolist(), spans, strict=True))

    def document_view(self, document: str, units: list[int]) -> View:
        words: list[str] = []
        starts, names, breaks = [], [], []
        spans: list[Span] = []
        columns: list[Counterpart] = []
        for unit in units:
            base = len(words)
            starts.append(base)
            breaks.append(len(columns))
            names.append(self.comparison.pairs[unit][0].id)
            key, response = self.words(unit)
            columns += self.columns(unit, key, response, base)
            spans += [Span(base + start, base + end, -1, label) for start, end, label in self.entities.get(unit, ())]
            words += key
        return View(document, words, starts, names, key=spans, columns=columns, breaks=breaks)

    def words(self, unit: int) -> tuple[list[str], list[str]]:
        alignment = self.alignment
        key, response = (self.names[side.codes[side.starts[unit] : side.starts[unit + 1]]].tolist()
                         for side in (alignment.key, alignment.response))  # fmt: skip
        return key, response

    def columns(self, unit: int, key: list[str], response: list[str], base: int) -> Iterator[Counterpart]:
        """The words of an utterance in columns: corresponding words, with the errors between them."""
        alignment = self.alignment
        here = slice(self.first[unit], self.first[unit + 1])
        key_at = (alignment.key_at[here] - alignment.key.starts[unit]).tolist()
        response_at = (alignment.response_at[here] - alignment.response.starts[unit]).tolist()
        i = j = 0
        for kind, key_place, response_place in zip(alignment.kind[here].tolist(), key_at, response_at, strict=True):
            right = max(0, min(key_place - i, response_place - j))
            yield from _matching_columns(key[i : i + right], response[j : j + right], base + i)
            has_key, has_response = SIDES[kind]
            i, j = i + right, j + right
            yield Counterpart(base + i, base + i + has_key, response[j : j + has_response], (), KINDS.get(kind, ""))
            i, j = i + has_key, j + has_response
        yield from _matching_columns(key[i : i + len(response) - j], response[j:], base + i)


def _matching_columns(key: list[str], response: list[str], start: int) -> Iterator[Counterpart]:
    """Correct words: in one column if both sides have the same spelling, else one column per word."""
    if response and key == response:
        yield Counterpart(start, start + len(key), response)
    else:
        for place, word in enumerate(response, start):
            yield Counterpart(place, place + 1, [word])


def confusion(comparison: Comparison) -> Confusion:
    """The words of the key by the words of the response."""
    alignment = comparison.alignment("levenshtein")
    counts = np.bincount(alignment.key.codes, minlength=len(comparison.words))
    lost = np.isin(alignment.kind, (SUBSTITUTION, DELETION))
    counts -= np.bincount(alignment.key.codes[alignment.key_at[lost]], minlength=len(comparison.words))
    return Confusion("key", "response", Counter(dict(zip(comparison.words, counts.tolist(), strict=True))))
