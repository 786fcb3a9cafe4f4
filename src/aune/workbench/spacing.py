"""Recover the white space between words from a file, for formats whose text is interleaved with markup or comments.

Documents of these formats keep their words but not the characters between them. The text of the file, stripped of
markup, is followed word by word; where this fails, the white space is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from aune.reading.source import Source

TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
SACR_REMARK = re.compile(r"^(?:#.*|\*+)$", re.MULTILINE)
SACR_OPENED = re.compile(r"(?<!\\)\{[-\w]+(?::(?:,?[-\w]+=(?:\"(?:[^\"\\]|\\.)*\"|[^\s,\"]*))+)?\s?|(?<!\\)\}")
SACR_ESCAPED = re.compile(r"\\([{}#\\])")
TEXT_LINE = re.compile(r"^# text = ?(.*)$", re.MULTILINE)
BLANKS = re.compile(r"\s*")
LOOKAHEAD = 5  # words that must match to find the position in the text again


def bare_text(source: Source, format: str) -> str:
    """The text of a file without markup; '' for formats that are not supported."""
    if format in ("muc", "muc_sgml", "quaero"):
        return unescape(TAG.sub("", source.text))
    if format == "sacr":
        return SACR_ESCAPED.sub(r"\1", SACR_OPENED.sub("", SACR_REMARK.sub("", source.text)))
    if format in ("corefud", "conllua", "conllu"):
        return "\n".join(TEXT_LINE.findall(source.text))
    return ""


class Follower:
    """A position in a text that advances with its words, document after document."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def gaps(self, words: Sequence[str]) -> list[str | None]:
        """The gap before each word: nothing, a blank, or an empty line; None where the text cannot be followed."""
        return list(self._gaps(words)) if self.text else [None] * len(words)

    def _gaps(self, words: Sequence[str]) -> Iterator[str | None]:
        for number, word in enumerate(words):
            start = self._behind_blanks()
            if word and self.text.startswith(word, start):
                yield _shape(self.text[self.place : start])
                self.place = start + len(word)
                continue
            place = self._find_again(words[number : number + LOOKAHEAD], number == 0) if word else None
            if place is not None:
                self.place = place + len(word)
            yield None

    def _behind_blanks(self) -> int:
        blanks = BLANKS.match(self.text, self.place)
        return blanks.end() if blanks else self.place

    def _find_again(self, words: Sequence[str], anywhere: bool) -> int | None:
        """The position where the next words follow each other: nearby, or anywhere at the beginning of a document."""
        end = len(self.text) if anywhere else min(len(self.text), self.place + 2_000)
        match = re.compile(r"\s*".join(map(re.escape, words))).search(self.text, self.place, end)
        return match.start() if match else None


def _shape(gap: str) -> str:
    return "\n\n" if gap.count("\n") > 1 else " " if gap else ""
