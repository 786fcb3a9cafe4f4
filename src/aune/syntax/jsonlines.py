r"""JSON lines: a record on each line; problems are reported with line and column.

The file may also be one JSON list of records, or one record over several lines. A task declares a record as a
`msgspec.Struct` (fields that it does not name are ignored) or as any other type that msgspec supports:

>>> from aune.reading.corpus import Source
>>> class Word(msgspec.Struct):
...     form: str
>>> source = Source("x", b'{"form": "a", "other": 1}\n{"form": 1}\n')
>>> decode = Shape(Word, "a word's `form`").decode
>>> [found for record in records(source) if (found := decode(source, record))]
[Word(form='a')]
>>> print(source.problems[0])
x:2:10: found a number in `form`, expected a string: correct the field
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from aune.reading.source import Source

T = TypeVar("T")
MAX_CHARACTERS = 1 << 23  # characters whose records are in memory together
JSON_ERRORS = (msgspec.DecodeError, RecursionError)
WRONG_TYPE = re.compile(r"Expected (?P<expected>.*?)(?:, got (?P<found>.*?))?(?: - at `\$(?P<where>.*)`)?", re.DOTALL)
STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
SCAN = json.JSONDecoder().raw_decode
NAME_TWICE = re.compile(r'"(\w+)"\s*:[^{}]*"\1"\s*:')
"""A name that occurs twice in an object without inner objects."""
WORDS = {
    "int": "a number", "str": "a string", "array": "a list", "float": "a decimal number", "bool": "true or false",
    "object": "an object", "null": "null",
}  # fmt: skip
KINDS = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


class Record(NamedTuple):
    """The JSON text of one record."""

    number: int
    """From 1, among the records of the file."""
    line: int
    """Where it begins."""
    text: str
    column: int = 1
    """Where it begins in its line, from 1."""


def records(source: Source) -> Iterator[Record]:
    """Every record: the lines that are not blank, the items of one list, or one object over several lines."""
    start = source.head.lstrip()[:1]
    if start == "[":
        yield from _items(source)
    elif start == "{" and _is_one_object(source):
        blanks = source.text[: source.text.index("{")]
        yield Record(1, blanks.count("\n") + 1, source.text[len(blanks) :], len(blanks) - blanks.rfind("\n"))
    else:
        filled = ((line, text) for line, text in source.lines() if text and not text.isspace())
        for number, line, text in source.number_records(filled):
            yield Record(number, line, text)


def _is_one_object(source: Source) -> bool:
    """Whether the whole file is JSON although its first line is not."""
    start = source.text.index("{")
    end = source.text.find("\n", start)
    return end >= 0 and not _is_json(source.text[start:end]) and _is_json(source.text)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except JSON_ERRORS:
        return False
    return True


def _items(source: Source) -> Iterator[Record]:
    file_record = Record(1, 1, source.text)
    try:
        items = msgspec.json.decode(source.text, type=list[msgspec.Raw])
    except JSON_ERRORS as error:
        tell_malformed(source, file_record, error)
        return
    place, line, line_start = 0, 1, 0
    for number, item in enumerate((bytes(item).decode() for item in items), 1):
        start = source.text.index(item, place)
        line += source.text.count("\n", place, start)
        line_start = max(line_start, source.text.rfind("\n", place, start) + 1)
        yield Record(number, line, item, start - line_start + 1)
        line += item.count("\n")
        line_start = max(line_start, start + item.rfind("\n") + 1 if "\n" in item else 0)
        place = start + len(item)


@dataclass(frozen=True)
class Shape(Generic[T]):
    """The type of a record, and a phrase for the required content of an object of it."""

    type: type[T]
    content: str

    @cached_property
    def decoder(self) -> msgspec.json.Decoder[T]:
        return msgspec.json.Decoder(self.type)

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The types of the fields, by name; empty if the type is no struct."""
        struct: Any = self.type if isinstance(self.type, msgspec.StructMeta) else None
        return {field.encode_name: field.type for field in msgspec.structs.fields(struct)} if struct else {}

    def decode(self, source: Source, record: Record) -> T | None:
        """The decoded record; None if it has problems, which are reported field by field."""
        try:
            value = self.decoder.decode(record.text)
        except msgspec.ValidationError as error:
            self._tell_mistyped(source, record, error)
        except JSON_ERRORS as error:
            tell_malformed(source, record, error)
        else:
            names = value if isinstance(value, dict) else self.fields
            if not _has_repeated_name(source, record, names):
                return value
        return None

    def decode_all(self, source: Source) -> list[T] | None:
        """All records of a source that has one on each line and no problems, decoded together; None for any other."""
        text = source.text.removesuffix("\n")
        ends = text.count("\n")
        if len(text) > MAX_CHARACTERS or not text.startswith("{") or text.count("}\n{") != ends:
            return None
        try:
            values = self.decoder.decode_lines(text)
        except JSON_ERRORS:
            return None
        names = values[0] if values and isinstance(values[0], dict) else self.fields
        if may_repeat_name(text, names, len(values)):
            return None
        return values if len(values) == ends + 1 else None

    def _tell_mistyped(self, source: Source, record: Record, mismatch: msgspec.ValidationError) -> None:
        try:
            data = msgspec.json.decode(record.text)  # a wrong type is found before the whole text is known to be JSON
        except JSON_ERRORS as error:
            tell_malformed(source, record, error)
            return
        if not isinstance(data, dict):
            source.add_problem(
                "record.no-object",
                record.line,
                record.column,
                found=f"{kind(data)}",
                expected=f"an object with {self.content}",
                remedies=["write one"],
            )
            return
        wrong = 0
        for name in (name for name in self.fields if name in data):
            try:
                msgspec.convert(data[name], self.fields[name])
            except msgspec.ValidationError as error:
                _tell_field(source, record, name, error)
                wrong += 1
        if not wrong:
            missing = re.search(r"missing required field `(.*?)`", str(mismatch))
            actual = f"no field `{missing[1]}`" if missing else _lower_first(str(mismatch))
            source.add_problem(
                "field.missing" if missing else "field.wrong-type", record.line, record.column,
                found=actual, expected=self.content, remedies=["add it"],
            )  # fmt: skip


def _tell_field(source: Source, record: Record, name: str, error: msgspec.ValidationError) -> None:
    """A problem for a field of the wrong type."""
    parts = wrong.groupdict() if (wrong := WRONG_TYPE.fullmatch(str(error))) else {}
    place = f"{name}{parts.get('where') or ''}"
    actual = _plain_types(parts.get("found") or "a value out of range") if parts else _lower_first(str(error))
    expected = _plain_types(parts.get("expected") or "one of those documented")
    line, column = locate(record, place)
    source.add_problem(
        "field.wrong-type",
        line,
        column,
        found=f"{actual} in `{place}`",
        expected=expected,
        remedies=["correct the field"],
    )


def may_repeat_name(text: str, names: Iterable[str], count: int = 1) -> bool:
    """Whether an object of this many records may have a name twice: one of the names, or any in an inner object.

    >>> may_repeat_name('{"id": 1, "spans": [{"end": 1, "end": 2}]}', ["id"]), may_repeat_name('{"id": 1}', ["id"])
    (True, False)
    """
    if any(text.count(f'"{name}"') > count for name in names):
        return True
    return text.count("{") > count and NAME_TWICE.search(text) is not None


def _has_repeated_name(source: Source, record: Record, names: Iterable[str]) -> bool:
    """Whether an object of a record has a name twice, of which JSON would use the last; this is reported."""
    if not may_repeat_name(record.text, names):
        return False
    repeated = repeated_names(record.text)
    if repeated:
        source.add_problem(
            "json.name-repeated",
            record.line,
            record.column,
            found=f"the name {repeated[0]!r} twice in one object",
            expected="every name once",
            remedies=["remove one"],
        )
    return bool(repeated)


def repeated_names(text: str) -> list[str]:
    """The names that occur twice in an object of a JSON text.

    >>> repeated_names('{"a": {"b": 1, "b": 2}}')
    ['b']
    """
    repeated: list[str] = []

    def check_pairs(pairs: list[tuple[str, Any]]) -> None:
        keys = [name for name, _ in pairs]
        repeated.extend(name for name in dict.fromkeys(keys) if keys.count(name) > 1)

    json.loads(text, object_pairs_hook=check_pairs)
    return repeated


def _lower_first(text: str) -> str:
    text = text.partition(" - at ")[0]
    return text[:1].lower() + text[1:]


def _plain_types(types: str) -> str:
    """The type names of msgspec, in words."""
    return re.sub(
        r"`([^`]*)`", lambda types: " or ".join(WORDS.get(part, part) for part in types[1].split(" | ")), types
    )


def tell_malformed(source: Source, record: Record, error: Exception) -> None:
    """The problem at the position where the JSON breaks off."""
    data = record.text.encode()
    place = re.search(r"\(byte (\d+)\)", str(error))
    before = data[: int(place[1]) if place else len(data.rstrip())].decode(errors="replace")
    reason = re.sub(r"^JSON is malformed: |\s*\(byte \d+\)$", "", str(error)).strip() or type(error).__name__
    source.add_problem(
        "json.malformed",
        *_after(record, before),
        found=f"broken JSON ({reason})",
        expected="one whole object per line",
        remedies=["correct it"],
    )


def _after(record: Record, before: str) -> tuple[int, int]:
    """The line and column after the first characters of a record."""
    start = record.column if "\n" not in before else 1
    return record.line + before.count("\n"), start + len(before) - before.rfind("\n") - 1


def locate(record: Record, path: str) -> tuple[int, int]:
    """The line and column of the value at a path such as `spans[2].start`; of the record if there is no such value."""
    try:
        return _after(record, record.text[: _value_start(record, path)])
    except (ValueError, IndexError, RecursionError):
        return record.line, record.column


def _value_start(record: Record, path: str) -> int:
    """Where the value at a path begins, in the text of the record."""
    place = _skip_blanks(record.text, 0)
    for name, index in STEP.findall(path):
        place = _field(record.text, place, name) if name else _item(record.text, place, int(index))
    return place


def item_places(record: Record, path: str) -> list[tuple[int, int]]:
    """Where each item of the list at a path begins and ends, in the text of the record.

    >>> record = Record(1, 1, '{"a": [1, {"b": 2}]}')
    >>> [record.text[start:end] for start, end in item_places(record, "a")]
    ['1', '{"b": 2}']
    """
    place = _skip_blanks(record.text, _value_start(record, path) + 1)
    places = []
    while record.text[place] != "]":
        end = SCAN(record.text, place)[1]
        places.append((place, end))
        after = _skip_blanks(record.text, end)
        place = _skip_blanks(record.text, after + 1) if record.text[after] == "," else after
    return places


def _field(text: str, place: int, field_name: str) -> int:
    """Where the value of a field begins, in the object that begins at a position."""
    if text[place] != "{":
        raise ValueError(field_name)
    place = _skip_blanks(text, place + 1)
    while text[place] != "}":
        name, colon = SCAN(text, place)
        value = _skip_blanks(text, _skip_blanks(text, colon) + 1)
        if name == field_name:
            return value
        after = _skip_blanks(text, SCAN(text, value)[1])
        place = _skip_blanks(text, after + 1) if text[after] == "," else after
    raise ValueError(field_name)


def _item(text: str, place: int, index: int) -> int:
    """Where an item begins, in the list that begins at a position."""
    if text[place] != "[":
        raise ValueError(index)
    place = _skip_blanks(text, place + 1)
    for _ in range(index):
        after = _skip_blanks(text, SCAN(text, place)[1])
        place = _skip_blanks(text, after + 1)
    return place


def _skip_blanks(text: str, place: int) -> int:
    """The first position from this one on that is not blank."""
    while text[place] in " \t\n":
        place += 1
    return place


def is_spacing(blanks: Any, tokens: int) -> bool:
    """Whether a value gives the blanks before each token and after the last one."""
    if not isinstance(blanks, list) or len(blanks) != tokens + 1:
        return False
    return all(isinstance(blank, str) and not blank.strip() for blank in blanks)


def kind(value: Any) -> str:
    """The type of a JSON value, in words.

    >>> kind({}), kind(None), kind(2)
    ('an object', 'null', 'a number')
    """
    return KINDS.get(type(value), "a number")


def shorten_json(value: Any, most: int = 60) -> str:
    """A JSON value as it is shown in a message."""
    text = to_json_line(value)
    return text if len(text) <= most else text[: most - 3] + "…"


def to_json_line(value: Any) -> str:
    """A record as one line of JSON, with the usual spacing."""
    return json.dumps(value, ensure_ascii=False)
