"""Texts whose characters store the word from which they come, for rules that apply across words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class NormalisedWords(NamedTuple):
    """The words after rules were applied."""

    words: Sequence[str]
    places: Sequence[int]
    """For each word, the index of the word from which it comes."""
    dropped: Sequence[int] = ()
    """The indices of words that were dropped."""


class TracedText(NamedTuple):
    """A text whose characters store the index of the word from which they come."""

    text: str
    places: list[int]

    def sub(self, pattern: re.Pattern[str], replacement: str) -> TracedText:
        """Replace every match; a common ending of match and replacement keeps its origins."""
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
        """The indices of the words from which characters other than blanks come."""
        return {place for sign, place in zip(self.text, self.places, strict=True) if not sign.isspace()}


def _common_length(first: str, second: str) -> int:
    """The length of the common beginning of two texts."""
    size = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        size += 1
    return size


def trace_words(words: Iterable[tuple[str, int]]) -> TracedText:
    """Join words by blanks; the blank before a word has the word's index."""
    places: list[int] = []
    texts: list[str] = []
    for word, place in words:
        places += [place] * (len(word) + bool(texts))
        texts.append(word)
    return TracedText(" ".join(texts), places)
