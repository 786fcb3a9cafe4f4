"""Closed-class words of a language: its pronouns, determiners and titles, with their known traits.

The words are in `lexica/LANGUAGE.toml`; another file with the same headings defines another language. They are used by
the rule that guesses the kind of a mention and by the simple systems that need gender and number. The traits of a word
that is not listed are unknown, and unknown traits are compatible with all values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from aune.files import parse_toml

Language: TypeAlias = Literal["english", "french"]
LANGUAGES: tuple[Language, ...] = ("english", "french")
SENTENCE_ENDINGS = frozenset(".!?…»\"”'’:;")


class Traits(NamedTuple):
    """The known traits of a word or a mention; '' if unknown."""

    gender: str = ""
    number: str = ""
    person: str = ""
    being: str = ""
    """person or thing."""

    def completed_by(self, other: Traits) -> Traits:
        """These traits, with unknown ones taken from others."""
        return Traits(
            self.gender or other.gender,
            self.number or other.number,
            self.person or other.person,
            self.being or other.being,
        )


TRAITS: Mapping[str, str] = {
    **dict.fromkeys(("masculine", "feminine", "neuter"), "gender"),
    **dict.fromkeys(("singular", "plural"), "number"),
    **dict.fromkeys(("first", "second", "third"), "person"),
    **dict.fromkeys(("person", "thing"), "being"),
}


@dataclass(frozen=True)
class Lexicon:
    """The words of one language, in lower case."""

    pronouns: Mapping[str, Traits]
    determiners: Mapping[str, Traits]
    titles: Mapping[str, Traits]
    nouns: Mapping[str, Traits]
    breaks: frozenset[str]
    """Words that end the part of a noun phrase that contains its head."""
    conjunctions: frozenset[str]
    adjectives: frozenset[str]
    """Adjectives before the noun, in languages whose head comes first."""
    adjective_endings: tuple[str, ...]
    """Endings that always mark such adjectives, for example those of ordinals."""
    head_side: str
    """Whether the head is the first or the last word of that part."""

    def head(self, words: Sequence[str]) -> int:
        """The index of the head of a mention without parts of speech.

        >>> lexicon("english").head(["the", "old", "man", "of", "the", "sea"])
        2
        >>> lexicon("french").head(["la", "petite", "maison", "blanche"])
        2
        """
        low = [word.lower() for word in words]
        last = len(low)
        while last > 1 and low[last - 1] in ("'s", "’s", "'", "’"):
            last -= 1
        first = 0
        while first < last - 1 and low[first] in self.determiners:
            first += 1
        stop = next((i for i in range(first + 1, last) if self._ends(low[i])), last)
        if self.head_side == "last":
            return stop - 1
        return next((i for i in range(first, stop) if not self._stands_before(low[i])), stop - 1)

    def _stands_before(self, word: str) -> bool:
        """Whether a word is an adjective or a title before the noun."""
        return word in self.adjectives or word in self.titles or word.endswith(self.adjective_endings or ("\0",))

    def _ends(self, word: str) -> bool:
        return word in self.breaks or word in self.conjunctions or not any(map(str.isalnum, word))


@cache
def lexicon(language: str) -> Lexicon:
    """The shipped lexicon of a language.

    >>> lexicon("french").pronouns["elle"]
    Traits(gender='feminine', number='singular', person='third', being='')
    """
    text = (Path(__file__).parent / "lexica" / f"{language}.toml").read_text("utf-8")
    return build_lexicon(parse_toml(text))


def build_lexicon(tables: Mapping[str, Any]) -> Lexicon:
    """A lexicon from the tables of a TOML file."""
    traits = {name: _traits_by_word(tables.get(name, {})) for name in ("pronouns", "determiners", "titles", "nouns")}
    return Lexicon(
        **traits,
        breaks=frozenset(tables.get("breaks", {}).get("words", ())),
        conjunctions=frozenset(tables.get("breaks", {}).get("conjunctions", ())),
        adjectives=frozenset(tables.get("adjectives", {}).get("words", ())),
        adjective_endings=tuple(tables.get("adjectives", {}).get("endings", ())),
        head_side=str(tables.get("heads", {}).get("side", "last")),
    )


def _traits_by_word(headings: Mapping[str, Iterable[str]]) -> dict[str, Traits]:
    """The traits of each word; a word under two headings keeps the traits that both share."""
    traits_by_word: dict[str, Traits] = {}
    for heading, words in headings.items():
        traits = Traits(**{TRAITS[name]: name for name in heading.split()})
        for word in words:
            known = traits_by_word.get(word, traits)
            traits_by_word[word] = Traits(*(a if a == b else "" for a, b in zip(known, traits, strict=True)))
    return traits_by_word


def language_of(tokens: Sequence[str]) -> Language:
    """The language whose closed-class words are most frequent in a text; English if there are none.

    >>> language_of("la maison de mon père".split())
    'french'
    """
    sample = [token.lower() for token in tokens[:5000]]

    def word_count(language: Language) -> int:
        words = lexicon(language)
        return sum(word in words.determiners or word in words.breaks or word in words.pronouns for word in sample)

    return max(LANGUAGES, key=word_count)
