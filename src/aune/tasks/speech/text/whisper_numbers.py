"""Write numbers in digits, by the rules of Whisper's English normaliser: `ten thousand dollars` is `$10000`.

Source: Radford et al. 2022, appendix C; where the text is ambiguous, the numbers are those of OpenAI's program.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from aune.tasks.speech.text.traced_text import TracedText, trace_words

UNITS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion"
ODD_ORDINALS = {"one": ("first", "st"), "two": ("second", "nd"), "three": ("third", "rd"), "five": ("fifth", "th"),
                "eight": ("eighth", "th"), "twelve": ("twelfth", "th")}  # fmt: skip
CURRENCIES = {
    "pound": "£", "pounds": "£", "euro": "€", "euros": "€", "dollar": "$", "dollars": "$", "cent": "¢", "cents": "¢",
}  # fmt: skip
SIGN_WORDS = {"minus": "-", "negative": "-", "plus": "+", "positive": "+"}
DIGITS = re.compile(r"\d+(?:\.\d+)?")


class Numeral(NamedTuple):
    """A number word: its kind (zero, unit, tens, scale), its value, and its suffix (s, th…)."""

    kind: str
    number: int
    ending: str = ""


def _numerals() -> dict[str, Numeral]:
    numerals = {name: Numeral("zero", 0) for name in ("o", "oh", "zero")}
    numerals["zeroth"] = Numeral("unit", 0, "th")
    for number, name in enumerate(UNITS, 1):
        ordinal, ending = ODD_ORDINALS.get(name, (f"{name}th", "th"))
        numerals |= {name: Numeral("unit", number), ordinal: Numeral("unit", number, ending)}
        numerals[f"{name}es" if name == "six" else f"{name}s"] = Numeral("unit", number, "s")
    for number, name in enumerate(TENS, 2):
        numerals[name] = Numeral("tens", 10 * number)
        numerals[f"{name[:-1]}ies"] = Numeral("tens", 10 * number, "s")
        numerals[f"{name[:-1]}ieth"] = Numeral("tens", 10 * number, "th")
    scales = {"hundred": 100} | {name: 1000**power for power, name in enumerate(SCALES.split(), 1)}
    for name, number in scales.items():
        for ending in ("", "s", "th"):
            numerals[name + ending] = Numeral("scale", number, ending)
    return numerals


NUMERALS = _numerals()
SPECIAL = {"and", "double", "triple", "point", "per", "percent", *CURRENCIES, *SIGN_WORDS}


def write_digits(text: TracedText) -> TracedText:
    """A text with its numbers in digits; it must be in lower case, without signs other than those of numbers.

    >>> write_digits(trace_words([("ten", 0), ("thousand", 1), ("dollars", 2)])).text
    '$10000'
    """
    return _polish_amounts(trace_words(_in_digits(_prepare_numbers(text).words())))


HALF = re.compile(r"\band\s+a\s+half\b")


def _prepare_numbers(text: TracedText) -> TracedText:
    """Write halves as point five after a number, and a blank between digits and letters, except number suffixes."""
    spaced = _write_halves(text).sub(re.compile(r"(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])"), " ")
    return spaced.sub(re.compile(r"([0-9])\s+(st|nd|rd|th|s)\b"), r"\1\2")


def _write_halves(text: TracedText) -> TracedText:
    """Write halves as point five after a number. A half with nothing before it is dropped, as in OpenAI's program."""
    halves = list(HALF.finditer(text.text))
    if not halves:
        return text
    words: list[tuple[str, int]] = []
    start = 0
    for half in halves:
        before = TracedText(text.text[start : half.start()], text.places[start : half.start()]).words()
        if before:
            numeral = NUMERALS.get(before[-1][0])
            is_numeral = numeral is not None and not numeral.ending
            place = text.places[half.start()]
            words += [*before, *((word, place) for word in ("point five" if is_numeral else "and a half").split())]
        start = half.end()
    return trace_words([*words, *TracedText(text.text[start:], text.places[start:]).words()])


def _polish_amounts(text: TracedText) -> TracedText:
    """Add cents to their dollars, and write 1 as a word when it stands alone."""
    for pattern, replacement in AMOUNTS:
        text = text.sub(pattern, replacement)
    return text


AMOUNTS = [
    (re.compile(r"([€£$])([0-9]+) (?:and )?¢([0-9])\b"), r"\1\2.0\3"),
    (re.compile(r"([€£$])([0-9]+) (?:and )?¢([0-9]{2})\b"), r"\1\2.\3"),
    (re.compile(r"[€£$]0.0([0-9])\b"), r"¢\1"),
    (re.compile(r"[€£$]0.([1-9]?[0-9])\b"), r"¢\1"),
    (re.compile(r"\b1(s?)\b"), r"one\1"),
]


class _Number:
    """A number being read: its value so far (a text once digits are concatenated), and the sign before it."""

    def __init__(self) -> None:
        self.value: int | str | None = None
        self.sign = ""
        self.place = 0

    def take(self, number: int | str, place: int) -> None:
        if self.value is None and not self.sign:
            self.place = place
        self.value = number

    def flush(self, text: str | None = None) -> Iterator[tuple[str, int]]:
        """The number in its written form, if there is one; resets the state."""
        digits = str(self.value) if text is None else text
        if text is not None or self.value is not None:
            yield self.sign + digits, self.place
            self.sign = ""
        self.value = None


def _in_digits(words: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The words, with numbers in digits."""
    number = _Number()
    texts = ["", *(word for word, _ in words), ""]
    skipped = False
    for at, (word, place) in enumerate(words, 1):
        before, after = texts[at - 1], texts[at + 1]
        if skipped:
            skipped = False
            continue
        bare = word[1:] if word[0] in "-+£€$¢" else word
        if DIGITS.fullmatch(bare) and len(bare) <= MOST_DIGITS:
            yield from _digits(number, word, bare, place)
        elif word in NUMERALS:
            yield from _numeral(number, NUMERALS[word], before, place)
        elif word in SPECIAL:
            skipped = yield from _special(number, word, before, after, place)
        else:
            yield from number.flush()
            yield word, place
    yield from number.flush()


def _digits(number: _Number, word: str, bare: str, place: int) -> Iterator[tuple[str, int]]:
    if isinstance(number.value, str) and number.value.endswith("."):
        number.value += word
        return
    yield from number.flush()
    number.take(bare if Fraction(bare).denominator > 1 else int(Fraction(bare)), place)
    if bare != word:
        number.sign, number.place = word[0], place


def _numeral(number: _Number, word: Numeral, before: str, place: int) -> Iterator[tuple[str, int]]:
    if word.kind == "scale":
        yield from _apply_scale(number, word, place)
    elif word.kind == "zero":
        number.take(f"{number.value or ''}0", place)
    else:
        number.take(_append_numeral(number.value, word, NUMERALS.get(before)), place)
    if word.ending and number.value is not None:
        yield from number.flush(f"{number.value}{word.ending}")


def _append_numeral(value: int | str | None, word: Numeral, before: Numeral | None) -> int | str:
    """The value after adding a unit or tens: a sum if that is possible, else concatenated digits."""
    if value is None:
        return word.number
    bare = before is not None and not before.ending
    if isinstance(value, str) or (word.kind == "unit" and bare and before is not None and before.kind == "unit"):
        if word.kind == "unit" and word.number < 10 and bare and before is not None and before.kind == "tens":
            return f"{str(value)[:-1]}{word.number}"
        return f"{value}{word.number}"
    room = 10 if word.number < 10 else 100
    return value + word.number if value % room == 0 else f"{value}{word.number}"


def _apply_scale(number: _Number, word: Numeral, place: int) -> Iterator[tuple[str, int]]:
    value = number.value
    if value is None:
        number.take(word.number, place)
    elif isinstance(value, str) or (value == 0 and not word.ending):
        product = _fraction(value)
        if product is not None and (product * word.number).denominator == 1:
            number.take(int(product * word.number), place)
        else:
            yield from number.flush()
            number.take(word.number, place)
    else:
        thousands, rest = divmod(value, 1000)
        number.take(1000 * thousands + rest * word.number, place)


MOST_DIGITS = 1000  # of a number used in arithmetic: Python refuses to write numbers of more than 4300


def _fraction(value: int | str) -> Fraction | None:
    if isinstance(value, str) and len(value) > MOST_DIGITS:
        return None
    try:
        return Fraction(value)
    except ValueError:
        return None


def _special(number: _Number, word: str, before: str, after: str, place: int) -> Generator[tuple[str, int], None, bool]:
    """Words with a meaning beside a number; returns whether the next word is consumed."""
    numeric = after in NUMERALS or after in SPECIAL or bool(DIGITS.fullmatch(after))
    has_number = number.value is not None
    if word in SIGN_WORDS:
        yield from number.flush()
        if numeric:
            number.sign, number.place = SIGN_WORDS[word], place
        else:
            yield from _plain(number, word, place)
    elif word in CURRENCIES and has_number:
        number.sign = CURRENCIES[word]
        yield from number.flush()
    elif word == "percent" and has_number:
        yield from number.flush(f"{number.value}%")
    elif word == "per" and has_number and after == "cent":
        yield from number.flush(f"{number.value}%")
        return True
    elif word in ("double", "triple") and numeric and _single(after) is not None:
        number.take(f"{number.value or ''}{str(_single(after)) * (2 if word == 'double' else 3)}", place)
        return True
    elif word == "point" and numeric:
        if _decimal(after):
            number.take(f"{number.value or ''}.", place)
    elif word == "and" and numeric and _bare_scale(before):
        pass  # as in "two hundred and five"
    else:
        yield from number.flush()
        yield from _plain(number, word, place)
    return False


def _plain(number: _Number, word: str, place: int) -> Iterator[tuple[str, int]]:
    """A word that is no number; a sign that was waiting for a number is written before it."""
    sign, number.sign = number.sign, ""
    yield sign + word, place


def _single(word: str) -> int | None:
    """The value of a zero or a unit without a suffix; None for other words."""
    known = NUMERALS.get(word)
    return known.number if known and not known.ending and known.kind in ("zero", "unit") else None


def _decimal(word: str) -> bool:
    known = NUMERALS.get(word)
    return bool(DIGITS.fullmatch(word)) or (known is not None and not known.ending and known.kind != "scale")


def _bare_scale(word: str) -> bool:
    known = NUMERALS.get(word)
    return known is not None and known.kind == "scale" and not known.ending
