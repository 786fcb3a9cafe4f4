"""What the page is given: the shape of its data, on both sides.

The modules of the page read exactly these structures; `web/shared/schema.d.ts`, from which they are type-checked, is
written from here (`python -m aune.reports.page.schema` prints it, a test compares). A block is a script element whose
text is one of these structures, as JSON or compressed.
"""

from __future__ import annotations

import types
import typing
from typing import Any

import msgspec


class Cell(msgspec.Struct, omit_defaults=True):
    """A cell of a table."""

    text: str
    best: bool = False
    link: str = ""
    """The view that it leads to, as an address in the page."""
    title: str = ""
    shade: float = 0.0
    """From 0 to 1, how strong its colour is."""
    interval: list[float] = []
    """Where low end, value and high end lie between the edges of the column, from 0 to 1."""
    right: bool = False
    """Whether it counts what is right, among cells that count errors."""


class Grid(msgspec.Struct, omit_defaults=True):
    """A table as Python made it; the page only draws it."""

    header: list[str]
    rows: list[list[Cell]]
    names: int = 1
    """How many columns at the left are names."""
    title: str = ""
    over: list[tuple[str, int]] = []
    """Headings above the header, with the number of columns of each."""
    parts: list[int] = []
    """The rows that begin a new part."""
    notes: list[str] = []
    copies: dict[str, str] = {}
    """The same table as text, by format."""


class Choice(msgspec.Struct):
    """A value of a measure that can be chosen."""

    id: str
    label: str
    block: str


class Ranking(msgspec.Struct):
    """The systems under one value."""

    table: Grid
    differences: Grid | None
    said: str
    """How to read it."""


class Documents(msgspec.Struct):
    """A measure on every document, as text and turned so that more is better."""

    shown: dict[str, list[str]]
    values: dict[str, list[float | None]]
    worth: dict[str, list[float | None]]
    copies: dict[str, str]


class PackedErrors(msgspec.Struct, omit_defaults=True):
    """All errors of a system as columns of numbers, each packed as letters, and the text of those that are listed."""

    total: int
    kinds: Grid
    strings: list[str]
    """Every text that a column of codes speaks of."""
    columns: dict[str, str]
    """document, start, end, kind, key, response, cost, and the attributes: numbers of `strings` (0 is none)."""
    listed: list[int]
    """Which errors have a context: all of them, or a sample drawn evenly over the text."""
    contexts: list[str]


class Confusion(msgspec.Struct):
    """What was expected against what was given, all errors of a system counted."""

    table: Grid
    row: str
    column: str
    hidden: int
    """How many labels with fewer errors are not shown."""


class Spans(msgspec.Struct, omit_defaults=True):
    """Spans over words, as columns."""

    start: list[int] = []
    end: list[int] = []
    group: list[int] = []
    label: list[str] = []
    twin: list[int] = []
    error: list[str] = []
    minor: list[bool] = []


class AlignedWords(msgspec.Struct, omit_defaults=True):
    """Words that correspond; a run of words that are the same on both sides is only its bounds."""

    start: int
    end: int
    words: list[str] | None = None
    tags: list[str] = []
    error: str = ""


class Layer(msgspec.Struct, omit_defaults=True):
    """What one response says of a text."""

    spans: Spans | None = None
    columns: list[list[AlignedWords]] = []
    """Of each sentence, where words are aligned."""
    missed: dict[str, str] = {}
    """What is wrong of the key's spans, by their number."""
    words: list[str] | None = None
    """The key's words where this response saw others (one of several wordings)."""
    tags: list[str] | None = None


class Text(msgspec.Struct, omit_defaults=True):
    """A document: its words, what the key says of them, and the layer of each system by its number."""

    words: list[str] = []
    sentences: list[int] = []
    names: list[str] = []
    tags: list[str] = []
    places: list[int] = []
    key: Spans | None = None
    layers: dict[str, Layer] = {}


class Sign(msgspec.Struct):
    """How an error is marked under aligned words."""

    text: str
    tone: typing.Literal["bad", "open", "left"]
    """Wrong, left open, or not evaluated."""


class Summary(msgspec.Struct):
    """What the page knows at once."""

    title: str
    systems: list[str]
    documents: list[str]
    rankings: list[Choice]
    main: str
    """The id of the value that ranks."""
    groups: list[Choice]
    """The attributes that scores can be broken down by."""
    measures: list[Choice]
    """The main value of each measure, document by document."""
    errors: bool
    """Whether the task lists its errors."""
    confusion: bool
    facets: list[str]
    """The attributes that errors can be chosen by."""
    labels: list[str]
    """Of all spans, frequent ones first."""
    texts: list[tuple[int, int]]
    """The block of each document, and its place there."""
    signs: dict[str, Sign]


def declarations() -> str:
    """The structures in the language of the page's type checker."""
    structs = [value for value in globals().values() if isinstance(value, type) and issubclass(value, msgspec.Struct)]
    return HEAD + "\n".join(map(_declaration, structs))


HEAD = "// Written by `python -m aune.reports.page.schema` from that file; do not edit.\n\n"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def _declaration(struct: type[msgspec.Struct]) -> str:
    hints = typing.get_type_hints(struct)
    lines = []
    for field in msgspec.structs.fields(struct):
        optional = "?" if struct.__struct_config__.omit_defaults and not field.required else ""
        lines.append(f"  {field.name}{optional}: {_type(hints[field.name])};")
    return "\n".join([f"export interface {struct.__name__} {{", *lines, "}\n"])


def _type(hint: Any) -> str:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is list:
        return f"({_type(inner[0])})[]" if " | " in _type(inner[0]) else f"{_type(inner[0])}[]"
    if origin is tuple:
        return f"[{', '.join(map(_type, inner))}]"
    if origin is dict:
        return f"Record<string, {_type(inner[1])}>"
    if origin is typing.Literal:
        return " | ".join(f'"{literal}"' for literal in inner)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_type, inner))
    return str(hint.__name__)


if __name__ == "__main__":
    print(declarations(), end="")
