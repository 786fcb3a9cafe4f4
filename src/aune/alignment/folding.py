"""Texts normalised for alignment: without spacing, case, accents, and variants of quotes and dashes.

Folding is only used for alignment; it never decides whether two items are equal. Every folded character records the
character of the text that it comes from, so that a position in the folded text can be shown in the original; the
accents of a decomposed character and the rest of `&amp;` belong to that character.

    text     « L’Été — dit-il »        folded   " l ' e t e - d i t - i l "
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from aune.numeric.arrays import Ints, owner_indices

QUOTES = dict.fromkeys('"“”„‟«»″〝〞❝❞＂', '"') | dict.fromkeys("'‘’‚‛‹›′`´ʼʹ＇❛❜", "'")
DASHES = dict.fromkeys("-‐‑‒–—―−﹘﹣－⸺⸻", "-")
SPELLINGS = re.compile(  # spellings of several characters
    r"``|''|-{2,}|–{2,}|—{2,}|-(?:L|R)(?:R|S|C)B-|&(?:[A-Za-z]{2,8}|\#[0-9]{2,6}|\#[xX][0-9A-Fa-f]{2,5});"
)
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
WITHOUT_SPACES = re.compile(  # scripts that write no blanks between words: Thai to Burmese, Khmer, kana, Han
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)


class FoldedText(NamedTuple):
    """A text without the features that alignment ignores."""

    characters: str
    origin: Ints
    """(characters,): the character of the text that each comes from."""
    ends: Ints
    """(characters,): where that character ends in the text, including its accents and the like."""
    words: Ints
    """(words + 1,): the first character of every word, and the number of characters."""

    @property
    def forms(self) -> list[str]:
        """The words: runs of letters and digits, or single other characters."""
        bounds = self.words.tolist()
        return [self.characters[start:end] for start, end in pairwise(bounds)]

    def folded_range(self, start: int, end: int) -> tuple[int, int]:
        """The folded characters that come from a range of the text."""
        first, last = np.searchsorted(self.origin, [start, end]).tolist()
        return first, last


def fold_text(text: str) -> FoldedText:
    """The folded form of a text.

    >>> fold_text("« L’Été »").forms
    ['"', 'l', "'", 'ete', '"']
    """
    pieces = _pieces(text)
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    origin = owner_indices(lengths)
    characters = "".join(pieces)
    return FoldedText(characters, origin, _ends(text, lengths, origin), _word_bounds(characters, origin, text))


def _ends(text: str, lengths: Ints, origin: Ints) -> Ints:
    """Where the source of each folded character ends: after what is folded away, except blanks and layout."""
    parts = {
        character
        for character in set(text)
        if not character.isspace() and unicodedata.category(character)[0] not in "CZ"
    }
    absorbed = [place for place in np.flatnonzero(lengths == 0).tolist() if text[place] in parts]
    if not absorbed:
        return origin + 1
    begins = np.append(np.delete(np.arange(len(text)), absorbed), len(text))
    return begins[np.searchsorted(begins, origin, "right")]


def _pieces(text: str) -> list[str]:
    """What each character of a text becomes: nothing, itself, or several characters."""
    pieces = list(map({character: _piece(character) for character in set(text)}.__getitem__, text))
    if not text.isascii() or any(spelling in text for spelling in ("``", "''", "--", "B-", "&")):
        from html.entities import html5  # noqa: PLC0415 - few texts have such spellings

        for match in SPELLINGS.finditer(text):
            spelling = match.group()
            if spelling[0] != "&" or spelling[1] == "#" or spelling[1:] in html5:
                pieces[match.start()] = _fold_spelling(spelling)
                pieces[match.start() + 1 : match.end()] = [""] * (len(spelling) - 1)
    return pieces


def _fold_spelling(spelling: str) -> str:
    if spelling[0] == "&":
        from html import unescape  # noqa: PLC0415 - as above

        return "".join(map(_piece, unescape(spelling)))
    return BRACKETS.get(spelling) or ("-" if spelling[0] in DASHES else '"')


@cache
def _piece(character: str) -> str:
    plain = QUOTES.get(character) or DASHES.get(character)
    if plain or character.isascii():
        return plain or ("" if character.isspace() else character.lower())
    parts = unicodedata.normalize("NFKD", character)
    letters = "".join(part for part in parts if unicodedata.category(part)[0] not in "MCZ").casefold()
    return "".join(DASHES.get(part) or QUOTES.get(part) or part for part in letters)


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
    before = np.concatenate([[0], np.cumsum(blank)])[origin]  # the number of blanks before each character
    begins = np.ones(size, bool)
    begins[1:] = alone[1:] | alone[:-1] | (before[1:] > before[:-1])
    return np.append(np.flatnonzero(begins), size)
