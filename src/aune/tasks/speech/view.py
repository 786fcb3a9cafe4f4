"""Transcripts word under word, as in sclite's `pra`, with the entities of the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from aune.core.views import Confusion, Counterpart, Span, View
from aune.tasks.speech.alignment.words import DELETION, INSERTION, SUBSTITUTION
from aune.tasks.speech.comparison import Comparison

KINDS = {SUBSTITUTION: "substitution", DELETION: "deletion", INSERTION: "insertion"}


def view(comparison: Comparison) -> Iterator[View]:
    """A view per document: its utterances one after the other."""
    units: dict[str, list[int]] = {}
    for unit, row in enumerate(comparison.base.tolist()):
        units.setdefault(comparison.units["document"][row], []).append(unit)
    utterances = _Utterances(comparison)
    for document, mine in units.items():
        yield utterances.together(document, mine)


class _Utterances:
    """The alignment of each utterance."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.found = comparison.alignment("levenshtein")
        self.first = np.searchsorted(self.found.unit, np.arange(len(comparison.pairs) + 1))
        self.entities: dict[int, list[tuple[int, int, str]]] = {}
        known = comparison.entities
        columns = (known.unit.tolist(), known.start.tolist(), known.end.tolist(), known.labels)
        for unit, start, end, label in zip(*columns, strict=True):
            self.entities.setdefault(unit, []).append((start, end, label))

    def together(self, document: str, units: list[int]) -> View:
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
            columns += self.columns(unit, response, base)
            spans += [Span(base + start, base + end, -1, label) for start, end, label in self.entities.get(unit, ())]
            words += key
        return View(document, words, starts, names, key=spans, columns=columns, breaks=breaks)

    def words(self, unit: int) -> tuple[list[str], list[str]]:
        found, names = self.found, self.comparison.words
        sides = []
        for side in (found.key, found.response):
            codes = side.codes[side.starts[unit] : side.starts[unit + 1]]
            sides.append([names[code] for code in codes.tolist()])
        return sides[0], sides[1]

    def columns(self, unit: int, response: list[str], base: int) -> Iterator[Counterpart]:
        """The words of an utterance in columns: those that correspond, and between them the errors."""
        found = self.found
        here = slice(self.first[unit], self.first[unit + 1])
        key_at = (found.key_at[here] - found.key.starts[unit]).tolist()
        response_at = (found.response_at[here] - found.response.starts[unit]).tolist()
        i = j = 0
        for kind, key, given in zip(found.kind[here].tolist(), key_at, response_at, strict=True):
            while i < key and j < given:
                yield Counterpart(base + i, base + i + 1, [response[j]])
                i, j = i + 1, j + 1
            has_key, has_response = _sides(kind)
            yield Counterpart(base + i, base + i + has_key, response[j : j + has_response], (), KINDS.get(kind, ""))
            i, j = i + has_key, j + has_response
        while j < len(response):
            yield Counterpart(base + i, base + i + 1, [response[j]])
            i, j = i + 1, j + 1


def _sides(kind: int) -> tuple[int, int]:
    """How many words an error has on each side."""
    from aune.tasks.speech.alignment.words import ALLOWED  # noqa: PLC0415

    return int(kind not in (INSERTION, ALLOWED)), int(kind in (SUBSTITUTION, INSERTION, ALLOWED))


def confusion(comparison: Comparison) -> Confusion:
    """Which word was taken for which."""
    found = comparison.alignment("levenshtein")
    said = np.bincount(found.key.codes, minlength=len(comparison.words))
    lost = np.isin(found.kind, (SUBSTITUTION, DELETION))
    said -= np.bincount(found.key.codes[found.key_at[lost]], minlength=len(comparison.words))
    return Confusion("key", "response", Counter(dict(zip(comparison.words, said.tolist(), strict=True))))
