"""Tables with a header, as spreadsheets write them: columns separated by tabs, commas or semicolons, text in quotes.

Rows come with the lines where they begin, since a cell in quotes may contain line ends. Anything else is a problem.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from aune.reading.source import Source

csv.field_size_limit(
    2**31 - 1
)  # a transcript may be longer than Python's 131,072 characters; the whole file is in memory


class Row(NamedTuple):
    """A row, and the line of the file where it begins; without cells for a blank line."""

    line: int
    cells: list[str]


def rows(source: Source) -> Iterator[Row]:
    r"""The header and every row after it.

    >>> [row.line for row in rows(Source("a.csv", b'id,text\n1,"two\nlines"\n\n2,one\n'))]
    [1, 2, 4, 5]
    """
    table = csv.reader(io.StringIO(source.text), delimiter=delimiter(source.head))
    after = 1
    try:
        for cells in table:
            begins, after = after, table.line_num + 1
            yield Row(source.file_line(begins), cells)
    except csv.Error as error:
        source.add_problem(
            "table.malformed",
            source.file_line(max(table.line_num, 1)),
            1,
            found=str(error),
            expected="a table",
            remedies=["check the quotes"],
        )


def records(source: Source) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    r"""The names in the header, and the rows by these names, each with the line where it begins.

    Rows that are not as wide as the header are problems; blank lines are skipped.

    >>> names, found = records(Source("a.csv", b"system,score\nA,1\n\n"))
    >>> names, list(found)
    (['system', 'score'], [(2, {'system': 'A', 'score': '1'})])
    """
    table_rows = rows(source)
    names = [name.strip() for name in next(table_rows, Row(1, [])).cells]
    return names, _records(source, names, table_rows)


def _records(source: Source, names: list[str], table_rows: Iterator[Row]) -> Iterator[tuple[int, dict[str, str]]]:
    for line, cells in table_rows:
        if len(cells) == len(names):
            yield line, dict(zip(names, cells, strict=True))
        elif cells:
            source.add_problem(
                "columns.count",
                line,
                1,
                found=f"{len(cells)} cells",
                expected=f"the {len(names)} of the heading",
                remedies=["quote text that has separators"],
            )


def delimiter(head: str) -> str:
    """The separator of the columns of a table, by its header."""
    first = head.partition("\n")[0]
    return "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
