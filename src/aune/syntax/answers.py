r"""Raw answers of language models: a record per document, and the list that stands somewhere in its text.

    {"id": "d1", "answer": "Here they are:\n```json\n[[\"Ann\", \"PER\"]]\n```"}

`literal` reads JSON and Python literals alike, without evaluating anything, and keeps what is complete of a text that
was cut off: an item counts when its last bracket or quote is there, and nothing is ever made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from aune.core.corpus import Source
from aune.syntax.jsonlines import Record, Shape, located, records

AnswerField: TypeAlias = Annotated[str, "the field of a record that holds the model's answer"]
Model: TypeAlias = Annotated[str, "read only the answers whose field `model` is this; all of them when empty"]
Unreadable: TypeAlias = Annotated[
    Literal["refuse", "skip"], "an answer, or a part of one, that cannot be read: a problem, or left out and counted"
]
NAMES = ("id", "doc_id", "doc_key", "document")
THOUGHTS = re.compile(r"(?:\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|.*?</think>)\s*", re.DOTALL)
"""What a model thought before it answered; its opening mark is often left out by the program that asked."""
FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
NOTHING = re.compile(
    r"\W*(?:there (?:are|is) )?no (?:named )?entit(?:ies|y)\b[^\n]{0,60}|\W*(?:none|n/a)\W*", re.IGNORECASE
)
Item = TypeVar("Item")
DEEPEST = 50  # brackets inside brackets that a list of items can have


class Answer(NamedTuple):
    """What a model said about a document."""

    document: str
    text: str
    line: int
    column: int


def answers(source: Source, field: str, model: str) -> Iterator[Answer]:
    """Every answer of a file; a record without one, or without a document's name, is told."""
    for record in records(source):
        found = _ANY.decoded(source, record)
        if found is None or (model and str(found.get("model", "")) != model):
            continue
        yield from _answer(source, record, found, field)


_ANY: Shape[dict[str, Any]] = Shape(dict[str, Any], "a document's name and an answer")


def _answer(source: Source, record: Record, found: dict[str, Any], field: str) -> Iterator[Answer]:
    name = next((str(found[key]) for key in NAMES if isinstance(found.get(key), str | int)), None)
    text = found.get(field)
    if name is None:
        told = f"found no document name ({', '.join(NAMES)}), expected one in every record: add it"
        source.problem(record.line, record.column, told)
    elif not isinstance(text, str):
        known = ", ".join(f"`{key}`" for key, value in found.items() if isinstance(value, str)) or "none"
        told = f"found no text in `{field}`, expected the model's answer there: name its field (text is in {known})"
        source.problem(record.line, record.column, told)
    else:
        answer = answered(text)
        if answer != text:
            what = (
                "after the model's reasoning, which was taken off" if answer else "broken off in the model's reasoning"
            )
            source.note(what, partial(_told, what), {"answers": 1}, record.line)
        yield Answer(name, answer, *located(record, field))


def answered(text: str) -> str:
    """What a model says when it has thought.

    >>> answered("<think>Ann? [['Ann', 'LOC']] No.</think>[['Ann', 'PER']]"), answered("<think>Ann may be")
    ("[['Ann', 'PER']]", '')
    """
    thoughts = THOUGHTS.match(text)
    return text[thoughts.end() :] if thoughts else text


def has_answers(head: str, fits: Callable[[str], bool]) -> bool:
    """Whether the first record of a file has an answer that fits."""
    line = next((line for line in head.split("\n") if line.strip()), "")
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(first, dict) and isinstance(first.get("answer"), str) and fits(answered(first["answer"]))


def perhaps_answers(head: str) -> bool:
    """Whether a file has answers at all, whatever they look like."""
    return has_answers(head, lambda _: True)


class Cut(NamedTuple):
    """A list or object whose end is missing."""

    value: Any
    """What is complete of it."""
    begun: bool
    """Whether something follows that is not complete."""


def whole(value: Any) -> Any:
    """What is complete of a value, be its end there or not."""
    return value.value if isinstance(value, Cut) else value


class Listing(NamedTuple):
    """The list found in an answer."""

    value: Any
    """A list or an object; where the text broke off, a `Cut`, and inside it perhaps others."""
    wrapped: bool
    """Whether a fence or prose stood around it."""


class Unread(Exception):  # noqa: N818 - a reason, not a failure of ours
    """Why an answer cannot be read: what was found, what was expected."""


def listing(answer: str, is_list: Callable[[Any], bool]) -> Listing:
    r"""The one list of an answer that has the shape looked for.

    >>> listing("Sure!\n```json\n[['Ann', 'PER'], ['Bo', 'P\n```", lambda value: True)
    Listing(value=Cut(value=[['Ann', 'PER'], Cut(value=['Bo'], begun=True)], begun=False), wrapped=True)
    """
    text = answer.strip()
    fenced = [match.group(1) for match in FENCE.finditer(text)]
    candidates: dict[str, Listing] = {}
    for block in fenced or [text]:
        for start, end, value in _values(block):
            if is_list(value):
                around = bool(fenced) or block[:start].strip() != "" or block[end:].strip() != ""
                candidates.setdefault(repr(value), Listing(value, around))
    filled = [it for it in candidates.values() if it.value] or list(candidates.values())
    if len(filled) > 1:
        raise Unread(f"found {len(filled)} lists, expected one")
    if filled:
        return filled[0]
    if NOTHING.fullmatch(text):
        return Listing([], False)
    raise Unread(f"found {shown(text)}, expected a list of items")


def found_listing(answer: str, is_list: Callable[[Any], bool]) -> Listing | None:
    """The same; None for an answer that has no such list, or several."""
    try:
        return listing(answer, is_list) if "[" in answer or "{" in answer else None
    except Unread:
        return None


def listings(
    source: Source, field: str, model: str, unreadable: Unreadable, is_list: Callable[[Any], bool],
    items: Callable[[Any, Answer, Reading], tuple[list[Item], int]],
) -> Iterator[tuple[Answer, list[Item], int]]:  # fmt: skip
    """Every answer of a file with the items of its list, and how many were cut off; none for one without a list."""
    reading = Reading(source, unreadable)
    for answer in answers(source, field, model):
        try:
            found = listing(answer.text, is_list)
        except Unread as reason:
            reading.refuse(answer, str(reason))
            yield answer, [], 0
        else:
            reading.wrapped += found.wrapped
            yield answer, *items(found.value, answer, reading)
    reading.say()


def shown(text: str, most: int = 40) -> str:
    """The beginning of a text, for a message."""
    return repr(text if len(text) <= most else f"{text[:most]}…") if text else "an empty answer"


def items_of(value: Any) -> tuple[list[Any], int]:
    """The complete items of a list, and how many were begun and cut off."""
    if isinstance(value, Cut):
        whole = [item for item in value.value if not isinstance(item, Cut)]
        return whole, int(value.begun) + len(value.value) - len(whole)
    return list(value), 0


def _values(block: str) -> Iterator[tuple[int, int, Any]]:
    """Every list or object that a text holds outside others: where it begins and ends, and its value."""
    place = 0
    while (start := _first(block, place)) >= 0:
        reader = _Literal(block, start)
        try:
            value = reader.value(0)
        except _NoLiteralError as error:
            place = reader.place if isinstance(error, _TooDeepError) else start + 1
            continue
        yield start, reader.place, value
        place = max(reader.place, start + 1)


def _first(block: str, place: int) -> int:
    return min((at for mark in "[{" if (at := block.find(mark, place)) >= 0), default=-1)


class _NoLiteralError(Exception):
    pass


class _TooDeepError(_NoLiteralError):
    pass


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
WORD = re.compile(r"(?:true|false|null|True|False|None)\b")
CONSTANTS = {"true": True, "false": False, "True": True, "False": False, "null": None, "None": None}
ESCAPE = re.compile(r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
MISSING = object()  # a string, number or name whose end is missing


class _Literal:
    """Reads one value from a place of a text; where the text ends too early, what is complete of it."""

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
        return self._string(mark) if mark in "\"'" else self._word()

    def _next(self) -> str:
        """The next character that is no blank; '' at the end."""
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1
        return self.text[self.place : self.place + 1]

    def _word(self) -> Any:
        for pattern in (NUMBER, WORD):
            if match := pattern.match(self.text, self.place):
                self.place = match.end()
                if self.place == len(self.text):
                    return MISSING
                return CONSTANTS[match[0]] if pattern is WORD else _number(match[0])
        if len(self.text) - self.place < 5 and any(name.startswith(self.text[self.place :]) for name in CONSTANTS):
            self.place = len(self.text)
            return MISSING
        raise _NoLiteralError

    def _string(self, quote: str) -> Any:
        parts: list[str] = []
        at = self.place + 1
        while at < len(self.text):
            if self.text[at] == quote:
                self.place = at + 1
                return "".join(parts)
            width, part = _escaped(self.text, at + 1) if self.text[at] == "\\" else (0, self.text[at])
            parts.append(part)
            at += width + 1
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
        found: dict[str, Any] = {}
        self.place += 1
        while (mark := self._next()) != "}":
            name = self.value(depth + 1) if mark else MISSING
            colon = self._next()
            if name is MISSING or not colon:
                return Cut(found, begun=bool(mark))
            if colon != ":" or not isinstance(name, str | int | float):
                raise _NoLiteralError
            self.place += 1
            value = self.value(depth + 1)
            if value is MISSING:
                return Cut(found, begun=True)
            found[str(name)] = value
            if isinstance(value, Cut) or not self._goes_on("}"):
                return Cut(found, begun=False)
        self.place += 1
        return found

    def _goes_on(self, closing: str) -> bool:
        """Whether another item or the end of the list comes; False where the text ends."""
        mark = self._next()
        if mark == ",":
            self.place += 1
        elif mark not in (closing, ""):
            raise _NoLiteralError
        return mark != ""


def _escaped(text: str, at: int) -> tuple[int, str]:
    """How long the escape at a place is, and what it stands for."""
    if match := ESCAPE.match(text, at):
        high, low, *codes = match.groups()
        if high:
            return len(match[0]), chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        number = int(next(code for code in codes if code), 16)
        return len(match[0]), "\ufffd" if 0xD800 <= number < 0xE000 else chr(number)
    return 1, ESCAPES.get(text[at : at + 1], text[at : at + 1])


def _number(written: str) -> int | float:
    return int(written) if written.lstrip("-").isdigit() and len(written) < 20 else float(written)


class Reading:
    """What reading the answers of a file came to: told as problems, or counted and said once."""

    def __init__(self, source: Source, unreadable: Unreadable) -> None:
        self.source, self.unreadable = source, unreadable
        self.wrapped = self.skipped = self.others = 0

    def refuse(self, answer: Answer, reason: str) -> None:
        """An answer, or an item of one, that cannot be read."""
        if self.unreadable == "refuse":
            remedy = "correct it, or leave such things out with --unreadable skip"
            self.source.problem(answer.line, answer.column, f"{reason} in the answer for {answer.document!r}: {remedy}")
        else:
            self.skipped += 1

    def say(self) -> None:
        """The counts, as warnings."""
        for number, what in (
            (self.wrapped, "with a fence, a heading or prose around the list, which was taken off"),
            (self.others, "with lines that are no items, which were passed over"),
            (self.skipped, "or parts of answers that could not be read, left out"),
        ):
            if number:
                self.source.note(what, partial(_told, what), {"answers": number})


def _told(what: str, counts: Mapping[str, int], line: int) -> str:
    number = counts["answers"]
    return f"{number} answer{'s' if number > 1 else ''} {what}"
