"""Texts reduced to what aligning looks at: no spacing, case, accents, or ways of writing quotes and dashes.

Folding serves aligning only; it never decides whether two things are equal. Every folded character knows the character
of the text that it comes from, so that what is found in the folded text can be shown in the text itself.

    text     « L’Été — dit-il »        folded   " l ' e t e - d i t - i l "
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from aune.core.arrays import Ints, owners

QUOTES = dict.fromkeys('"“”„‟«»″〝〞❝❞＂', '"') | dict.fromkeys("'‘’‚‛‹›′`´ʼʹ＇❛❜", "'")
DASHES = dict.fromkeys("-‐‑‒–—―−﹘﹣－⸺⸻", "-")
SPELLED = re.compile(r"``|''|-{2,}|–{2,}|—{2,}|-(?:L|R)(?:R|S|C)B-")  # written with several characters
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
WITHOUT_SPACES = re.compile(  # scripts that write no blanks between words: Thai to Burmese, Khmer, kana, Han
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Folded(NamedTuple):
    """A text without what aligning does not look at."""

    characters: str
    origin: Ints
    """(characters,): the character of the text that each comes from."""
    words: Ints
    """(words + 1,): the first character of every word, and the number of characters."""

    @property
    def forms(self) -> list[str]:
        """The words: runs of letters and digits, or single other characters."""
        bounds = self.words.tolist()
        return [self.characters[start:end] for start, end in pairwise(bounds)]

    def within(self, start: int, end: int) -> tuple[int, int]:
        """The folded characters that come from a stretch of the text."""
        first, last = np.searchsorted(self.origin, [start, end]).tolist()
        return first, last


def folded(text: str) -> Folded:
    """A text as aligning looks at it.

    >>> folded("« L’Été »").forms
    ['"', 'l', "'", 'ete', '"']
    """
    pieces = _pieces(text)
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    origin = owners(lengths)
    characters = "".join(pieces)
    return Folded(characters, origin, _word_bounds(characters, origin, text))


def _pieces(text: str) -> list[str]:
    """What each character of a text becomes: nothing, itself, or several characters."""
    pieces = list(map({character: _piece(character) for character in set(text)}.__getitem__, text))
    if not text.isascii() or "``" in text or "''" in text or "--" in text or "B-" in text:
        for match in SPELLED.finditer(text):
            written = match.group()
            pieces[match.start()] = BRACKETS.get(written) or ("-" if written[0] in DASHES else '"')
            pieces[match.start() + 1 : match.end()] = [""] * (match.end() - match.start() - 1)
    return pieces


@cache
def _piece(character: str) -> str:
    plain = QUOTES.get(character) or DASHES.get(character)
    if plain or character.isascii():
        return plain or ("" if character.isspace() else character.lower())
    parts = unicodedata.normalize("NFKD", character)
    kept = "".join(part for part in parts if unicodedata.category(part)[0] not in "MCZ").casefold()
    return "".join(DASHES.get(part) or QUOTES.get(part) or part for part in kept)


def _word_bounds(characters: str, origin: Ints, text: str) -> Ints:
    """Where words begin: after blanks, at every character that is no letter or digit, and after it."""
    size = len(characters)
    if not size:
        return np.zeros(1, np.int64)
    inner = np.fromiter(map(str.isalnum, characters), bool, size)
    alone = ~inner
    if not characters.isascii():
        for match in WITHOUT_SPACES.finditer(characters):
            alone[match.start()] = True
    blank = np.fromiter(map(str.isspace, text), np.int64, len(text))
    before = np.concatenate([[0], np.cumsum(blank)])[origin]  # how many blanks stand before each character
    begins = np.ones(size, bool)
    begins[1:] = alone[1:] | alone[:-1] | (before[1:] > before[:-1])
    return np.append(np.flatnonzero(begins), size)
