"""Texts whose characters know the word that they come from, for rules that act across words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class NormalisedWords(NamedTuple):
    """What rules make of the words of a text."""

    words: Sequence[str]
    places: Sequence[int]
    """For each word the place of the word that it comes from."""
    dropped: Sequence[int] = ()
    """The places of the words that were left out altogether."""


class TracedText(NamedTuple):
    """A text whose characters know the word they come from."""

    text: str
    places: list[int]

    def sub(self, pattern: re.Pattern[str], replacement: str) -> TracedText:
        """The text with every match replaced; what match and replacement begin or end with keeps its own places."""
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        pieces, places, end = [], [], 0
        for match in matches:
            matched, start = match[0], match.start()
            new = match.expand(replacement)
            tail = _common_length(matched[::-1], new[::-1])
            tail_places = self.places[match.end() - tail : match.end()]
            first = self.places[min(start, len(self.places) - 1)]
            pieces += [self.text[end:start], new]
            places += [*self.places[end:start], *[first] * (len(new) - tail), *tail_places]
            end = match.end()
        return TracedText("".join([*pieces, self.text[end:]]), [*places, *self.places[end:]])

    def words(self) -> list[tuple[str, int]]:
        return [(match[0], self.places[match.start()]) for match in re.finditer(r"\S+", self.text)]

    def word_places(self) -> set[int]:
        """The places that any sign of the text other than blanks comes from."""
        return {place for sign, place in zip(self.text, self.places, strict=True) if not sign.isspace()}


def _common_length(first: str, second: str) -> int:
    """How many characters two texts share at their beginnings."""
    size = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        size += 1
    return size


def trace_words(words: Iterable[tuple[str, int]]) -> TracedText:
    """Words with a blank between them; the blank before a word has its place."""
    places: list[int] = []
    texts: list[str] = []
    for word, place in words:
        places += [place] * (len(word) + bool(texts))
        texts.append(word)
    return TracedText(" ".join(texts), places)
