"""Divide plain text into words and sentences, by rules for abbreviations and apostrophes.

Scripts without spaces are divided letter by letter (`layout.WORD`). The rules are those of the selected language, or of
the language that is detected; other languages use the common rules only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from aune.errors import UsageError
from aune.tasks.coref.mentions.lexicon import language_of
from aune.workbench.layout import ELIDED, WORD
from aune.workbench.model import Part

LANGUAGES = ("english", "french", "german", "italian", "spanish", "other")
"""The selectable languages; '' detects one of the first two."""
SENTENCE_END = re.compile(r"[.!?…؟۔।]+[\"'»”’)\]]*\s+|[。！？]+[」』”’）]*|\n+")
APOSTROPHES = ("'", "’")
CLITICS = {"s", "re", "ve", "ll", "d", "m"}
WHOLE_WORDS = {"aujourd'hui", "prud'homme", "prud'hommes"}
LAST_WORD = re.compile(r"[\w.’'-]*\w\.$")
INITIAL = re.compile(r"(?:[^\W\d_]\.)+")
ORDINAL = re.compile(r"\d{1,2}\.")
NUMBER_SIGNS = {"no.", "nos.", "nr.", "p.", "pp.", "fig.", "vol.", "art.", "chap.", "ch.", "n.", "núm.", "pág.", "pag."}
"""Abbreviations before a number; elsewhere their full stop ends a sentence."""
_ABBREVIATIONS = {
    "english": "mr mrs ms dr prof st gen col lt capt sgt rev hon gov sen rep pres messrs vs cf e.g i.e viz ca mt ft",
    "french": "m mm mr mgr dr pr me st ste cf av bd éd env ex c.-à-d p.ex",
    "german": "dr prof hr fr st str bzw z.b d.h u.a ca vgl evtl ggf sog jh mio mrd geb gest",
    "italian": "sig sigg sig.ra dott dott.ssa prof ing avv on s ss cfr es",
    "spanish": "sr sra srta dr dra d dña ud uds vd vds st sto sta av avda cf",
}
ABBREVIATIONS: Mapping[str, frozenset[str]] = {
    language: frozenset(f"{word}." for word in words.split()) for language, words in _ABBREVIATIONS.items()
}
"""Abbreviations whose full stop does not end a sentence."""


class Segmentation(NamedTuple):
    """The words of a text and the first word of each sentence."""

    words: Sequence[Part]
    sentences: Sequence[int]


def segment(text: str, language: str = "") -> Segmentation:
    """The words and sentences of a text.

    >>> text = "M. Roy, l'ami, n'est pas là. Il dort."
    >>> words, sentences = segment(text, "french")
    >>> [text[start:end] for start, end in words]
    ['M', '.', 'Roy', ',', "l'", 'ami', ',', "n'", 'est', 'pas', 'là', '.', 'Il', 'dort', '.']
    >>> sentences
    [0, 12]
    """
    pieces = [match.span() for match in WORD.finditer(text)]
    known = language or language_of([text[start:end] for start, end in pieces])
    words = list(_join_apostrophes(text, pieces, known))
    starts = [start for start, _ in words]
    breaks = [0, *_sentence_breaks(text, known)]
    return Segmentation(
        words, sorted({first for place in breaks if (first := bisect_left(starts, place)) < len(words)})
    )


def _join_apostrophes(text: str, pieces: Sequence[Part], language: str) -> Iterator[Part]:
    """Words split or joined at their apostrophes: l' + ami, did + n't, aujourd'hui, O'Brien."""
    place = 0
    while place < len(pieces):
        start, end = pieces[place]
        while place + 2 < len(pieces) and _is_inner(text, pieces[place : place + 3]):
            after = pieces[place + 2]
            cut = _find_cut(text, (start, end), after, language)
            place += 2
            if cut is not None:
                if start < cut:
                    yield start, cut
                start = cut
            end = after[1]
        yield start, end
        place += 1


def _is_inner(text: str, pieces: Sequence[Part]) -> bool:
    """Whether an apostrophe stands between two words without white space."""
    before, sign, after = pieces
    return (
        text[slice(*sign)] in APOSTROPHES
        and before[1] == sign[0]
        and sign[1] == after[0]
        and text[before[1] - 1].isalpha()
        and text[after[0]].isalpha()
    )


def _find_cut(text: str, before: Part, after: Part, language: str) -> int | None:
    """Where to split two words that an apostrophe joins; None if they are one word."""
    first, second = text[slice(*before)].lower(), text[slice(*after)].lower()
    if f"{first}'{second}" in WHOLE_WORDS:
        return None
    if language == "english":
        if second == "t" and first.endswith("n"):
            return before[1] - 1
        return before[1] if second in CLITICS else None
    return before[1] + 1 if ELIDED.fullmatch(f"{first}'") or language == "italian" else None


def _sentence_breaks(text: str, language: str) -> Iterator[int]:
    """The positions after the ends of sentences."""
    for match in SENTENCE_END.finditer(text):
        if not (match[0].startswith(".") and "\n" not in match[0] and _goes_on(text, match, language)):
            yield match.end()


def _goes_on(text: str, match: re.Match[str], language: str) -> bool:
    """Whether a sentence continues after a full stop."""
    if text[match.end() : match.end() + 1].islower():
        return True
    before = LAST_WORD.search(text, max(0, match.start() - 20), match.start() + 1)
    if match[0].strip() != "." or before is None:
        return False
    word = before[0].lower()
    if word in NUMBER_SIGNS:
        return text[match.end() : match.end() + 1].isdigit()
    is_initial = INITIAL.fullmatch(word) is not None and word not in ("i.", "a.", "à.", "y.")
    is_ordinal = language == "german" and ORDINAL.fullmatch(word) is not None
    return word in ABBREVIATIONS.get(language, frozenset()) or is_initial or is_ordinal


def split_word(known: Segmentation, place: int) -> Segmentation:
    """A segmentation with one word split at a position."""
    number = next((number for number, (start, end) in enumerate(known.words) if start < place < end), None)
    if number is None:
        raise UsageError(f"Found no word around the character {place}: select letters of a word.")
    start, end = known.words[number]
    words = [*known.words[:number], (start, place), (place, end), *known.words[number + 1 :]]
    return Segmentation(words, [first + (first > number) for first in known.sentences])


def join_words(known: Segmentation, start: int, end: int) -> Segmentation:
    """A segmentation with the words in a range joined to one; there may be no characters between them."""
    numbers = [number for number, word in enumerate(known.words) if start <= word[0] and word[1] <= end]
    if len(numbers) < 2:
        raise UsageError("Found fewer than two words: select those that are one.")
    parts = [known.words[number] for number in numbers]
    if any(before[1] != after[0] for before, after in pairwise(parts)):
        raise UsageError("Found a blank between two words: a word has none.")
    first, last = numbers[0], numbers[-1]
    words = [*known.words[:first], (parts[0][0], parts[-1][1]), *known.words[last + 1 :]]
    firsts = {min(number, first) if number <= last else number - (last - first) for number in known.sentences}
    return Segmentation(words, sorted(firsts))


def toggle_sentence(known: Segmentation, place: int) -> Segmentation:
    """A segmentation in which a sentence begins at the word at a position, or no longer does."""
    number = next((number for number, (_, end) in enumerate(known.words) if end > place), 0)
    if not number:
        raise UsageError("Found the first word of the text, where a sentence begins in any case.")
    return Segmentation(known.words, sorted({*known.sentences} ^ {number}))
