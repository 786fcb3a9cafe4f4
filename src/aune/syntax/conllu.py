r"""CoNLL-U and formats based on it: a node per line, comments that begin with #, an empty line after each sentence.

`records` returns comments and nodes with their positions; a format names the columns. Words are numbered (`8`),
multiword tokens are ranges of words (`8-9`), empty nodes come after a word (`8.1`).

>>> from aune.reading.corpus import Source
>>> source = Source("a.conllu", b"# newdoc id = a\n1-2\tdu\n1\tde\n2\tle\n2.1\t_\n")
>>> for record in records(source):
...     print(record)
Comment(number=1, name='newdoc', value='a')
Node(number=2, start=16, line='1-2\tdu', cells=['1-2', 'du'], word=1, minor=None, last=2, begins=True)
Node(number=3, start=23, line='1\tde', cells=['1', 'de'], word=1, minor=None, last=0, begins=True)
Node(number=4, start=28, line='2\tle', cells=['2', 'le'], word=2, minor=None, last=0, begins=False)
Node(number=5, start=33, line='2.1\t_', cells=['2.1', '_'], word=2, minor=1, last=0, begins=False)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from aune.reading.source import Source

WIDTH = 10
NODE = re.compile(r"(\d{1,9})(?:\.(\d{1,9})|-(\d{1,9}))?", re.ASCII)


class Comment(NamedTuple):
    """`# name = value`; `# newdoc id = x` has the name newdoc."""

    number: int
    name: str
    value: str


class Node(NamedTuple):
    """A word, a multiword token or an empty node."""

    number: int
    start: int
    """Where the line begins in the text."""
    line: str
    cells: list[str]
    word: int
    """Its number, or that of the word an empty node comes after, or of the first of a multiword token."""
    minor: int | None
    """The number of an empty node after its word; None for others."""
    last: int
    """The last word of a multiword token; 0 for others."""
    begins: bool
    """Whether it is the first word of a sentence; multiword tokens do not count."""


def comment(line: str) -> tuple[str, str]:
    """The name and the value of a comment line.

    >>> comment("# newdoc id = a"), comment("# global.Entity=eid-etype"), comment("# newdoc")
    (('newdoc', 'a'), ('global.Entity', 'eid-etype'), ('newdoc', ''))
    """
    name, _, value = line[1:].partition("=")
    name = name.strip()
    return "newdoc" if name.split() == ["newdoc", "id"] else name, value.strip()


def records(source: Source, width: int | None = None, blanks: bool = False) -> Iterator[Comment | Node]:
    """The comments and nodes of a file. Lines of another width or without a number are problems.

    Columns are separated by tabs; with `blanks`, by runs of blanks in lines without a tab. A sentence begins after an
    empty line or a comment, and at word 1 (or an empty node before it) if these are missing.
    """
    position, begins, words = 0, True, 0
    for number, line in source.lines():
        start, position = position, position + len(line) + 1
        if line[:1] == "#":
            begins = True
            yield Comment(number, *comment(line))
            continue
        if not line or line.isspace():
            begins = True
            continue
        cells = line.split() if blanks and "\t" not in line else line.split("\t")
        place = NODE.fullmatch(cells[0])
        if (width is not None and len(cells) != width) or not place:
            _tell_malformed(source, number, cells, width)
            continue
        word, minor = int(place[1]), int(place[2]) if place[2] else None
        if place[3]:
            yield Node(number, start, line, cells, word, None, int(place[3]), begins)
            continue
        begins = begins or (words > 0 and (cells[0] == "1" or (word == 0 and minor is not None)))
        if begins:
            words = 0
        words += minor is None
        yield Node(number, start, line, cells, word, minor, 0, begins)
        begins = False


def _tell_malformed(source: Source, number: int, cells: list[str], width: int | None) -> None:
    if width is not None and len(cells) != width:
        code, actual = "columns.count", f"{len(cells)} column{'s' * (len(cells) > 1)}"
        expected = f"the {width} columns of CoNLL-U, separated by tabs"
    else:
        code, actual = "word.bad-number", f"the word number {cells[0][:20]!r}"
        expected = "one such as 8, 8-9 or 8.1"
    source.add_problem(code, number, 1, found=actual, expected=expected, remedies=["correct the line"])
