"""Tables with a heading, as spreadsheets write them: columns between tabs, commas or semicolons, text in quotes.

Rows come with the lines where they begin, since a cell in quotes may hold line ends. What is no table is a problem.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from aune.core.corpus import Source


class Row(NamedTuple):
    """A row, and the line of the file where it begins; without cells for a blank line."""

    line: int
    cells: list[str]


def rows(source: Source) -> Iterator[Row]:
    r"""The heading and every row after it.

    >>> [row.line for row in rows(Source("a.csv", b'id,text\n1,"two\nlines"\n\n2,one\n'))]
    [1, 2, 4, 5]
    """
    table = csv.reader(io.StringIO(source.text), delimiter=delimiter(source.head))
    after = 1
    try:
        for cells in table:
            begins, after = after, table.line_num + 1
            yield Row(source.line(begins), cells)
    except csv.Error as error:
        source.problem(source.line(max(table.line_num, 1)), 1, f"found {error}, expected a table: check the quotes")


def delimiter(head: str) -> str:
    """What stands between the columns of a table, by its heading."""
    first = head.partition("\n")[0]
    return "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
