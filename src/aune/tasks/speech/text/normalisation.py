"""Making two transcripts comparable before they are compared: a named chain of steps, off unless asked for.

A chain is written as the names of its steps separated by commas, such as `unicode,case,punctuation`; `en` and `fr` are
chains ready made. What a chain takes away is counted, and told.

    unicode         one code for each letter (NFKC)
    case            small letters
    quotes          curly apostrophes made straight
    apostrophes     no apostrophes: don't is dont
    elisions        French: l'ami is l' ami, as if there was a blank after the apostrophe
    hyphens         twenty-one is twenty one
    punctuation     no signs other than apostrophes and hyphens inside words, points and commas inside numbers; any
                    other sign between two words parts them (and/or is two words), but the points of U.S.A. do not
    fillers-en, fillers-fr    hesitations (uh, um, euh…) left out
    numbers-en, numbers-fr    digits spelled out; 12 000 is one number whatever its blank
    characters      every character is a word (sclite's -c)
    ideograms       the same for words that are not ASCII (sclite's -c NOASCII)
    jiwer           words parted as in jiwer: by blanks and runs of any white space, so that a single tab or no-break
                    space is part of a word (without it, any white space parts words)
    whisper         the rules of Whisper's English normaliser, all of them (numbers in digits, American spellings…)
    PATH            a file of replacements: NIST's GLM (`a => b`) or two columns with a tab between them

The signature shows a file with the beginning of its SHA-256 after a `@`; a chain given so runs only on the same file.
A replacement with alternatives becomes the first of them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import bytes_of, text_of
from aune.core.options import OrFiles, check_known, pinned
from aune.tasks.speech.alignment.networks import first_wording, parsed
from aune.tasks.speech.text.numbers import joined_groups, spoken
from aune.tasks.speech.text.whisper import whisper

Local: TypeAlias = Callable[[str], list[str]]
"""What one word becomes, whatever stands around it."""

ENGLISH = "uh um uhm umm uhh er erm eh hm hmm hmmm mm mmm mhm ah huh uh-huh mm-hmm"
FRENCH = "euh heu hum hmm mm mmm mhm ben bah hein ah oh hm"
FILLERS = {"en": frozenset(ENGLISH.split()), "fr": frozenset(FRENCH.split())}
PRESETS = {
    "none": (),
    "en": ("unicode", "quotes", "case", "hyphens", "numbers-en", "punctuation", "fillers-en"),
    "fr": ("unicode", "quotes", "case", "hyphens", "numbers-fr", "elisions", "punctuation", "fillers-fr"),
}
RUN = re.compile(r"\s\s+")
APOSTROPHES = "'’"
HYPHENS = "-‐‑"
INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]?\.?(?!\w)")  # U.S.A. and U.S
NUMBERS = re.compile(r"(?<=\d)[.,](?=\d)")
INVISIBLE = "Cf"  # soft hyphens, joiners and the like: no sign at all


def _unicode(word: str) -> list[str]:
    return unicodedata.normalize("NFKC", word).split()


def _case(word: str) -> list[str]:
    return [word.lower()]


def _quotes(word: str) -> list[str]:
    return [word.replace("’", "'").replace("ʼ", "'").replace("‘", "'")]


def _apostrophes(word: str) -> list[str]:
    return [found] if (found := word.replace("'", "").replace("’", "")) else []


def _elisions(word: str) -> list[str]:
    return [part for part in re.split(r"(?<=\w['’])(?=\w)", word) if part]


def _hyphens(word: str) -> list[str]:
    return [part for part in re.split(r"[-‐‑–—]", word) if part]


def _punctuation(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    found = []
    for part in "".join(_sign_or_blank(word, place) for place in range(len(word))).split():
        bare = part.strip(HYPHENS).strip("’").strip(HYPHENS)
        if bare.strip("'@" + HYPHENS):
            found.append(bare)
    return found


def _sign_or_blank(word: str, place: int) -> str:
    """A character as it stays: itself, a blank for a sign that parts words, nothing for the point of an initial."""
    sign = word[place]
    category = unicodedata.category(sign)
    if category[0] not in "PSZC" or sign in APOSTROPHES + HYPHENS + "@" or NUMBERS.match(word, place):
        return sign
    if category == INVISIBLE or (sign == "." and any(
        found.start() < place < found.end() for found in INITIALS.finditer(word)
    )):  # fmt: skip
        return ""
    return " "


def _fillers(language: str) -> Local:
    fillers = FILLERS[language]
    return lambda word: [] if word.lower().strip(".,") in fillers else [word]


def _numbers(language: str) -> Local:
    return lambda word: spoken(word, language) or [word]


def _ideograms(word: str) -> list[str]:
    return [word] if word.isascii() else list(word)


STEPS: dict[str, Local] = {
    "unicode": _unicode,
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


class Whole(NamedTuple):
    """A step that looks at all words of an utterance at once."""

    run: Callable[[Sequence[str]], tuple[list[str], list[int]]]
    """What the words become, and for each the place of the word it comes from."""


WHOLE = {"whisper": Whole(whisper)}
NAMES = (*STEPS, *WHOLE)
Chain: TypeAlias = Annotated[
    str,
    "steps before comparing: none, en, fr, whisper, or names such as unicode,case,punctuation, or a replacements file",
    OrFiles((*NAMES, *PRESETS)),
]


class Replacements(NamedTuple):
    """Runs of words and what they become, the longest run first."""

    longest: int
    table: dict[tuple[str, ...], tuple[str, ...]]


Stage: TypeAlias = Local | Replacements | Whole


class Normaliser:
    """A chain, ready to run. Words that stand alone go through once for all their occurrences."""

    def __init__(self, chain: str) -> None:
        self.names = chain_of(chain)
        self._stages = [_stage(name) for name in self.names]
        self._local = not any(isinstance(stage, Replacements | Whole) for stage in self._stages)
        self._known: dict[str, list[str]] = {}
        self._language = next((name[-2:] for name in self.names if name.startswith("numbers-")), "")
        self.dropped = 0
        """How many words were taken away altogether."""

    def __bool__(self) -> bool:
        return bool(self._stages)

    def parted(self, text: str | Sequence[str]) -> Sequence[str]:
        """The words of a text, before any step."""
        if not isinstance(text, str):
            return text
        if "jiwer" in self.names:
            return [word for word in RUN.sub(" ", text).strip().split(" ") if word]
        return text.split()

    def word(self, word: str) -> list[str]:
        """What one word becomes by itself."""
        return self([word])[0]

    def __call__(self, words: Sequence[str]) -> tuple[list[str], list[int]]:
        """The words after the chain, and for each the place of the word it comes from."""
        if self._language and any(word[-1:].isdecimal() for word in words):
            whole, places = joined_groups(words, self._language)
            if len(whole) < len(words):
                found, origins = self._run(whole)
                return found, [places[origin] for origin in origins]
        return self._run(words)

    def _run(self, words: Sequence[str]) -> tuple[list[str], list[int]]:
        found: list[str] = []
        origins: list[int] = []
        if self._local:
            for place, word in enumerate(words):
                became = self._known.get(word)
                if became is None:
                    became = self._known[word] = self._through(word)
                found += became
                origins += [place] * len(became)
                self.dropped += not became
            return found, origins
        found, origins = list(words), list(range(len(words)))
        gone: set[int] = set()
        for stage in self._stages:
            found, origins = _staged(stage, found, origins, gone)
        self.dropped += len(gone.difference(origins))
        return found, origins

    def _through(self, word: str) -> list[str]:
        words = [word]
        for stage in self._stages:
            words = [part for one in words for part in stage(one)]  # type: ignore[operator]
        return words


def _stage(name: str) -> Stage:
    return STEPS.get(name) or WHOLE.get(name) or replacements(pinned(name)[0])


def _staged(stage: Stage, words: list[str], origins: list[int], gone: set[int]) -> tuple[list[str], list[int]]:
    """The words after one step and the places they come from; `gone` gets the places of those that became nothing."""
    found: list[str] = []
    places: list[int] = []
    if isinstance(stage, Whole):
        found, places = stage.run(words)
        gone.update(set(origins) - {origins[place] for place in places})
        return found, [origins[place] for place in places]
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
            gone.update(origins[start : start + size])
        found += became
        places += [origins[min(start + offset, start + size - 1)] for offset in range(len(became))]
        start += size
    return found, places


@cache
def chain_of(text: str) -> tuple[str, ...]:
    """The names of the steps that a chain means.

    >>> chain_of("en")[:3], chain_of("none")
    (('unicode', 'quotes', 'case'), ())
    """
    names: list[str] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        names += PRESETS.get(name, (name,))
    for name in names:
        if name not in NAMES and not Path(pinned(name)[0]).is_file():
            check_known([name], [*NAMES, *PRESETS], "step of normalisation (nor a file)")
    return tuple(names)


def signed(chain: str) -> str:
    """A chain as the signature shows it: with the content of its files.

    >>> signed("en,characters")
    'en,characters'
    """
    names = [name for name in (part.strip() for part in chain.split(",")) if name]
    return ",".join(name if name in NAMES or name in PRESETS else _with_digest(name) for name in names)


def _with_digest(name: str) -> str:
    path, expected = pinned(name)
    digest = hashlib.sha256(_data(path)).hexdigest()
    if not digest.startswith(expected):
        raise UsageError(f"--normalise {name}: the file {path} has changed, its digest is {digest[:8]}")
    return f"{path}@{digest[:8]}"


CONTEXT = re.compile(r"/\s*\[([^\]]*)\]\s*__\s*\[([^\]]*)\]\s*$")  # what NIST's rules end with: / [ ] __ [ ]


def _unbracketed(text: str) -> str:
    """What a rule says, without the brackets that may stand around it.

    >>> _unbracketed(" [can not] "), _unbracketed("[laugh] x")
    ('can not', '[laugh] x')
    """
    bare = text.strip()
    return bare[1:-1].strip() if bare[:1] == "[" and bare.find("]") == len(bare) - 1 else bare


def _data(path: str) -> bytes:
    try:
        return bytes_of(path)
    except OSError as error:
        raise UsageError(f"--normalise {path}: cannot read the replacements ({error})") from None


def replacements(path: str) -> Replacements:
    """The replacements in a file, GLM or two columns; they match whatever the case of the letters."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    problems = []
    try:
        lines = text_of(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--normalise {path}: cannot read the replacements ({error})") from None
    for number, line in enumerate(lines, 1):
        text = line.partition(";;")[0].strip() if "=>" in line or line.startswith(";;") else line
        if not text.strip() or text.startswith("*"):
            continue
        if "=>" in text:
            left, _, right = text.partition("=>")
            context = CONTEXT.search(right)
            if context and any(map(str.strip, context.groups())):
                what = f"found a context in {text[:40]!r}, expected [ ] __ [ ]: words are replaced wherever they stand"
                problems.append(Problem(path, number, 1, what))
                continue
            left, right = _unbracketed(left), _unbracketed(right[: context.start()] if context else right)
        elif "\t" in text:
            left, _, right = text.partition("\t")
        else:
            what = f"found {text[:40]!r}, expected 'old => new' or two columns with a tab between them: mend the line"
            problems.append(Problem(path, number, 1, what))
            continue
        try:
            table[tuple(left.lower().split())] = tuple(first_wording(parsed(right, optional=False)))
        except ValueError as error:
            problems.append(Problem(path, number, 1, f"{error}: mend the line"))
    if problems:
        raise InputError(problems)
    table.pop((), None)
    return Replacements(max(map(len, table), default=1), table)
