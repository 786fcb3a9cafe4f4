"""Normalise transcripts before the comparison, by a named chain of steps; off unless selected.

A chain is written as the names of its steps separated by commas, such as `unicode,case,punctuation`; `en` and `fr` are
chains ready made. Words that a chain removes are counted, and reported.

    unicode         one code for each letter (NFKC)
    nfc, nfd        letters with their marks as one character, or apart
    width           full and half width forms of Chinese, Japanese and Korean signs as the usual ones
    diacritics      no marks on letters (é is e), and no vowel points in Arabic and Hebrew; vowels that are marks (Thai,
                    Hindi…) and the voicing of Japanese stay
    case            small letters
    quotes          curly apostrophes made straight
    apostrophes     no apostrophes: don't is dont
    elisions        French: l'ami is l' ami, as if there was a blank after the apostrophe
    hyphens         twenty-one is twenty one
    punctuation     no signs other than apostrophes and hyphens inside words, points and commas inside numbers; any
                    other sign between two words parts them (and/or is two words), but the points of U.S.A. do not
    fillers-en, fillers-fr    hesitations (uh, um, euh…) left out
    numbers-en, numbers-fr    digits spelled out; 12 000 is one number whatever its blank
    numbers-de, …   whole numbers spelled out in other languages, by the package num2words
    characters      every character is a word (sclite's -c)
    cjk             every Chinese and Japanese character is a word, others stay together
    graphemes       every letter with its marks is a word (grapheme clusters), for Thai, Khmer, Hindi…
    ideograms       the same for words that are not ASCII (sclite's -c NOASCII)
    jiwer           words parted as in jiwer: by blanks and runs of any white space, so that a single tab or no-break
                    space is part of a word (without it, any white space parts words)
    whisper         the rules of Whisper's English normaliser, all of them (numbers in digits, American spellings…)
    PATH            a file of replacements: NIST's GLM (`a => b`) or two columns with a tab between them

The signature shows a file with the beginning of its SHA-256 after a `@`; a chain given so runs only on the same file.
A replacement with alternatives becomes the first of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from aune.contract.options import NamesOrFiles, check_known, split_digest
from aune.errors import InputError, Problem, UsageError
from aune.files import read_bytes, read_text, sha256_hex
from aune.tasks.speech.alignment.networks import BracesError, first_wording, parse_alternatives
from aune.tasks.speech.text.languages import (
    NUMBER_LANGUAGES,
    fold_width,
    number_speller,
    split_cjk,
    strip_diacritics,
)
from aune.tasks.speech.text.numbers import join_groups, spell_number
from aune.tasks.speech.text.text_rules import TEXT_STEPS, TextStep, is_text_step, step_signature, text_step

WordStep: TypeAlias = Callable[[str], list[str]]
"""The words that one word becomes, independent of its context."""

ENGLISH = "uh um uhm umm uhh er erm eh hm hmm hmmm mm mmm mhm ah huh uh-huh mm-hmm"
FRENCH = "euh heu hum hmm mm mmm mhm ben bah hein ah oh hm"
FILLERS = {"en": frozenset(ENGLISH.split()), "fr": frozenset(FRENCH.split())}
PRESETS = {
    "none": (),
    "en": ("unicode", "quotes", "case", "hyphens", "numbers-en", "punctuation", "fillers-en"),
    "fr": ("unicode", "quotes", "case", "hyphens", "numbers-fr", "elisions", "punctuation", "fillers-fr"),
    "any": ("unicode", "quotes", "case", "hyphens", "punctuation"),
    **dict.fromkeys(("zh", "ja"), ("unicode", "case", "punctuation", "cjk")),
    **dict.fromkeys(("th", "km"), ("nfc", "width", "case", "punctuation", "graphemes")),  # NFKC would split น้ำ
}
BLANK_RUN = re.compile(r"\s\s+")
APOSTROPHES = "'’"
HYPHENS = "-‐‑"
INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]?\.?(?!\w)")  # U.S.A. and U.S
NUMBERS = re.compile(r"(?<=\d)[.,](?=\d)")
INVISIBLE = "Cf"  # soft hyphens, joiners and similar characters, which are not signs


def _unicode(word: str) -> list[str]:
    return unicodedata.normalize("NFKC", word).split()


def _case(word: str) -> list[str]:
    return [word.lower()]


def _quotes(word: str) -> list[str]:
    return [word.replace("’", "'").replace("ʼ", "'").replace("‘", "'")]


def _apostrophes(word: str) -> list[str]:
    return [bare] if (bare := word.replace("'", "").replace("’", "")) else []


def _elisions(word: str) -> list[str]:
    return [part for part in re.split(r"(?<=\w['’])(?=\w)", word) if part]


def _hyphens(word: str) -> list[str]:
    return [part for part in re.split(r"[-‐‑–—]", word) if part]


def _punctuation(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    parts = []
    for part in "".join(_sign_or_blank(word, place) for place in range(len(word))).split():
        bare = part.strip(HYPHENS).strip("’").strip(HYPHENS)
        if bare.strip("'@" + HYPHENS):
            parts.append(bare)
    return parts


def _sign_or_blank(word: str, place: int) -> str:
    """A character after the step: itself, a blank for a separating sign, or nothing for the point of an initial."""
    sign = word[place]
    category = unicodedata.category(sign)
    if category[0] not in "PSZC" or sign in APOSTROPHES + HYPHENS + "@" or NUMBERS.match(word, place):
        return sign
    if category == INVISIBLE or (sign == "." and any(
        initials.start() < place < initials.end() for initials in INITIALS.finditer(word)
    )):  # fmt: skip
        return ""
    return " "


def _fillers(language: str) -> WordStep:
    fillers = FILLERS[language]
    return lambda word: [] if word.lower().strip(".,") in fillers else [word]


def _numbers(language: str) -> WordStep:
    return lambda word: spell_number(word, language) or [word]


def _graphemes(word: str) -> list[str]:
    from aune.tasks.speech.text.whisper_basic import letter_splitter  # noqa: PLC0415 - requires a package

    return letter_splitter()(word)


def _ideograms(word: str) -> list[str]:
    return [word] if word.isascii() else list(word)


WORD_STEPS: dict[str, WordStep] = {
    "unicode": _unicode,
    "nfc": lambda word: unicodedata.normalize("NFC", word).split(),
    "nfd": lambda word: unicodedata.normalize("NFD", word).split(),
    "width": lambda word: fold_width(word).split(),
    "diacritics": lambda word: strip_diacritics(word).split(),
    "cjk": split_cjk,
    "graphemes": _graphemes,
    **{f"numbers-{language}": number_speller(language) for language in NUMBER_LANGUAGES},
    "case": _case,
    "quotes": _quotes,
    "apostrophes": _apostrophes,
    "elisions": _elisions,
    "hyphens": _hyphens,
    "punctuation": _punctuation,
    "fillers-en": _fillers("en"),
    "fillers-fr": _fillers("fr"),
    "numbers-en": _numbers("en"),
    "numbers-fr": _numbers("fr"),
    "characters": list,
    "jiwer": lambda word: [word],
    "ideograms": _ideograms,
}


STEP_NAMES = (*WORD_STEPS, *TEXT_STEPS)
Chain: TypeAlias = Annotated[
    str,
    "steps before comparing: none, en, fr, whisper, or names such as unicode,case,punctuation, or a replacements file",
    NamesOrFiles((*STEP_NAMES, *PRESETS)),
]


class Replacements(NamedTuple):
    """Sequences of words and their replacements, the longest first."""

    longest: int
    table: dict[tuple[str, ...], tuple[str, ...]]


Stage: TypeAlias = WordStep | Replacements | TextStep


class Normaliser:
    """A chain, ready to run. Isolated words are processed once for all their occurrences."""

    def __init__(self, chain: str) -> None:
        self.names = parse_chain(chain)
        self._stages = [_stage(name) for name in self.names]
        self._local = not any(isinstance(stage, Replacements | TextStep) for stage in self._stages)
        self._cache: dict[str, list[str]] = {}
        self._language = next((name[-2:] for name in self.names if name in ("numbers-en", "numbers-fr")), "")
        self.dropped_words = 0
        """The number of words that were removed."""

    def __bool__(self) -> bool:
        return bool(self._stages)

    def split_words(self, text: str | Sequence[str]) -> Sequence[str]:
        """The words of a text, before any step."""
        if not isinstance(text, str):
            return text
        if "jiwer" in self.names:
            return [word for word in BLANK_RUN.sub(" ", text).strip().split(" ") if word]
        return text.split()

    def word(self, word: str) -> list[str]:
        """The words that one isolated word becomes."""
        return self([word])[0]

    def __call__(self, words: Sequence[str]) -> tuple[list[str], list[int]]:
        """The words after the chain, and for each the index of the word from which it comes."""
        if self._language and any(word[-1:].isdecimal() for word in words):
            joined, places = join_groups(words, self._language)
            if len(joined) < len(words):
                result, origins = self._run(joined)
                return result, [places[origin] for origin in origins]
        return self._run(words)

    def _run(self, words: Sequence[str]) -> tuple[list[str], list[int]]:
        result: list[str] = []
        origins: list[int] = []
        if self._local:
            for place, word in enumerate(words):
                became = self._cache.get(word)
                if became is None:
                    became = self._cache[word] = self._run_word(word)
                result += became
                origins += [place] * len(became)
                self.dropped_words += not became
            return result, origins
        result, origins = list(words), list(range(len(words)))
        dropped: set[int] = set()
        for stage in self._stages:
            result, origins = _apply_stage(stage, result, origins, dropped)
        self.dropped_words += len(dropped.difference(origins))
        return result, origins

    def _run_word(self, word: str) -> list[str]:
        words = [word]
        for stage in self._stages:
            words = [part for current in words for part in stage(current)]  # type: ignore[operator]
        return words


def _stage(name: str) -> Stage:
    return WORD_STEPS.get(name) or text_step(name) or replacements(split_digest(name)[0])


def _apply_stage(stage: Stage, words: list[str], origins: list[int], dropped: set[int]) -> tuple[list[str], list[int]]:
    """The words after one step and their origins; `dropped` gets the indices of those that became nothing."""
    result: list[str] = []
    places: list[int] = []
    if isinstance(stage, TextStep):
        normalised = stage.run(words)
        dropped.update(origins[place] for place in normalised.dropped)
        return list(normalised.words), [origins[place] for place in normalised.places]
    start = 0
    while start < len(words):
        size, became = 1, (words[start],) if isinstance(stage, Replacements) else tuple(stage(words[start]))
        if isinstance(stage, Replacements):
            for length in range(min(stage.longest, len(words) - start), 0, -1):
                run = tuple(word.lower() for word in words[start : start + length])
                if run in stage.table:
                    size, became = length, stage.table[run]
                    break
        if not became:
            dropped.update(origins[start : start + size])
        result += became
        places += [origins[min(start + offset, start + size - 1)] for offset in range(len(became))]
        start += size
    return result, places


@cache
def parse_chain(text: str) -> tuple[str, ...]:
    """The names of the steps of a chain.

    >>> parse_chain("en")[:3], parse_chain("none")
    (('unicode', 'quotes', 'case'), ())
    """
    names: list[str] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        names += PRESETS.get(name, (name,))
    for name in names:
        if name not in STEP_NAMES and not is_text_step(name) and not Path(split_digest(name)[0]).is_file():
            check_known([name], [*STEP_NAMES, *PRESETS], "step of normalisation (nor a file)")
    return tuple(names)


def chain_signature(chain: str) -> str:
    """A chain in its form for the signature: with the digests of its files.

    >>> chain_signature("en,characters")
    'en,characters'
    """
    names = [name for name in (part.strip() for part in chain.split(",")) if name]
    return ",".join(_signature_of_step(name) for name in names)


def _signature_of_step(name: str) -> str:
    if is_text_step(name):
        return step_signature(name)
    return name if name in STEP_NAMES or name in PRESETS else _with_digest(name)


def _with_digest(name: str) -> str:
    path, expected = split_digest(name)
    digest = sha256_hex(_data(path))
    if not digest.startswith(expected):
        raise UsageError(f"--normalise {name}: the file {path} has changed, its digest is {digest[:8]}")
    return f"{path}@{digest[:8]}"


GLM_CONTEXT = re.compile(r"/\s*\[([^\]]*)\]\s*__\s*\[([^\]]*)\]\s*$")  # how NIST's rules end: / [ ] __ [ ]


def _strip_brackets(text: str) -> str:
    """The content of a rule, without surrounding brackets.

    >>> _strip_brackets(" [can not] "), _strip_brackets("[laugh] x")
    ('can not', '[laugh] x')
    """
    bare = text.strip()
    return bare[1:-1].strip() if bare[:1] == "[" and bare.find("]") == len(bare) - 1 else bare


def _data(path: str) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise UsageError(f"--normalise {path}: cannot read the replacements ({error})") from None


def _context_problem(path: str, line: int, text: str) -> Problem:
    remedies = ["words are replaced wherever they stand"]
    actual = f"a context in {text[:40]!r}"
    return Problem.in_file("replacement.context", path, line, found=actual, expected="[ ] __ [ ]", remedies=remedies)


def _replacement_problem(path: str, line: int, text: str) -> Problem:
    expected = "'old => new' or two columns with a tab between them"
    remedies = ["mend the line"]
    return Problem.in_file(
        "replacement.malformed", path, line, found=f"{text[:40]!r}", expected=expected, remedies=remedies
    )


def replacements(path: str) -> Replacements:
    """The replacements in a file, GLM or two columns; they ignore the case of letters."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    problems = []
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--normalise {path}: cannot read the replacements ({error})") from None
    for number, line in enumerate(lines, 1):
        text = line.partition(";;")[0].strip() if "=>" in line or line.startswith(";;") else line
        if not text.strip() or text.startswith("*"):
            continue
        if "=>" in text:
            old, _, new = text.partition("=>")
            context = GLM_CONTEXT.search(new)
            if context and any(map(str.strip, context.groups())):
                problems.append(_context_problem(path, number, text))
                continue
            old, new = _strip_brackets(old), _strip_brackets(new[: context.start()] if context else new)
        elif "\t" in text:
            old, _, new = text.partition("\t")
        else:
            problems.append(_replacement_problem(path, number, text))
            continue
        try:
            table[tuple(old.lower().split())] = tuple(first_wording(parse_alternatives(new, optional=False)))
        except BracesError as error:
            actual, expected = error.found, error.expected
            problems.append(
                Problem.in_file(
                    "braces.unpaired", path, number, found=actual, expected=expected, remedies=["mend the line"]
                )
            )
    if problems:
        raise InputError(problems)
    table.pop((), None)
    return Replacements(max(map(len, table), default=1), table)
