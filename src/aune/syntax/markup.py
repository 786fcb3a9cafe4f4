r"""Text with markup in it, as SGML and formats like it have: tags with their places, and the text without them.

>>> from aune.core.corpus import Source
>>> source = Source("a.sgm", b'<!-- <b> --><COREF ID="1" min=Lee>Ann Lee</COREF> &amp; <p>\n')
>>> [(tag.name, tag.closing, tag.attributes, (tag.line, tag.column)) for tag in tags(source.text)]
[('COREF', False, {'id': '1', 'min': 'Lee'}, (1, 13)), ('COREF', True, {}, (1, 42)), ('p', False, {}, (1, 57))]
>>> text = BareText("a", 1)
>>> for tag, before in between(source.text):
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
    """As it is written; empty for declarations."""
    closing: bool
    alone: bool
    """Whether it opens and closes, as `<p/>` does."""
    attributes: Mapping[str, str]
    """By name in small letters."""
    line: int
    column: int
    start: int
    end: int
    """Where its characters lie in the text."""


def tags(text: str, line_of: Callable[[int], int] = int) -> Iterator[Tag]:
    """Every tag outside comments, with its place; `line_of` gives the number in the file of a line of the text."""
    hidden = without_comments(text)
    line, seen, begun = 1, 0, 0
    for found in TAG.finditer(hidden):
        breaks = hidden.count("\n", seen, found.start())
        if breaks:
            line += breaks
            begun = hidden.rfind("\n", seen, found.start()) + 1
        seen = found.start()
        rest = found[3] or ""
        yield Tag(
            found[2] or "", bool(found[1]), rest.rstrip().endswith("/"), attributes(rest), line_of(line),
            seen - begun + 1, found.start(), found.end(),
        )  # fmt: skip


def attributes(text: str) -> dict[str, str]:
    """The attributes in a tag, by name in small letters; values in double quotes, single quotes or none."""
    return {name.lower(): unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(text)}


def retagged(tag: str, new: Mapping[str, str | None]) -> str:
    """An opening tag with some attributes changed, added or (None) taken out; all others keep their characters.

    >>> retagged('<COREF ID="1" ref=2 TYPE="IDENT">', {"ref": "3", "type": None, "status": "OPT"})
    '<COREF ID="1" ref=3 STATUS="OPT">'
    """
    pieces, at = [], 0
    known = {found[1].lower(): found.start() for found in ATTRIBUTE.finditer(tag)}  # of several, the last one counts
    for found in ATTRIBUTE.finditer(tag):
        name = found[1].lower()
        if name not in new or (found.start() != known[name] and new[name] is not None):
            continue
        value, group = new[name], next(number for number in (2, 3, 4) if found[number] is not None)
        if value is None:
            pieces.append(tag[at : found.start()].rstrip())
            at = found.end()
        elif unescape(found[group]) != value:
            bare = group == 4 and re.fullmatch(r"[\w.:-]+", value)
            start, end = found.span(group)
            pieces += [tag[at:start], value if bare else escape(value) if group != 4 else f'"{escape(value)}"']
            at = end
    rest = tag[at:]
    end = len(rest) - (2 if rest.endswith("/>") else 1)
    upper = not re.match(r"<[a-z]", tag)
    more = [
        f' {name.upper() if upper else name}="{escape(value)}"'
        for name, value in new.items()
        if value and name not in known
    ]
    return "".join([*pieces, rest[:end], *more, rest[end:]])


def without_comments(text: str) -> str:
    """The text with blanks for its comments, so that every place stays where it is."""
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        at = end + 3
    return "".join([*pieces, text[at:]])


def between(text: str, line_of: Callable[[int], int] = int) -> Iterator[tuple[Tag | None, tuple[int, int]]]:
    """Every tag with the characters between it and the one before; at last None with the rest."""
    at = 0
    for tag in tags(text, line_of):
        yield tag, (at, tag.start)
        at = tag.end
    yield None, (at, len(text))


Mark = TypeVar("Mark")


class _Piece(NamedTuple):
    """A piece of bare text and where it comes from; when the two differ in length, it counts as one character."""

    place: int
    start: int
    end: int


@dataclass
class BareText(Generic[Mark]):
    """A document while its markup is taken out of its text; it remembers where each character comes from."""

    id: str
    line: int
    size: int = 0
    """Characters so far."""
    found: list[Mark] = field(default_factory=list)
    open: list[Mark] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    """The characters where sentences begin."""
    attributes: dict[str, str] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _pieces: list[_Piece] = field(default_factory=list)

    def add(self, text: str, start: int, end: int | None = None) -> None:
        """Add a text that stands at a place of the source, there written as it is unless an end is given."""
        if text:
            self._texts.append(text)
            self._pieces.append(_Piece(self.size, start, start + len(text) if end is None else end))
            self.size += len(text)

    def unescape(self, source: str, start: int, end: int) -> None:
        """Add characters of the source from one place to another: blanks for comments, references decoded."""
        at = start
        hidden = without_comments(source[start:end])
        for reference in REFERENCE.finditer(hidden):
            self.add(hidden[at - start : reference.start()], at)
            self.add(unescape(reference[0]), start + reference.start(), start + reference.end())
            at = start + reference.end()
        self.add(hidden[at - start :], at)

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
        at = piece.start + place - piece.place
        return at, at + 1
