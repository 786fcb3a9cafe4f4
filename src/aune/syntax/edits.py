r"""Edits of a file: changes are inserted at their positions, and every other byte stays the same.

>>> from aune.reading.corpus import Source
>>> source = Source("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
>>> edits = Edits(source)
>>> edits.replace(source.text.index("two"), source.text.index("two") + 3, "2")
>>> edits.insert(3, "!\nmore")
>>> edits.apply()
b'\xef\xbb\xbfone!\r\nmore\r\n2\r\n'
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from aune.reading.source import Source


class _Edit(NamedTuple):
    start: int
    end: int
    rank: tuple[int, ...]
    """The order of insertions at the same position."""
    number: int
    text: str


class Edits:
    """Changes to the text of a source (`Source.text`), applied together."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._edits: list[_Edit] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace some characters by another text."""
        if self._source.text[start:end] != text:
            self._edits.append(_Edit(start, end, (), len(self._edits), text))

    def insert(self, place: int, text: str, rank: tuple[int, ...] = ()) -> None:
        """Insert a text before a character; of several at one position, those with the lower rank come first."""
        if text:
            self._edits.append(_Edit(place, place, rank, len(self._edits), text))

    def apply(self) -> bytes:
        """The bytes of the edited file; new line ends are those of the file."""
        raw = self._source.raw
        line_end = (
            "\r\r\n"
            if "\r\r\n" in raw
            else "\r\n"
            if "\r\n" in raw
            else "\r"
            if "\r" in raw and "\n" not in raw
            else "\n"
        )
        places = _Places(raw)
        pieces, position = [], 0
        for edit in sorted(self._edits):
            start, end = places.raw(edit.start), places.raw(edit.end)
            if start < position:
                raise ValueError(f"edits overlap at character {edit.start}")
            pieces += [raw[position:start], edit.text.replace("\n", line_end)]
            position = end
        return self._source.encode("".join([*pieces, raw[position:]]))


class _Places:
    """Positions of characters in the raw text, which may have a byte order mark and longer line ends."""

    def __init__(self, raw: str) -> None:
        self._mark = int(raw.startswith("\ufeff"))
        self._long: list[int] = []  # the position of a line end, once for every additional character
        for end in re.finditer("\r{1,2}\n", raw):
            self._long += [end.start() - self._mark - len(self._long)] * (len(end[0]) - 1)

    def raw(self, place: int) -> int:
        return place + self._mark + bisect_left(self._long, place)
