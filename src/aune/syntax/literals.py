r"""Values in a text as JSON, as a Python literal, or in the imprecise notation of people and models.

Nothing is evaluated. Names without quotes, comments, superfluous commas, curly quotes and full-width marks are read as
intended. Of a text that was cut off the complete parts are used: an item counts if its last bracket or quote is
present, and nothing is invented.

>>> [value for _, _, value in values("Sure: [{text: “Ann”, 'label': 'PER'}, // a person\n {text: 'Bo")]
[Cut(value=[{'text': 'Ann', 'label': 'PER'}, Cut(value={}, begun=True)], begun=False)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

DEEPEST = 50  # brackets inside brackets that a list of items can have
FULL_WIDTH = str.maketrans("［］｛｝（）：，＂＇", "[]{}():,\"'")
QUOTES = {'"': '"', "'": "'", "＂": "＂", "＇": "＇", "“": "”", "”": "”", "„": "“", "‘": "’", "「": "」"}
BLANKS = re.compile(r"(?:\s|//[^\n]*|(?<=\s)\#(?:\s[^\n]*|\Z)|/\*.*?(?:\*/|\Z)|/\Z)*", re.DOTALL)
OPENING = re.compile(r"[\[{［｛]")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
UNFINISHED_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d*)?)?\Z", re.ASCII)
WORD = re.compile(r"(?:true|false|null|True|False|None)\b")
NAME = re.compile(r"[^\W\d]\w*")
CONSTANTS = {"true": True, "false": False, "True": True, "False": False, "null": None, "None": None}
ESCAPE = re.compile(r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
MISSING = object()  # stands for a string, number or name whose end is missing


class Cut(NamedTuple):
    """A list or object whose end is missing."""

    value: Any
    """The complete part of it."""
    begun: bool
    """Whether an incomplete part follows."""


def complete_value(value: Any) -> Any:
    """A value, or the complete part of it."""
    return value.value if isinstance(value, Cut) else value


def items_of(value: Any) -> tuple[list[Any], int]:
    """The complete items of a list, and how many were begun and cut off."""
    if isinstance(value, Cut):
        complete = [item for item in value.value if not isinstance(item, Cut)]
        return complete, int(value.begun) + len(value.value) - len(complete)
    return list(value), 0


def values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Every outermost list or object in a text: where it begins and ends, and its value."""
    place = 0
    while opening := OPENING.search(text, place):
        reader = _Literal(text, opening.start())
        try:
            value = reader.value(0)
        except _NoLiteralError as error:
            place = reader.place if isinstance(error, _TooDeepError) else opening.end()
            continue
        yield opening.start(), reader.place, value
        place = max(reader.place, opening.end())


class _NoLiteralError(Exception):
    pass


class _TooDeepError(_NoLiteralError):
    pass


class _Literal:
    """Reads one value from a position of a text; if the text ends too early, the complete part of it."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def value(self, depth: int) -> Any:
        mark = self._next()
        if depth > DEEPEST:
            raise _TooDeepError
        if mark == "":
            return MISSING
        if mark in "[(":
            return self._sequence("]" if mark == "[" else ")", depth)
        if mark == "{":
            return self._mapping(depth)
        return self._string() if self.text[self.place] in QUOTES else self._word()

    def _next(self) -> str:
        """The next character that is not blank and not in a comment; '' at the end."""
        blanks = BLANKS.match(self.text, self.place)
        self.place = blanks.end() if blanks else self.place
        return self.text[self.place : self.place + 1].translate(FULL_WIDTH)

    def _word(self) -> Any:
        rest = self.text[self.place : self.place + 5]
        if UNFINISHED_NUMBER.match(self.text, self.place) or (
            len(rest) < 5 and any(name.startswith(rest) for name in CONSTANTS)
        ):
            self.place = len(self.text)
            return MISSING
        for pattern in (NUMBER, WORD):
            if match := pattern.match(self.text, self.place):
                self.place = match.end()
                return CONSTANTS[match[0]] if pattern is WORD else _number(match[0])
        raise _NoLiteralError

    def _string(self) -> Any:
        parts: list[str] = []
        quote, position = QUOTES[self.text[self.place]], self.place + 1
        while position < len(self.text):
            if self.text[position] == quote:
                self.place = position + 1
                return "".join(parts)
            width, part = (
                _read_escape(self.text, position + 1) if self.text[position] == "\\" else (0, self.text[position])
            )
            parts.append(part)
            position += width + 1
        self.place = len(self.text)
        return MISSING

    def _sequence(self, closing: str, depth: int) -> Any:
        items: list[Any] = []
        self.place += 1
        while (mark := self._next()) != closing:
            item = self.value(depth + 1) if mark else MISSING
            if item is MISSING:
                return Cut(items, begun=bool(mark))
            items.append(item)
            if isinstance(item, Cut) or not self._goes_on(closing):
                return Cut(items, begun=False)
        self.place += 1
        return items

    def _mapping(self, depth: int) -> Any:
        fields: dict[str, Any] = {}
        self.place += 1
        while (mark := self._next()) != "}":
            name = self._name(depth) if mark else MISSING
            colon = self._next()
            if name is MISSING or not colon:
                return Cut(fields, begun=bool(mark))
            if colon != ":" or not isinstance(name, str | int | float):
                raise _NoLiteralError
            self.place += 1
            value = self.value(depth + 1)
            if value is MISSING:
                return Cut(fields, begun=True)
            fields[str(name)] = value
            if isinstance(value, Cut) or not self._goes_on("}"):
                return Cut(fields, begun=False)
        self.place += 1
        return fields

    def _name(self, depth: int) -> Any:
        """The text before a colon: a string or a number, or a word without quotes."""
        if match := NAME.match(self.text, self.place):
            self.place = match.end()
            return MISSING if self.place == len(self.text) else match[0]
        return self.value(depth + 1)

    def _goes_on(self, closing: str) -> bool:
        """Whether another item or the end of the list comes; False if the text ends."""
        mark = self._next()
        if mark == ",":
            self.place += 1
        elif mark not in (closing, ""):
            raise _NoLiteralError
        return mark != ""


def _read_escape(text: str, position: int) -> tuple[int, str]:
    """The length of the escape sequence at a position, and the character that it represents."""
    if match := ESCAPE.match(text, position):
        high, low, *codes = match.groups()
        if high:
            return len(match[0]), chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        number = int(next(code for code in codes if code), 16)
        return len(match[0]), "\ufffd" if 0xD800 <= number < 0xE000 else chr(number)
    return 1, ESCAPES.get(text[position : position + 1], text[position : position + 1])


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() and len(text) < 20 else float(text)
