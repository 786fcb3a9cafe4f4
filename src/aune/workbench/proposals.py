"""Propose likely mentions for annotation by keyboard: pronouns, names and simple noun phrases.

A proposal is a sequence of words, found only with the closed-class words of the language: a pronoun; capitalised words
(not merely the first word of a sentence) with the titles before them; a determiner and the words after it up to the
next closed-class word or sign. Proposals are only suggestions: one key press accepts a proposal, another skips it.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from aune.tasks.coref.mentions.lexicon import Lexicon, language_of, lexicon
from aune.workbench.layout import ELIDED
from aune.workbench.model import Part, Text

ARTICLES = {"le", "la", "les", "l'", "l’", "ce"}  # before a noun, these are not pronouns
MAX_WORDS = 6  # words of a noun phrase after its determiner
PHRASE_STOPPERS = {
    "would", "could", "should", "must", "might", "shall", "will", "may", "can", "cannot", "did", "does", "do", "be",
    "been", "being", "not", "n't", "never", "also", "still", "already",
    "ne", "n'", "n’", "pas", "ont", "sont", "étaient", "avaient", "fut", "furent", "eut", "sera", "serait", "peut",
    "pouvait", "doit", "devait", "fait",
}  # fmt: skip
"""Verbs and adverbs that end a noun phrase, unless they are its first word after the determiner (his will)."""


def proposals(text: Text) -> list[Part]:
    """The character ranges that may be mentions, in text order, the longest first."""
    ranges, firsts = _joined_elisions(text)
    words = [text.characters[start:end] for start, end in ranges]
    if not words:
        return []
    finder = _Finder(words, lexicon(language_of(words)), firsts)
    spans = sorted(set(finder.spans()), key=lambda span: (span[0], -span[1]))
    return [(ranges[first][0], ranges[last - 1][1]) for first, last in spans]


def pronouns(text: Text) -> list[Part]:
    """The proposals that are pronouns: single words that the language's lexicon lists."""
    words = [text.characters[start:end] for start, end in text.words()]
    known = lexicon(language_of(words)).pronouns if words else {}
    low = {part: text.characters[slice(*part)].lower() for part in proposals(text)}
    return [part for part, word in low.items() if word in known and word not in ARTICLES]


def _joined_elisions(text: Text) -> tuple[list[Part], set[int]]:
    """The words of a text and the first words of its sentences; an elided word includes its apostrophe: l' + homme."""
    ranges: list[Part] = []
    numbers: list[int] = []
    for start, end in text.words():
        last_start, last_end = ranges[-1] if ranges else (0, -1)
        is_elided = last_end == start and bool(ELIDED.fullmatch(text.characters[last_start:end]))
        if is_elided and text.characters[end : end + 1].isalpha():
            ranges[-1] = last_start, end
        else:
            ranges.append((start, end))
        numbers.append(len(ranges) - 1)
    return ranges, {numbers[first] for first in text.sentences if first < len(numbers)}


class _Finder:
    """Finds proposals among the words of a text with a lexicon of closed-class words."""

    def __init__(self, words: list[str], known: Lexicon, firsts: Set[int]) -> None:
        self.words, self.known, self.firsts = words, known, firsts
        self.low = [word.lower() for word in words]
        self.common = {word for word in words if word[:1].islower()}

    def spans(self) -> Iterator[tuple[int, int]]:
        place = 0
        while place < len(self.words):
            low = self.low[place]
            if low in self.known.determiners and (end := self._phrase_end(place)) > place + 1:
                yield place, end
                if self._is_possessive(low):  # her dog: a phrase that contains a pronoun
                    yield place, place + 1
                yield from self._names(place + 1, end)
                place = end
            elif low in self.known.pronouns:
                yield place, place + 1
                place += 1
            elif self._is_name(place):
                end = self._name_end(place)
                yield place, end
                place = end
            else:
                place += 1

    def _is_possessive(self, low: str) -> bool:
        """Whether a determiner also refers to a person: her, but not this."""
        return low in self.known.pronouns and bool(self.known.pronouns[low].person) and low not in ARTICLES

    def _names(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """The names inside a phrase."""
        place = first
        while place < end:
            after = self._name_end(place) if self._is_name(place) else place
            if after > place:
                yield place, min(after, end)
            place = max(after, place + 1)

    def _is_name(self, place: int) -> bool:
        word = self.words[place]
        return word[:1].isupper() and (self.low[place] not in self.common or self.low[place] in self.known.titles)

    def _name_end(self, place: int) -> int:
        end = place + 1
        while self._same_sentence(end) and (
            (self.words[end][:1].isupper() and not self._is_shouted(end))
            or (self.words[end] == "." and self.low[end - 1] in self.known.titles)
        ):
            end += 1
        return end

    def _is_shouted(self, place: int) -> bool:
        """Whether a word in capitals also occurs in lower case: headings are not names."""
        return len(self.words[place]) > 1 and self.words[place].isupper() and self.low[place] in self.common

    def _phrase_end(self, place: int) -> int:
        """The index after a noun phrase that begins with a determiner."""
        end = place + 1
        while self._same_sentence(end) and end - place <= MAX_WORDS and self._goes_on(end):
            if end > place + 1 and self.low[end] in PHRASE_STOPPERS:
                break
            end += 1
        return end

    def _same_sentence(self, place: int) -> bool:
        """Whether there is a word at an index that continues the sentence before it."""
        return place < len(self.words) and place not in self.firsts

    def _goes_on(self, place: int) -> bool:
        low = self.low[place]
        closed = low in self.known.breaks or low in self.known.pronouns or low in self.known.conjunctions
        return low[:1].isalpha() and not closed and low not in self.known.determiners
