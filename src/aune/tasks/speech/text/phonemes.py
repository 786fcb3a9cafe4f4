"""The pronunciation of words: the lexica and letter-to-sound rules of gruut, an optional package (extra `phonemes`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Annotated, Any, Literal, TypeAlias

from aune.errors import UsageError

Language: TypeAlias = Annotated[Literal["en", "fr"], "the language of the transcripts, for the sounds of words"]
LOCALES = {"en": "en_US", "fr": "fr_FR"}
PACKAGES = {"en": "gruut", "fr": "gruut_lang_fr"}
EXTRA = "pip install 'aune[phonemes]'"
STRESS = str.maketrans("", "", "ˈˌ")


def refuse_without_gruut(language: str = "en") -> None:
    """Report the missing package, and how to install it."""
    for package in ("gruut", PACKAGES[language]):
        if find_spec(package) is None:
            raise UsageError(f"the sounds of words need the package {package}: install it with {EXTRA}")


@cache
def _settings(language: str) -> Any:
    refuse_without_gruut(language)
    from gruut.lang import get_settings  # noqa: PLC0415 - optional, and slow to import

    settings = get_settings(LOCALES[language])
    lookup: Any = settings.lookup_phonemes
    if hasattr(lookup, "db_conn"):
        lookup.db_conn = _indexed_copy(lookup.db_conn)
    return settings


def _indexed_copy(lexicon: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a lexicon in memory with an index of its words: gruut's own has none, and is slow for every word."""
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    lexicon.backup(copy)
    copy.execute("CREATE INDEX words ON word_phonemes (word)")
    return copy


@cache
def phonemes(word: str, language: str) -> tuple[str, ...]:
    """The sounds of a word, without stress: from the lexicon, or by rule for an unknown word."""
    settings = _settings(language)
    text = word.lower().replace("’", "'").strip(".,;:!?-")
    if not text:
        return ()
    sounds = settings.lookup_phonemes(text) if settings.lookup_phonemes else None
    if not sounds and "'" in text.strip("'"):
        head, _, tail = text.partition("'")
        return (*phonemes(f"{head}'", language), *phonemes(tail, language))
    if not sounds and settings.guess_phonemes:
        sounds = settings.guess_phonemes(text)
    return tuple(sound for sound in (symbol.translate(STRESS) for symbol in sounds or ()) if sound)


def pronouncer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """A function that gives the sounds of a sequence of words, concatenated."""
    _settings(language)
    return lambda words: [sound for word in words for sound in phonemes(word, language)]


def tagger(language: str) -> Callable[[Sequence[str]], list[str]]:
    """A function that gives a part of speech for each word of an utterance."""
    tag = _settings(language).get_parts_of_speech
    return lambda words: list(tag(list(words))) if words else []
