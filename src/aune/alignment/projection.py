"""Stretches of a response's text as stretches of the key's.

A stretch goes to the hull of the key's characters that its own lie on, widened to whole tokens of the key. It is
placed exactly (the same text), normalised (the same but for what folding takes away), or approximately, with its
similarity; or it is unplaced, with the reason: the key does not have it (absent), has it only where another stretch
lies (repeated) or elsewhere (out of order), or has it among other words (unlike its surroundings).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from aune.alignment.folding import Folded, folded
from aune.alignment.words import Correspondence, correspondence
from aune.core.arrays import Ints
from aune.core.groups import grouped

BELIEVED = 0.5  # the share of equal words around a stretch from which its place is believed


class Status(IntEnum):
    """How a stretch was placed, or why it was not."""

    EXACT = 0
    NORMALISED = 1
    APPROXIMATE = 2
    MOVED = 3
    ABSENT = 4
    REPEATED = 5
    UNLIKE = 6
    OUT_OF_ORDER = 7

    @property
    def placed(self) -> bool:
        return self <= Status.MOVED

    @property
    def words(self) -> str:
        spoken = {Status.UNLIKE: "unlike its surroundings", Status.MOVED: "not where its numbers point"}
        return spoken.get(self) or self.name.lower().replace("_", " ")


class Text(NamedTuple):
    """A text and its tokens: what positions count."""

    characters: str
    starts: Ints
    ends: Ints
    """(tokens,): where each token lies among the characters."""

    @classmethod
    def of_tokens(cls, tokens: Sequence[str]) -> Text:
        """Tokens with a blank between them."""
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ends = np.cumsum(lengths + 1) - 1
        return cls(" ".join(tokens), ends - lengths, ends)

    @classmethod
    def of_characters(cls, characters: str) -> Text:
        places = np.arange(len(characters))
        return cls(characters, places, places + 1)

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the tokens from `start` to before `end`."""
        if start >= end or start >= len(self.starts):
            return 0, 0
        return int(self.starts[start]), int(self.ends[min(end, len(self.ends)) - 1])


class Placement(NamedTuple):
    """Where a stretch of the response lies in the key, in the key's tokens."""

    start: int
    end: int
    status: Status
    similarity: float = 1.0


class Projection(NamedTuple):
    """Every stretch with its place, and how much the texts have in common."""

    placements: list[Placement]
    key_coverage: float
    """The share of the key's words that the response has."""
    response_coverage: float


def project(key: Text, response: Text, stretches: Sequence[tuple[int, int]]) -> Projection:
    """Where stretches of a response's text (in its tokens) lie in the key's.

    >>> key, response = Text.of_tokens("the old dog sleeps".split()), Text.of_tokens("The dog snores".split())
    >>> project(key, response, [(0, 2), (1, 2)]).placements[0]
    Placement(start=0, end=3, status=<Status.APPROXIMATE: 2>, similarity=0.66...)
    """
    key_folded, response_folded = folded(key.characters), folded(response.characters)
    found = correspondence(key_folded, response_folded)
    projector = _Projector(key, response, key_folded, response_folded, found)
    return Projection([projector.placement(*it) for it in stretches], found.key_coverage, found.response_coverage)


@dataclass(frozen=True)
class _Projector:
    key: Text
    response: Text
    key_folded: Folded
    response_folded: Folded
    found: Correspondence
    reasons: dict[str, Status] = field(default_factory=dict)

    def placement(self, start: int, end: int) -> Placement:
        at, to = self.response.stretch(start, end)
        first, last = self.response_folded.within(at, to)
        own = slice(first, last)
        starts, ends = self.found.starts[own], self.found.ends[own]
        there = starts >= 0
        if not there.any() or not self._whole_blocks(first, last):
            return self._unplaced(first, last)
        if self.found.support[own][there].max() < BELIEVED:
            return Placement(-1, -1, Status.UNLIKE, 0.0)
        key_first, key_last = int(starts[there].min()), int(ends[there].max())
        first_there, last_there = self.key_folded.origin[key_first], self.key_folded.ends[key_last - 1]
        token_first, token_last = self._tokens(int(first_there), int(last_there))
        return self._judged(self.response.characters[at:to], first, last, token_first, token_last)

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        """The tokens of the key that a stretch of its characters touches."""
        first = int(np.searchsorted(self.key.ends, start, "right"))
        return first, max(int(np.searchsorted(self.key.starts, end, "left")), first + 1)

    def _judged(self, written: str, first: int, last: int, start: int, end: int) -> Placement:
        at, to = self.key.stretch(start, end)
        if self.key.characters[at:to] == written:
            return Placement(start, end, Status.EXACT)
        key_own, own = self.key_folded.characters[slice(*self.key_folded.within(at, to))], self._folded(first, last)
        if key_own == own:
            return Placement(start, end, Status.NORMALISED)
        return Placement(start, end, Status.APPROXIMATE, Levenshtein.normalized_similarity(key_own, own))

    def _folded(self, first: int, last: int) -> str:
        return self.response_folded.characters[first:last]

    def _whole_blocks(self, first: int, last: int) -> bool:
        """Whether a gap that the stretch begins or ends in has a place, and is wholly inside."""
        starts, blocks = self.found.starts, self.found.blocks
        lost = any(blocks[edge] and starts[edge] < 0 for edge in (first, last - 1))
        cut_before = first > 0 and blocks[first] and blocks[first - 1] == blocks[first]
        cut_after = last < len(blocks) and blocks[last - 1] and blocks[last] == blocks[last - 1]
        return not (lost or cut_before or cut_after)

    def _unplaced(self, first: int, last: int) -> Placement:
        written = self._folded(first, last)
        if written not in self.reasons:
            self.reasons[written] = self._reason(written, first, last)
        return Placement(-1, -1, self.reasons[written], 0.0)

    def _reason(self, written: str, first: int, last: int) -> Status:
        places = self._places(written, first, last)
        if not places:
            return Status.ABSENT
        free = any(not self.taken[place : place + len(written)].any() for place in places)
        return Status.OUT_OF_ORDER if free else Status.REPEATED

    def _places(self, written: str, first: int, last: int) -> list[int]:
        """Where the key has a stretch of the response, at word boundaries: looked for by its rarest word."""
        words = self.response_folded.words
        start, end = np.searchsorted(words, [first, last]).tolist()
        if start >= end or words[start] != first or words[end] != last:
            return []
        forms = [self.response_folded.characters[words[at] : words[at + 1]] for at in range(start, end)]
        rarest = min(range(len(forms)), key=lambda at: len(self.key_places.get(forms[at], ())))
        before = int(words[start + rarest]) - first
        begins = (place - before for place in self.key_places.get(forms[rarest], ()))
        return [place for place in begins if self._is_here(written, place)]

    def _is_here(self, written: str, place: int) -> bool:
        """Whether the key has these characters at a place, as whole words."""
        if place < 0 or not self.key_folded.characters.startswith(written, place):
            return False
        ends = [place, place + len(written)]
        return bool((self.key_folded.words[np.searchsorted(self.key_folded.words, ends)] == ends).all())

    @cached_property
    def key_places(self) -> dict[str, list[int]]:
        """Where each word of the key begins."""
        return grouped(zip(self.key_folded.forms, self.key_folded.words.tolist(), strict=False))

    @cached_property
    def taken(self) -> NDArray[np.bool_]:
        """(characters of the key,): whether something of the response lies there."""
        there = np.zeros(len(self.key_folded.characters) + 1, bool)
        there[self.found.starts[self.found.starts >= 0]] = True
        return there
