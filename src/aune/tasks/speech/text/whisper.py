"""English normalisation of whole texts: Whisper's rules, and variants of them.

    1   text in brackets or parentheses is removed, and so are fillers (hmm, mm, mhm, mmm, uh, um)
    2   blanks before an apostrophe are removed
    3   contractions and titles are written out: won't is will not, mr is mister
    4   commas between digits are removed, and points that no digit follows
    5   signs and diacritics are removed, except points, % and currency signs
    6   (compounds are joined: wi fi is wifi)
    7   numbers are written in digits: ten thousand dollars is $10000
    8   British spellings become American ones (and variants of a name one form)
    9   (single letters in a row are joined: b b c is bbc)
    10  signs that belong to no number are removed

Rules in parentheses are not Whisper's own. The rules apply across words, so they form a chain of their own rather than
steps that apply word by word. Each word still stores its origin, so that entities and times follow.

Most words are not affected by any rule. Such a word separates the text before it from the text after it: only the runs
of words between them are processed, and results for recurring runs are cached.

Source: Radford et al. 2022, Robust speech recognition via large-scale weak supervision, appendix C.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from aune.tasks.speech.text.traced_text import NormalisedWords, TracedText, trace_words
from aune.tasks.speech.text.whisper_numbers import NUMERALS, SPECIAL, write_digits

FILLERS = ("hmm", "mm", "mhm", "mmm", "uh", "um")
CONTRACTIONS = {
    "won't": "will not", "can't": "can not", "let's": "let us", "ain't": "aint", "y'all": "you all", "wanna": "want to",
    "gotta": "got to", "gonna": "going to", "i'ma": "i am going to", "imma": "i am going to", "woulda": "would have",
    "coulda": "could have", "shoulda": "should have", "ma'am": "madam",
}  # fmt: skip
PACKAGE_CONTRACTIONS = {"kinda": "kind of", "sorta": "sort of", "dunno": "do not know", "cause": "because"}
"""The additional contractions of the package whisper-normalizer."""
TITLES = {
    "mr": "mister", "mrs": "missus", "st": "saint", "dr": "doctor", "prof": "professor", "capt": "captain",
    "gov": "governor", "ald": "alderman", "gen": "general", "sen": "senator", "rep": "representative",
    "pres": "president", "rev": "reverend", "hon": "honorable", "asst": "assistant", "assoc": "associate",
    "lt": "lieutenant", "col": "colonel", "jr": "junior", "sr": "senior", "esq": "esquire",
}  # fmt: skip
TENSES = {"d been": "had been", "s been": "has been", "d gone": "had gone", "s gone": "has gone", "d done": "had done",
          "s got": "has got"}  # fmt: skip
ENDINGS = {"re": "are", "s": "is", "d": "would", "ll": "will", "t": "not", "ve": "have", "m": "am"}
LETTERS = {"œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS", "đ": "d", "Đ": "D",
           "ð": "d", "Ð": "D", "þ": "th", "Þ": "th", "ł": "l", "Ł": "L"}  # fmt: skip
SIGNS = ".%$¢€£"
BRACKETS = (re.compile(r"[<\[][^>\]]*[>\]]"), re.compile(r"\([^)]+?\)"))
LAST = ((re.compile(r"[.$¢€£]([^0-9])"), r" \1"), (re.compile(r"([^0-9])%"), r"\1 "))
PLAIN = re.compile(r"[a-z]+")
ENDS_OF_NUMBERS = {"st", "nd", "rd", "th", "s", "a", "half", "cent"}
NEIGHBOUR = "neighbour"  # represents a word that no rule affects
MOST_RUNS = 200_000  # whose normal forms are cached


@dataclass(frozen=True)
class EnglishRules:
    """The differences between the normalisers of this family."""

    spell: Callable[[str], str]
    """The American spelling of a word, and the usual form of a name."""
    fillers: Sequence[str] = FILLERS
    contractions: Mapping[str, str] = field(default_factory=lambda: CONTRACTIONS | PACKAGE_CONTRACTIONS)
    is_after: Sequence[str] = ()
    """The words after which 's is written out as is; empty means all words."""
    compounds: Mapping[str, str] = field(default_factory=dict)
    """Sequences of words joined by blanks, and the compound that each forms."""
    joins_letters: bool = False
    """Whether consecutive single letters are joined."""

    @property
    def rewrites(self) -> list[tuple[re.Pattern[str], str]]:
        """The replacements in a lower-case text before its signs are removed."""
        is_after = rf"\b(?:{'|'.join(self.is_after)})" if self.is_after else ""
        endings = [(is_after if short == "s" else "", short, long) for short, long in ENDINGS.items()]
        return [
            *((brackets, "") for brackets in BRACKETS),
            (re.compile(rf"\b(?:{'|'.join(self.fillers)})\b"), ""),
            (re.compile(r"\s+'"), "'"),
            *((re.compile(rf"\b{short}\b"), long) for short, long in self.contractions.items()),
            *((re.compile(rf"\b{short}\b"), f"{long} ") for short, long in TITLES.items()),
            *((re.compile(rf"'{short}\b"), f" {long}") for short, long in TENSES.items()),
            (re.compile(r"n't\b"), " not"),
            *((re.compile(rf"({before})'{short}\b"), rf"\1 {long}") for before, short, long in endings),
            (re.compile(r"(?<=\d),(?=\d)"), ""),
            (re.compile(r"\.([^0-9]|$)"), r" \1"),
        ]

    @property
    def known_words(self) -> frozenset[str]:
        """The words to which a rule other than that of spelling applies."""
        parts = {part for compound in self.compounds for part in compound.split()}
        participles = {tense.split()[1] for tense in TENSES}
        return frozenset(
            {*self.fillers, *self.contractions, *TITLES, *participles, *NUMERALS, *SPECIAL, *ENDS_OF_NUMBERS, *parts}
        )


class EnglishNormaliser:
    """The rules, ready for the words of a text.

    >>> from aune.tasks.speech.text.spelling import american
    >>> words = "Mr. Smith won't pay ten thousand dollars (ever), um, for colours".split()
    >>> " ".join(EnglishNormaliser(EnglishRules(american))(words).words)
    'mister smith will not pay $10000 for colors'
    """

    def __init__(self, rules: EnglishRules) -> None:
        self.rules = rules
        self._rewrites = rules.rewrites
        self._compounds = [
            (re.compile(r"\b" + r"\s+".join(parts.split()) + r"\b"), whole) for parts, whole in rules.compounds.items()
        ]
        self._known = rules.known_words
        self._joins_to_left = re.compile(rf"(?:^|\W|\b(?:{'|'.join(rules.fillers)}))'")
        self._plain = _LookedUp(self._plain_form)
        self._runs: dict[tuple[str, ...], NormalisedWords] = {}

    def __call__(self, words: Sequence[str]) -> NormalisedWords:
        """The words after the rules, and for each the index of the word from which it comes."""
        forms = list(map(self._plain.__getitem__, words))
        if None not in forms:
            return NormalisedWords(forms, range(len(forms)))  # type: ignore[arg-type] # none is None
        if any(map(leaves_brackets_open, words)):
            return self._apply(words)
        results: list[str] = []
        places: list[int] = []
        dropped: list[int] = []
        start = 0
        while start < len(words):
            form = forms[start]
            if form is not None:
                results.append(form)
                places.append(start)
                start += 1
                continue
            end = start + 1
            while end < len(words) and forms[end] is None:
                end += 1
            run = self._run(words, start, end)
            if run.words and run.places[0] < 0:  # it was joined to the word before it
                results.pop()
                places.pop()
            results += run.words
            places += [place + start for place in run.places]
            dropped += [place + start for place in run.dropped]
            start = end
        return NormalisedWords(results, places, dropped)

    def _plain_form(self, word: str) -> str | None:
        """The form of a word to which no rule but that of spelling applies; None for all others."""
        small = word.lower()
        if not PLAIN.fullmatch(small) or small in self._known or (self.rules.joins_letters and len(small) == 1):
            return None
        return self.rules.spell(small)

    def _run(self, words: Sequence[str], start: int, end: int) -> NormalisedWords:
        """The result for a run of words between two unaffected words, or the ends of the text; indices from `start`."""
        run = words[start:end]
        joins = start > 0 and any(map(self._joins_to_left.search, run))
        before = [words[start - 1] if joins else NEIGHBOUR] if start else []
        context = (*before, *run, *([NEIGHBOUR] if end < len(words) else []))
        result = self._runs.get(context)
        if result is None:
            if len(self._runs) >= MOST_RUNS:
                self._runs.clear()
            result = self._runs[context] = _without_neighbours(
                self._apply(context), len(before), len(run), keeps_left=joins
            )
        return result

    def _apply(self, words: Sequence[str]) -> NormalisedWords:
        """Apply all rules to all words."""
        text = trace_words((word.lower(), place) for place, word in enumerate(words))
        for pattern, replacement in self._rewrites:
            text = text.sub(pattern, replacement)
        text = strip_signs(text)
        remaining = text.word_places()
        for pattern, replacement in self._compounds:
            text = text.sub(pattern, replacement)
        spelled = [(self.rules.spell(word), place) for word, place in write_digits(text).words()]
        text = trace_words(join_letters(spelled) if self.rules.joins_letters else spelled)
        for pattern, replacement in LAST:
            text = text.sub(pattern, replacement)
        last = text.words()
        dropped = [place for place in range(len(words)) if place not in remaining]
        return NormalisedWords([word for word, _ in last], [place for _, place in last], dropped)


class _LookedUp(dict[str, str | None]):
    """A cache of a function's result for each word."""

    def __init__(self, compute: Callable[[str], str | None]) -> None:
        self.compute = compute

    def __missing__(self, word: str) -> str | None:
        if len(self) >= MOST_RUNS:
            self.clear()
        form = self[word] = self.compute(word)
        return form


def leaves_brackets_open(word: str) -> bool:
    """Whether a word has a bracket that may be closed in another word."""
    if not ("(" in word or "[" in word or "<" in word):
        return False
    for pattern in BRACKETS:
        word = pattern.sub("", word)
    return "(" in word or "[" in word or "<" in word


def _without_neighbours(result: NormalisedWords, before: int, size: int, keeps_left: bool) -> NormalisedWords:
    """A result without the neighbours of the run, and with indices from the beginning of the run."""
    inside = [
        (word, place - before)
        for word, place in zip(result.words, result.places, strict=True)
        if (place >= before or keeps_left) and place < before + size
    ]
    dropped = [place - before for place in result.dropped if before <= place < before + size]
    return NormalisedWords([word for word, _ in inside], [place for _, place in inside], dropped)


def strip_signs(text: TracedText, keep: str = SIGNS) -> TracedText:
    """The text without diacritics, and with blanks for all signs except those in `keep`."""
    if text.text.isascii():
        forms = {sign: sign if sign in keep or not _is_sign(sign) else " " for sign in set(text.text)}
        return TracedText("".join(map(forms.__getitem__, text.text)), text.places)
    signs, places = [], []
    for letter, place in zip(text.text, text.places, strict=True):
        for part in unicodedata.normalize("NFKD", letter):
            became = part if part in keep else LETTERS.get(part)
            if became is None:
                became = "" if unicodedata.category(part) == "Mn" else " " if _is_sign(part) else part
            signs.append(became)
            places += [place] * len(became)
    return TracedText("".join(signs), places)


def _is_sign(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "MSP"


def join_letters(words: Sequence[tuple[str, int]]) -> Iterable[tuple[str, int]]:
    """Join consecutive single letters or digits: at least two, or three if one of them may be a word (a, i).

    >>> list(join_letters([("the", 0), ("b", 1), ("b", 2), ("c", 3), ("a", 4), ("the", 5)]))
    [('the', 0), ('bbca', 1), ('the', 5)]
    """
    row: list[tuple[str, int]] = []
    for word, place in [*words, ("", 0)]:
        if len(word) == 1 and word.isascii() and word.isalnum():
            row.append((word, place))
            continue
        letters = "".join(letter for letter, _ in row)
        if len(row) >= (3 if "a" in letters or "i" in letters else 2):
            yield letters, row[0][1]
        else:
            yield from row
        row = []
        if word:
            yield word, place
