"""Quotations: the text of a span according to its file, compared with the text at its position."""

from __future__ import annotations

from collections.abc import Mapping

from aune.reading.source import Source

MISQUOTED = "spans that quote other words"


def check_quotation(source: Source, quoted: object, covered: str, line: int) -> None:
    """Note a span whose quotation differs from the text at its position; blanks are ignored.

    >>> source = Source("a.jsonl", b"")
    >>> check_quotation(source, "New  York", "New York", 1)
    >>> check_quotation(source, "York", "New Yor", 2)
    >>> source.warnings
    ['a.jsonl: 1 span quotes other words than the text has at its place (first at line 2): check the offsets']
    """
    if isinstance(quoted, str) and "".join(quoted.split()) != "".join(covered.split()):
        source.add_note(MISQUOTED, _misquoted_note, {"spans": 1}, line)


def _misquoted_note(counts: Mapping[str, int], line: int) -> str:
    number = counts["spans"]
    spans, places = ("1 span quotes", "its place") if number == 1 else (f"{number} spans quote", "their places")
    return f"{spans} other words than the text has at {places} (first at line {line}): check the offsets"
