"""Where the values of a JSON text stand, and lists with other items whose unchanged ones keep their characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

BLANKS = re.compile(r"[ \t\n\r]*")
SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\[\]{}:"]+')


@dataclass
class Value:
    """A value: where it begins and ends, and what it holds."""

    start: int
    end: int
    items: list[Value] = field(default_factory=list)
    """Of a list."""
    fields: dict[str, Value] = field(default_factory=dict)
    """Of an object; the last of several with one name."""


def placed(text: str, start: int = 0) -> Value:
    """The value that begins at a place of a text that is known to be JSON.

    >>> value = placed('{"a": [1, "x,]"], "b": {}}')
    >>> [(item.start, item.end) for item in value.fields["a"].items], value.fields["b"].start, value.end
    ([(7, 8), (10, 15)], 23, 26)
    """
    start = _next(text, start)
    if text[start] not in "[{":
        found = SCALAR.match(text, start)
        if found is None:
            raise ValueError(f"no JSON value at character {start}")
        return Value(start, found.end())
    value, at = Value(start, start), _next(text, start + 1)
    while text[at] not in "]}":
        name = ""
        if text[start] == "{":
            key = placed(text, at)
            name = json.loads(text[key.start : key.end])
            at = _next(text, key.end) + 1
        item = placed(text, at)
        if text[start] == "{":
            value.fields[name] = item
        else:
            value.items.append(item)
        at = _next(text, item.end)
        if text[at] == ",":
            at = _next(text, at + 1)
    value.end = at + 1
    return value


def _next(text: str, place: int) -> int:
    found = BLANKS.match(text, place)
    return found.end() if found else place


def relisted(text: str, value: Value, items: Sequence[tuple[int | None, str]], comma: str) -> str:
    """A list with other items: each with its number in the list before, if it was there, and its text.

    What stands between items is kept; before new ones stands a comma as given.

    >>> text = "[ 1,2 ,3 ]"
    >>> relisted(text, placed(text), [(0, "1"), (2, "3"), (None, "4")], ", ")
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
