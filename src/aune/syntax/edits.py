r"""Edits of a file: what changes is put in place, and every other byte stays as it was.

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
    """What comes first among insertions at one place."""
    number: int
    text: str


class Edits:
    """Changes to the text of a source (`Source.text`), made all at once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._edits: list[_Edit] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Put another text in the place of some characters."""
        if self._source.text[start:end] != text:
            self._edits.append(_Edit(start, end, (), len(self._edits), text))

    def insert(self, place: int, text: str, rank: tuple[int, ...] = ()) -> None:
        """Put a text before a character; of several at one place, those of the lower rank come first."""
        if text:
            self._edits.append(_Edit(place, place, rank, len(self._edits), text))

    def apply(self) -> bytes:
        """The bytes of the file with the edits in it; new lines end as those of the file do."""
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
    """Where characters of the text stand in the raw one, which has a mark before them and longer line ends."""

    def __init__(self, raw: str) -> None:
        self._mark = int(raw.startswith("\ufeff"))
        self._long: list[int] = []  # the place of a line end, once for every character that it has too many
        for end in re.finditer("\r{1,2}\n", raw):
            self._long += [end.start() - self._mark - len(self._long)] * (len(end[0]) - 1)

    def raw(self, place: int) -> int:
        return place + self._mark + bisect_left(self._long, place)
