"""Steps of normalisation for languages beyond English and French: signs, characters, and numbers by a package."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from aune.errors import UsageError

NUMBER_LANGUAGES = tuple(
    "ar cs da de es fi he hu id it ja ko lt lv nl no pl pt ro ru sv th tr uk vi".split()  # noqa: SIM905 - a table
)
"""Languages whose integers num2words spells."""
MOST_DIGITS = 12
SIGNS_AFTER = ".,;:!?"
CHARACTERS = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
CJK = re.compile(f"[{CHARACTERS}]|[^{CHARACTERS}]+")
"""A Chinese or Japanese character, or a run of others."""
MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]"
)
"""Accents of any alphabet, and the vowel points of Hebrew and Arabic."""


def fold_width(word: str) -> str:
    """A word with full-width and half-width forms replaced by the usual characters.

    >>> fold_width("ＡＢＣ１２"), fold_width("ｶﾞｷﾞ")
    ('ABC12', 'ガギ')
    """
    folded = (
        unicodedata.normalize("NFKC", sign) if unicodedata.east_asian_width(sign) in "FH" else sign for sign in word
    )
    return unicodedata.normalize("NFC", "".join(folded))


def strip_diacritics(word: str) -> str:
    """A word without accents and vowel points; marks that are vowels themselves are kept.

    >>> strip_diacritics("déjà"), strip_diacritics("ёлка"), strip_diacritics("が"), strip_diacritics("กี่")
    ('deja', 'елка', 'が', 'กี่')
    """
    return unicodedata.normalize("NFC", MARKS.sub("", unicodedata.normalize("NFD", word)))


def split_cjk(word: str) -> list[str]:
    """Chinese and Japanese characters one by one; text between them is unchanged.

    >>> split_cjk("東京でGPT4を")
    ['東', '京', 'で', 'GPT4', 'を']
    """
    return CJK.findall(word)


def number_speller(language: str) -> Callable[[str], list[str]]:
    """A step that spells integers in a language."""

    def spell(word: str) -> list[str]:
        digits = word.rstrip(SIGNS_AFTER)
        if not digits.isdecimal() or len(digits) > MOST_DIGITS:
            return [word]
        return list(spell_whole_number(int(digits), language))

    return spell


@cache
def spell_whole_number(number: int, language: str) -> tuple[str, ...]:
    if find_spec("num2words") is None:
        raise UsageError(
            f"--normalise numbers-{language} needs the package num2words: install it with pip install 'aune[numbers]'"
        )
    from num2words import num2words  # type: ignore[import-untyped] # noqa: PLC0415 - optional

    text: str = num2words(number, lang=language)
    return tuple(text.lower().replace("-", " ").replace(",", " ").split())
