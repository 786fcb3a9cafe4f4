"""Project stretches of a response's text onto the key's.

A stretch is mapped to the hull of the key's characters that its characters are aligned with, widened to whole tokens
of the key. It is placed exactly (the same text), normalised (the same except for folding), or approximately, with its
similarity; or it is unplaced, with the reason: the key does not contain it (absent), contains it only where another
stretch is (repeated) or elsewhere (out of order), or has it among other words (unlike its surroundings).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.alignment.folding import FoldedText, fold_text
from aune.alignment.word_alignment import Correspondence, correspondence
from aune.numeric.arrays import Ints
from aune.numeric.grouping import group_items

MIN_SUPPORT = 0.5  # the share of equal words around a stretch from which its position is accepted


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
    def is_placed(self) -> bool:
        return self <= Status.MOVED

    @property
    def description(self) -> str:
        descriptions = {Status.UNLIKE: "unlike its surroundings", Status.MOVED: "not where its numbers point"}
        return descriptions.get(self) or self.name.lower().replace("_", " ")


class TokenisedText(NamedTuple):
    """A text and its tokens, in which positions are counted."""

    characters: str
    starts: Ints
    ends: Ints
    """(tokens,): the range of characters of each token."""

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> TokenisedText:
        """Tokens with a blank between them."""
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ends = np.cumsum(lengths + 1) - 1
        return cls(" ".join(tokens), ends - lengths, ends)

    @classmethod
    def from_characters(cls, characters: str) -> TokenisedText:
        places = np.arange(len(characters))
        return cls(characters, places, places + 1)

    def character_span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the tokens from `start` to before `end`."""
        if start >= end or start >= len(self.starts):
            return 0, 0
        return int(self.starts[start]), int(self.ends[min(end, len(self.ends)) - 1])


class Placement(NamedTuple):
    """The position of a stretch of the response in the key, in the key's tokens."""

    start: int
    end: int
    status: Status
    similarity: float = 1.0


class Projection(NamedTuple):
    """Every stretch with its position, and how much the texts have in common."""

    placements: list[Placement]
    key_coverage: float
    """The share of the key's words that the response has."""
    response_coverage: float


def project(key: TokenisedText, response: TokenisedText, stretches: Sequence[tuple[int, int]]) -> Projection:
    """Locate stretches of a response's text (in its tokens) in the key's.

    >>> key = TokenisedText.from_tokens("the old dog sleeps".split())
    >>> response = TokenisedText.from_tokens("The dog snores".split())
    >>> project(key, response, [(0, 2), (1, 2)]).placements[0]
    Placement(start=0, end=3, status=<Status.APPROXIMATE: 2>, similarity=0.66...)
    """
    key_folded, response_folded = fold_text(key.characters), fold_text(response.characters)
    matches = correspondence(key_folded, response_folded)
    projector = _Projector(key, response, key_folded, response_folded, matches)
    return Projection(
        [projector.placement(*stretch) for stretch in stretches], matches.key_coverage, matches.response_coverage
    )


@dataclass(frozen=True)
class _Projector:
    key: TokenisedText
    response: TokenisedText
    key_folded: FoldedText
    response_folded: FoldedText
    matches: Correspondence
    reasons: dict[str, Status] = field(default_factory=dict)

    def placement(self, start: int, end: int) -> Placement:
        at, to = self.response.character_span(start, end)
        first, last = self.response_folded.folded_range(at, to)
        stretch = slice(first, last)
        starts, ends = self.matches.starts[stretch], self.matches.ends[stretch]
        matched = starts >= 0
        if not matched.any() or not self._has_whole_blocks(first, last):
            return self._missing_placement(first, last)
        if self.matches.support[stretch][matched].max() < MIN_SUPPORT:
            return Placement(-1, -1, Status.UNLIKE, 0.0)
        key_first, key_last = int(starts[matched].min()), int(ends[matched].max())
        key_start, key_end = self.key_folded.origin[key_first], self.key_folded.ends[key_last - 1]
        token_first, token_last = self._tokens(int(key_start), int(key_end))
        return self._grade(self.response.characters[at:to], first, last, token_first, token_last)

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        """The tokens of the key that a stretch of its characters touches."""
        first = int(np.searchsorted(self.key.ends, start, "right"))
        return first, max(int(np.searchsorted(self.key.starts, end, "left")), first + 1)

    def _grade(self, text: str, first: int, last: int, start: int, end: int) -> Placement:
        at, to = self.key.character_span(start, end)
        if self.key.characters[at:to] == text:
            return Placement(start, end, Status.EXACT)
        key_string, response_string = (
            self.key_folded.characters[slice(*self.key_folded.folded_range(at, to))],
            self._folded_string(first, last),
        )
        if key_string == response_string:
            return Placement(start, end, Status.NORMALISED)
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only texts that differ need it

        return Placement(start, end, Status.APPROXIMATE, Levenshtein.normalized_similarity(key_string, response_string))

    def _folded_string(self, first: int, last: int) -> str:
        return self.response_folded.characters[first:last]

    def _has_whole_blocks(self, first: int, last: int) -> bool:
        """Whether a gap in which the stretch begins or ends has a position, and is wholly inside."""
        starts, blocks = self.matches.starts, self.matches.blocks
        is_lost = any(blocks[edge] and starts[edge] < 0 for edge in (first, last - 1))
        cut_before = first > 0 and blocks[first] and blocks[first - 1] == blocks[first]
        cut_after = last < len(blocks) and blocks[last - 1] and blocks[last] == blocks[last - 1]
        return not (is_lost or cut_before or cut_after)

    def _missing_placement(self, first: int, last: int) -> Placement:
        string = self._folded_string(first, last)
        if string not in self.reasons:
            self.reasons[string] = self._reason(string, first, last)
        return Placement(-1, -1, self.reasons[string], 0.0)

    def _reason(self, string: str, first: int, last: int) -> Status:
        places = self._places(string, first, last)
        if not places:
            return Status.ABSENT
        free = any(not self.occupied_places[place : place + len(string)].any() for place in places)
        return Status.OUT_OF_ORDER if free else Status.REPEATED

    def _places(self, string: str, first: int, last: int) -> list[int]:
        """Where the key contains a stretch of the response, at word boundaries: searched for by its rarest word."""
        words = self.response_folded.words
        start, end = np.searchsorted(words, [first, last]).tolist()
        if start >= end or words[start] != first or words[end] != last:
            return []
        forms = [self.response_folded.characters[words[at] : words[at + 1]] for at in range(start, end)]
        rarest = min(range(len(forms)), key=lambda at: len(self.key_places.get(forms[at], ())))
        before = int(words[start + rarest]) - first
        begins = (place - before for place in self.key_places.get(forms[rarest], ()))
        return [place for place in begins if self._is_at(string, place)]

    def _is_at(self, string: str, place: int) -> bool:
        """Whether the key has these characters at a position, as whole words."""
        if place < 0 or not self.key_folded.characters.startswith(string, place):
            return False
        ends = [place, place + len(string)]
        return bool((self.key_folded.words[np.searchsorted(self.key_folded.words, ends)] == ends).all())

    @cached_property
    def key_places(self) -> dict[str, list[int]]:
        """Where each word of the key begins."""
        return group_items(zip(self.key_folded.forms, self.key_folded.words.tolist(), strict=False))

    @cached_property
    def occupied_places(self) -> NDArray[np.bool_]:
        """(characters of the key,): whether a part of the response is aligned with it."""
        occupied = np.zeros(len(self.key_folded.characters) + 1, bool)
        occupied[self.matches.starts[self.matches.starts >= 0]] = True
        return occupied
