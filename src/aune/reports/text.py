"""Tables in plain text, aligned, never cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aune.reports.tabular import Table, one_line

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
NUMBER = re.compile(r"^[−–\-+\d.,\[\] %±]*$")
COLUMN_GAP = "  "


def write(tables: Sequence[Table], colour: bool = False) -> str:
    """Tables one after the other, notes last."""
    blocks = []
    for table in tables:
        lines = [one_line(table.title)] if table.title else []
        lines += _lines(table, colour)
        blocks.append("\n".join(lines))
        if table.notes:
            blocks.append("\n".join(one_line(note) for note in table.notes))
    return "\n\n".join(blocks) + "\n"


def _lines(table: Table, colour: bool) -> list[str]:
    marks = {(row + 1, column) for row, column in table.best} if colour else set()
    lines = aligned([table.header, *table.rows], marks)
    for row in sorted(table.parts, reverse=True):
        lines.insert(row + 1, "")
    return [_over(table), *lines] if table.over else lines


def _over(table: Table) -> str:
    """The headings above the header, each where its first column begins."""
    widths = _widths([table.header, *table.rows])
    line, column = "", 0
    for name, columns in table.over:
        start = sum(widths[:column]) + len(COLUMN_GAP) * column
        line = line.ljust(start - (width(line) - len(line))) + one_line(name)
        column += columns
    return line


def aligned(rows: Sequence[Sequence[str]], bold: set[tuple[int, int]] | None = None) -> list[str]:
    """Lines with columns of equal width: the first row is the header, numbers to the right, words to the left.

    >>> aligned([("name", "score"), ("a", "7.50"), ("long name", "12.25")])
    ['name       score', 'a           7.50', 'long name  12.25']
    """
    rows = [[one_line(text) for text in row] for row in rows]
    widths = _widths(rows)
    right = [
        len(rows) > 1 and any(row[column] for row in rows[1:]) and all(NUMBER.match(row[column]) for row in rows[1:])
        for column in range(len(rows[0]))
    ]
    lines = []
    for index, row in enumerate(rows):
        cells = []
        for column, text in enumerate(row):
            space = " " * (widths[column] - width(text))
            shown = f"{BOLD}{text}{PLAIN}" if bold and (index, column) in bold else text
            cells.append(space + shown if right[column] else shown + space)
        lines.append(COLUMN_GAP.join(cells).rstrip())
    return lines


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(width(one_line(row[column])) for row in rows) for column in range(len(rows[0]))]


def width(text: str) -> int:
    """The columns that a text takes on a screen."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - only for text that needs it

    return cell_len(text)
