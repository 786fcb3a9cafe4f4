"""Normalise text of any language word by word: Whisper's basic rules, and the leaderboard's for other languages.

    1   lower case; text in brackets or parentheses is removed
    2   signs become blanks: marks too, and compatible forms of letters become the usual ones (NFKC)
        (`keeps_diacritics` false: letters lose their diacritics, NFKD)
    3   (`splits_letters`: every letter, with what belongs to it, is a word)

`keeps_marks` is the leaderboard's way: marks without a base letter are kept, other remaining signs are removed.

Source: Radford et al. 2022, appendix C; the Open ASR Leaderboard.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from aune.errors import UsageError
from aune.tasks.speech.text.traced_text import NormalisedWords, TracedText, trace_words
from aune.tasks.speech.text.whisper import BRACKETS, MOST_RUNS, leaves_brackets_open, strip_signs

LEFT_OVER = re.compile(r"[^\w\s]")


class BasicNormaliser:
    """The rules, ready for the words of a text.

    >>> BasicNormaliser()("L'été (rires) déjà-vu !".split()).words
    ['l', 'été', 'déjà', 'vu']
    >>> BasicNormaliser(keeps_diacritics=False)(["Straße", "đã"]).words
    ['strasse', 'da']
    """

    def __init__(self, *, keeps_diacritics: bool = True, splits_letters: bool = False, is_board: bool = False) -> None:
        self.keeps_diacritics = keeps_diacritics
        self.is_board = is_board
        self._split: Callable[[str], list[str]] | None = letter_splitter() if splits_letters else None
        self._forms: dict[str, list[str]] = {}

    def __call__(self, words: Sequence[str]) -> NormalisedWords:
        """The words after the rules, and for each the index of the word from which it comes."""
        if any(map(leaves_brackets_open, words)):
            text = trace_words((word.lower(), place) for place, word in enumerate(words))
            for pattern in BRACKETS:
                text = text.sub(pattern, "")
            forms = [(self._clean(word), place) for word, place in text.words()]
        else:
            forms = [(self._form(word), place) for place, word in enumerate(words)]
        pairs = [(part, place) for parts, place in forms for part in parts]
        remaining = {place for _, place in pairs}
        dropped = [place for place in range(len(words)) if place not in remaining]
        return NormalisedWords([word for word, _ in pairs], [place for _, place in pairs], dropped)

    def _form(self, word: str) -> list[str]:
        """The form of a word whose brackets, if any, open and close within it."""
        parts = self._forms.get(word)
        if parts is None:
            if len(self._forms) >= MOST_RUNS:
                self._forms.clear()
            bare = word.lower()
            for pattern in BRACKETS:
                bare = pattern.sub("", bare)
            parts = self._forms[word] = self._clean(bare)
        return parts

    def _clean(self, word: str) -> list[str]:
        if not self.keeps_diacritics:
            clean = strip_signs(TracedText(word, [0] * len(word)), keep="").text
        else:
            clean = "".join(map(self._letter, unicodedata.normalize("NFKC", word)))
        clean = clean.lower()
        if self.is_board:
            clean = LEFT_OVER.sub(_left_over_mark if self.keeps_diacritics else "", clean)
        words = clean.split()
        return words if self._split is None else [letter for part in words for letter in self._split(part)]

    def _letter(self, letter: str) -> str:
        return " " if unicodedata.category(letter)[0] in ("SP" if self.is_board else "MSP") else letter


def _left_over_mark(match: re.Match[str]) -> str:
    return match[0] if unicodedata.category(match[0])[0] == "M" else ""


@cache
def letter_splitter() -> Callable[[str], list[str]]:
    """A function that splits a word into user-perceived letters (grapheme clusters of Unicode).

    It needs the package regex.
    """
    if find_spec("regex") is None:
        raise UsageError("letters with their marks need the package regex: install it with pip install 'aune[whisper]'")
    import regex  # type: ignore[import-untyped] # noqa: PLC0415 - optional

    pattern: Any = regex.compile(r"\X")
    return pattern.findall  # type: ignore[no-any-return]
