r"""Text with markup, as in SGML and similar formats: tags with their positions, and the text without them.

>>> from aune.reading.corpus import Source
>>> source = Source("a.sgm", b'<!-- <b> --><COREF ID="1" min=Lee>Ann Lee</COREF> &amp; <p>\n')
>>> [(tag.name, tag.closing, tag.attributes, (tag.line, tag.column)) for tag in tags(source.text)]
[('COREF', False, {'id': '1', 'min': 'Lee'}, (1, 13)), ('COREF', True, {}, (1, 42)), ('p', False, {}, (1, 57))]
>>> text = BareText("a", 1)
>>> for tag, before in split_at_tags(source.text):
...     text.unescape(source.text, *before)
>>> text.text, text.source_span(12, 19)
('            Ann Lee & \n', (34, 41))
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Generic, NamedTuple, TypeVar

TAG = re.compile(r"<[!?][^<>]*+>|<(/?)([A-Za-z][\w.:-]*+)([^<>]*+)>")
ATTRIBUTE = re.compile(r"""(?<![\w.:-])([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")


class Tag(NamedTuple):
    """A tag in the text."""

    name: str
    """The name as written; empty for declarations."""
    closing: bool
    alone: bool
    """Whether it opens and closes, as `<p/>` does."""
    attributes: Mapping[str, str]
    """By name in lower case."""
    line: int
    column: int
    start: int
    end: int
    """The range of its characters in the text."""


def tags(text: str, line_of: Callable[[int], int] = int) -> Iterator[Tag]:
    """Every tag outside comments, with its position; `line_of` turns a line of the text into its number in the file."""
    hidden = without_comments(text)
    line, position, line_start = 1, 0, 0
    for match in TAG.finditer(hidden):
        breaks = hidden.count("\n", position, match.start())
        if breaks:
            line += breaks
            line_start = hidden.rfind("\n", position, match.start()) + 1
        position = match.start()
        attribute_text = match[3] or ""
        yield Tag(
            match[2] or "",
            bool(match[1]),
            attribute_text.rstrip().endswith("/"),
            attributes(attribute_text),
            line_of(line),
            position - line_start + 1,
            match.start(),
            match.end(),
        )


def attributes(text: str) -> dict[str, str]:
    """The attributes in a tag, by name in lower case; values may be in double quotes, single quotes or none."""
    return {name.lower(): unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(text)}


def edit_tag(tag: str, new: Mapping[str, str | None]) -> str:
    """An opening tag with some attributes changed, added or (None) removed; all others keep their characters.

    >>> edit_tag('<COREF ID="1" ref=2 TYPE="IDENT">', {"ref": "3", "type": None, "status": "OPT"})
    '<COREF ID="1" ref=3 STATUS="OPT">'
    """
    pieces, position = [], 0
    last_starts = {
        match[1].lower(): match.start() for match in ATTRIBUTE.finditer(tag)
    }  # of several with the same name, the last one counts
    for match in ATTRIBUTE.finditer(tag):
        name = match[1].lower()
        if name not in new or (match.start() != last_starts[name] and new[name] is not None):
            continue
        value, group = new[name], next(number for number in (2, 3, 4) if match[number] is not None)
        if value is None:
            pieces.append(tag[position : match.start()].rstrip())
            position = match.end()
        elif unescape(match[group]) != value:
            is_bare = group == 4 and re.fullmatch(r"[\w.:-]+", value)
            start, end = match.span(group)
            pieces += [tag[position:start], value if is_bare else escape(value) if group != 4 else f'"{escape(value)}"']
            position = end
    rest = tag[position:]
    end = len(rest) - (2 if rest.endswith("/>") else 1)
    upper = not re.match(r"<[a-z]", tag)
    added = [
        f' {name.upper() if upper else name}="{escape(value)}"'
        for name, value in new.items()
        if value and name not in last_starts
    ]
    return "".join([*pieces, rest[:end], *added, rest[end:]])


def without_comments(text: str) -> str:
    """The text with comments replaced by blanks, so that positions stay the same."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        position = end + 3
    return "".join([*pieces, text[position:]])


def split_at_tags(text: str, line_of: Callable[[int], int] = int) -> Iterator[tuple[Tag | None, tuple[int, int]]]:
    """Every tag with the characters between it and the one before; at the end None with the rest."""
    position = 0
    for tag in tags(text, line_of):
        yield tag, (position, tag.start)
        position = tag.end
    yield None, (position, len(text))


MarkT = TypeVar("MarkT")


class _Piece(NamedTuple):
    """A piece of plain text and its origin; if the lengths of the two differ, it counts as one character."""

    place: int
    start: int
    end: int


@dataclass
class BareText(Generic[MarkT]):
    """A document while its markup is being removed from its text; it records the origin of each character."""

    id: str
    line: int
    size: int = 0
    """Characters so far."""
    marks: list[MarkT] = field(default_factory=list)
    open: list[MarkT] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    """The characters where sentences begin."""
    attributes: dict[str, str] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _pieces: list[_Piece] = field(default_factory=list)

    def add(self, text: str, start: int, end: int | None = None) -> None:
        """Add a text at a position of the source, where it is written literally unless an end is given."""
        if text:
            self._texts.append(text)
            self._pieces.append(_Piece(self.size, start, start + len(text) if end is None else end))
            self.size += len(text)

    def unescape(self, source: str, start: int, end: int) -> None:
        """Add a range of the source: comments become blanks, references are decoded."""
        position = start
        hidden = without_comments(source[start:end])
        for reference in REFERENCE.finditer(hidden):
            self.add(hidden[position - start : reference.start()], position)
            self.add(unescape(reference[0]), start + reference.start(), start + reference.end())
            position = start + reference.end()
        self.add(hidden[position - start :], position)

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where some characters, at least one, begin and end in the source."""
        return self._source(start)[0], self._source(end - 1)[1]

    def _source(self, place: int) -> tuple[int, int]:
        """Where one character begins and ends in the source."""
        index = bisect_right(self._pieces, place, key=lambda piece: piece.place) - 1
        piece = self._pieces[index]
        after = self._pieces[index + 1].place if index + 1 < len(self._pieces) else self.size
        if piece.end - piece.start != after - piece.place:
            return piece.start, piece.end
        position = piece.start + place - piece.place
        return position, position + 1
