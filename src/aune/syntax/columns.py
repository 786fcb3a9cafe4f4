r"""Columns: a token on each line, with cells separated by tabs; there may be blank lines and comments.

A line that only contains blanks is blank. A comment begins with `#` and has no filled cell after its first: the tabs
and blanks that spreadsheets add after it are ignored.

>>> [kind_of(line) for line in ("# newdoc id = a\t\t", " \t", "#\tSYM", "a\tb")] == [COMMENT, BLANK, ROW, ROW]
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

BLANK, COMMENT, ROW = range(3)
NEWDOC = re.compile(r"#\s*newdoc(?:\s+id)?(?:\s*=\s*(.*\S))?\s*")


def kind_of(line: str) -> int:
    if not line or line.isspace():
        return BLANK
    return COMMENT if line[0] == "#" and "\t" not in line.rstrip() else ROW


def kinds(lines: Iterable[str], size: int) -> NDArray[np.int8]:
    """The kind of each line."""
    return np.fromiter(map(kind_of, lines), np.int8, size)


def column_of(cells: Sequence[str], place: int) -> int:
    """The column at which each cell of a line begins, from 1, when a single character separates the cells."""
    return sum(map(len, cells[:place])) + len(cells[:place]) + 1


class Lines:
    """The lines of a text with their positions, for code that changes cells."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def cell(self, line: int, place: int) -> tuple[int, int]:
        """Where a cell begins and ends in the text; both are the end of the line if the line does not have the cell."""
        cells = self.lines[line - 1].split("\t")
        if place >= len(cells):
            end = self.starts[line - 1] + len(self.lines[line - 1])
            return end, end
        start = self.starts[line - 1] + column_of(cells, place) - 1
        return start, start + len(cells[place])
