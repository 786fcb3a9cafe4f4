"""Positions of the values of a JSON text, and lists with replaced items whose unchanged items keep their characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

BLANKS = re.compile(r"[ \t\n\r]*")
SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\[\]{}:"]+')


@dataclass
class Value:
    """A value: where it begins and ends, and its content."""

    start: int
    end: int
    items: list[Value] = field(default_factory=list)
    """The items of a list."""
    fields: dict[str, Value] = field(default_factory=dict)
    """The members of an object; the last of several with one name."""


def locate_values(text: str, start: int = 0) -> Value:
    """The value that begins at a position of a text that is known to be JSON.

    >>> value = locate_values('{"a": [1, "x,]"], "b": {}}')
    >>> [(item.start, item.end) for item in value.fields["a"].items], value.fields["b"].start, value.end
    ([(7, 8), (10, 15)], 23, 26)
    """
    start = _skip_blanks(text, start)
    if text[start] not in "[{":
        match = SCALAR.match(text, start)
        if match is None:
            raise ValueError(f"no JSON value at character {start}")
        return Value(start, match.end())
    value, position = Value(start, start), _skip_blanks(text, start + 1)
    while text[position] not in "]}":
        name = ""
        if text[start] == "{":
            key = locate_values(text, position)
            name = json.loads(text[key.start : key.end])
            position = _skip_blanks(text, key.end) + 1
        item = locate_values(text, position)
        if text[start] == "{":
            value.fields[name] = item
        else:
            value.items.append(item)
        position = _skip_blanks(text, item.end)
        if text[position] == ",":
            position = _skip_blanks(text, position + 1)
    value.end = position + 1
    return value


def _skip_blanks(text: str, place: int) -> int:
    match = BLANKS.match(text, place)
    return match.end() if match else place


def replace_items(text: str, value: Value, items: Sequence[tuple[int | None, str]], comma: str) -> str:
    """A list with other items: each with its index in the list before, if it was there, and its text.

    The characters between items stay; a comma as given is inserted before new items.

    >>> text = "[ 1,2 ,3 ]"
    >>> replace_items(text, locate_values(text), [(0, "1"), (2, "3"), (None, "4")], ", ")
    '[ 1 ,3, 4 ]'
    """
    old = value.items
    pieces = []
    for number, (index, item) in enumerate(items):
        if number:
            pieces.append(comma if not index else text[old[index - 1].end : old[index].start])
        pieces.append(item)
    if not old:
        return f"[{''.join(pieces)}]"
    return text[value.start : old[0].start] + "".join(pieces) + text[old[-1].end : value.end]
