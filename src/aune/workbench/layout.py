"""Map positions in a document to the characters that users see, and back.

Documents count tokens, characters, positions with space for empty nodes, or only names. A text counts characters.
A layout stores both positions of every word, so that a span can be converted in either direction.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from aune.workbench.model import Part

CLOSING = set(",.;:!?)]}…%。，、；：？！）」』】》") | {"'s", "’s", "n't", "n’t", "'", "’", "''", "-RRB-"}
OPENING = set("([{（「『【《") | {"``", "-LRB-"}
ELIDED = re.compile(r"(?:[cdjlmnst]|\w*qu|aujourd|entr)['’]", re.IGNORECASE)  # j'ouvris, lorsqu'il
MARKS = "".join(mark for mark in map(chr, range(0x3100)) if unicodedata.category(mark)[0] == "M")
"""Accents and vowel signs, which belong to the letter before them."""
EXTENDING = (
    MARKS
    + "\u0e33\u0eb3\u200c\u200d\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c"
    "\ua880\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36"
    "\uaa43\uaa4c\uaa4d\uaa7c\uaab0-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\uff9e\uff9f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
"""Characters that extend the character before them: marks, joiners, variation selectors, skin tones, flag tags."""
BLANKLESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese
)
"""Scripts without spaces between words: each letter can begin or end a mention."""
STACKERS = "\u1039\u17d2"  # place the next letter below the one before them, in Burmese and Khmer
LETTER = f"(?![{EXTENDING}])[{BLANKLESS}](?:[{EXTENDING}]|(?<=[{STACKERS}])[{BLANKLESS}])*"
FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
SIGN = (
    rf"(?:{FLAG}|[^\w\s])[{EXTENDING}]*(?:(?<=\u200d)[^\w\s][{EXTENDING}]*)*"  # joined signs are one: the family emoji
)
WORD = re.compile(rf"\d+(?:[.,]\d+)+[{EXTENDING}]*|{LETTER}|(?:(?![{BLANKLESS}])\w|[{EXTENDING}])+|{SIGN}")
"""A word, a number or a sign; it never splits a grapheme cluster, which readers see as one character."""
UNSPACED = re.compile(rf"[{BLANKLESS}。，、；：？！（）「」『』【】《》{MARKS}]")
MOST_SHOWN = 1_000_000  # positions shown of an unknown text; if there are more, only the mentions are shown


@dataclass(frozen=True)
class Layout:
    """The characters of a text, and the positions of each word of the document in the text and in the document."""

    characters: str
    starts: Sequence[int]
    ends: Sequence[int]
    """(words,): the character range of each word; empty for an empty node."""
    places: Sequence[int]
    """(words,): the position of each word in the document."""
    sentences: Sequence[int] = ()
    """The first word of each sentence."""
    by_character: bool = False
    """Whether the document counts the characters of this text."""
    has_blanks: bool = False
    """Whether the white space between words comes from the file and is not a guess."""
    orders: Sequence[int] = field(default=())
    """(words,): the rank of each empty node among those at its position; empty if the document has no empty node."""

    def gaps(self) -> list[str] | None:
        """The characters before each word and after the last one, if they come from the file."""
        if not self.has_blanks:
            return None
        bounds = zip([0, *self.ends], [*self.starts, len(self.characters)], strict=True)
        return [self.characters[end:start] for end, start in bounds]

    @cached_property
    def visible_words(self) -> list[int]:
        """The words that have characters."""
        return [word for word, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)) if start < end]

    @cached_property
    def _visible_starts(self) -> list[int]:
        return [self.starts[word] for word in self.visible_words]

    @cached_property
    def _visible_ends(self) -> list[int]:
        return [self.ends[word] for word in self.visible_words]

    @cached_property
    def _nodes(self) -> dict[tuple[int, int], int]:
        """The empty nodes by position and order."""
        return {
            (start, self.orders[word]): word
            for word, (start, end) in enumerate(zip(self.starts, self.ends, strict=True))
            if start == end and self.orders
        }

    def tokens(self) -> list[int]:
        """The ranges of the words that have characters, as a flat list."""
        return [place for word in self.visible_words for place in (self.starts[word], self.ends[word])]

    def first_tokens(self) -> list[int]:
        """The first visible word of every sentence."""
        firsts = {bisect_left(self.visible_words, first) for first in self.sentences}
        return sorted(first for first in firsts if first < len(self.visible_words)) or [0] * bool(self.visible_words)

    def part(self, start: int, end: int) -> tuple[Part, int]:
        """A span of the document as a character range, with its order if it is a zero."""
        if self.by_character:
            return (min(start, len(self.characters)), min(end, len(self.characters))), 0
        first = min(bisect_left(self.places, start), len(self.places) - 1)
        last = max(bisect_left(self.places, end) - 1, first)
        visible = [word for word in range(first, last + 1) if self.starts[word] < self.ends[word]]
        if visible:
            return (self.starts[visible[0]], self.ends[visible[-1]]), 0
        return (self.starts[first], self.starts[first]), self.orders[first]

    def parts(self, spans: Sequence[Part]) -> tuple[tuple[Part, ...], int]:
        """Spans of the document as character ranges, with adjacent ones merged; and the order if they are a zero."""
        located = [self.part(start, end) for start, end in spans]
        if len(located) == 1:
            return (located[0][0],), located[0][1]
        pieces = [piece for piece, _ in located if piece[0] < piece[1]]
        if not pieces:
            return (located[0][0],), located[0][1]
        merged: list[Part] = []
        for start, end in sorted(pieces):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return tuple(merged), 0

    def span(self, start: int, end: int, order: int = 0) -> tuple[Part, bool] | None:
        """A character range as a span of the document, and whether it is exact; None if it has no position there.

        In a document that counts words, the span covers every word that the range touches completely.
        """
        if start == end:
            word = self._nodes.get((start, order))
            return None if word is None else ((self.places[word], self.places[word] + 1), True)
        if self.by_character:
            return (start, end), True
        touched = self.token_span(start, end)
        if touched is None:
            return None
        words = self.visible_words[touched[0]], self.visible_words[touched[1] - 1]
        exact = self.starts[words[0]] == start and self.ends[words[1]] == end
        return (self.places[words[0]], self.places[words[1]] + 1), exact

    def token_span(self, start: int, end: int) -> Part | None:
        """The range of visible words that a character range touches: the first one, and the one after the last."""
        first, after = bisect_right(self._visible_ends, start), bisect_left(self._visible_starts, end)
        return (first, after) if first < after else None


class WrittenDocument(NamedTuple):
    """A document made from a state, and counts, by kind, of what it cannot express of the state."""

    document: Any
    lost: Counter[str]


def layout_from_words(
    words: Sequence[str],
    sentences: Sequence[int],
    places: Sequence[int],
    empty: Sequence[bool],
    gaps: Sequence[str | None] = (),
) -> Layout:
    r"""A text made of words, one line per sentence; words are spaced as typists do, or as `gaps` states.

    >>> layout_from_words(["Ann", "left", ".", "Rain", "!"], [0, 3], range(5), [False] * 5).characters
    'Ann left.\nRain!'
    >>> words = ["L'", "an", "dernier", ",", "qu'", "y", "a-t-il", "?"]
    >>> layout_from_words(words, [0], range(8), [False] * 8).characters
    "L'an dernier, qu'y a-t-il?"
    >>> layout_from_words(["我们", "在", "GitHub", "上", "。"], [0], range(5), [False] * 5).characters
    '我们在 GitHub 上。'
    """
    starts: list[int] = []
    ends: list[int] = []
    orders: list[int] = []
    pieces: list[str] = []
    length, before = 0, ""
    firsts = set(sentences)
    nodes: Counter[int] = Counter()
    for number, (word, is_empty) in enumerate(zip(words, empty, strict=True)):
        known_gap = gaps[number] if gaps else None
        if number in firsts and pieces:
            line = "\n\n" if known_gap == "\n\n" else "\n"
            pieces.append(line)
            length, before, known_gap = length + len(line), "", ""
        if is_empty or not word:
            starts.append(length)
            ends.append(length)
            orders.append(nodes[length])
            nodes[length] += 1
            continue
        gap = " " if before and not _touch(before, word) else ""
        gap = known_gap if known_gap is not None and before else gap
        pieces.append(gap + word)
        starts.append(length + len(gap))
        length += len(gap) + len(word)
        ends.append(length)
        orders.append(0)
        before = word
    has_blanks = any(gap is not None for gap in gaps)
    return Layout(
        "".join(pieces), starts, ends, places, sentences, has_blanks=has_blanks, orders=orders if nodes else ()
    )


def layout_from_gaps(
    words: Sequence[str], sentences: Sequence[int], places: Sequence[int], empty: Sequence[bool], gaps: Sequence[str]
) -> Layout:
    r"""A text made of words with exactly the given characters before each word and after the last one.

    >>> layout_from_gaps(["我", "A"], [0], range(2), [False] * 2, ["", "", "\n"]).characters
    '我A\n'
    """
    starts: list[int] = []
    ends: list[int] = []
    orders: list[int] = []
    pieces: list[str] = []
    length = 0
    nodes: Counter[int] = Counter()
    for word, is_empty, gap in zip(words, empty, gaps[:-1], strict=True):
        shown = "" if is_empty else word
        pieces.append(gap + shown)
        starts.append(length + len(gap))
        length += len(gap) + len(shown)
        ends.append(length)
        orders.append(nodes[length] if is_empty else 0)
        nodes[length] += is_empty
    characters = "".join([*pieces, gaps[-1]])
    has_nodes = any(nodes.values())
    return Layout(characters, starts, ends, places, sentences, has_blanks=True, orders=orders if has_nodes else ())


def _touch(before: str, word: str) -> bool:
    """Whether two words are written without a blank between them."""
    if word in CLOSING or before in OPENING or ELIDED.fullmatch(before):
        return True
    return bool(UNSPACED.match(word) and UNSPACED.match(before[-1]))


def layout_from_positions(
    words: Sequence[str], starts: Sequence[int], sentences: Sequence[int], length: int = 0
) -> Layout:
    """A text with words at their character positions, blanks between them, and line ends before sentences."""
    firsts = set(sentences)
    pieces, end = [], 0
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    for number, (word, start) in enumerate(zip(words, starts, strict=True)):
        gap = " " * (start - end)
        pieces.append(gap[:-1] + "\n" if gap and number in firsts and number else gap)
        pieces.append(word)
        end = ends[number]
    pieces.append(" " * max(length - end, 0))
    return Layout("".join(pieces), starts, ends, starts, sentences, by_character=True, has_blanks=True)


def layout_from_text(text: str, starts: Sequence[int], ends: Sequence[int], sentences: Sequence[int]) -> Layout:
    """The layout of a text that the document itself contains."""
    return Layout(text, starts, ends, starts, sentences, by_character=True, has_blanks=bool(starts))
