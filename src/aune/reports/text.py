"""Tables in plain text, aligned, never truncated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from tempfile import TemporaryFile
from textwrap import wrap

from aune.reports.tabular import Table, one_line

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
NUMBER = re.compile(r"^[−–\-+\d.,\[\] %±]*$")
COLUMN_GAP = "  "


MOST_ROWS = 20_000  # rows of a table whose lines are made together; those of a longer table are stored on disk


def write(tables: Sequence[Table], colour: bool = False, width: int | None = None) -> str:
    """Consecutive tables, notes last; for a screen of some width, in parts that fit."""
    return "".join(iterate_parts(tables, colour, width))


def iterate_parts(tables: Sequence[Table], colour: bool = False, width: int | None = None) -> Iterator[str]:
    """As `write`, part by part, with bounded memory however many rows a table has."""
    separator = ""
    for table in tables:
        is_long = len(table.rows) > MOST_ROWS
        for part in parts_that_fit(table, width) if width and not is_long else [table]:
            lines = [one_line(part.title)] if part.title else []
            yield separator
            if is_long:
                yield from _long_lines(part, lines)
            else:
                yield "\n".join([*lines, *_lines(part, colour)])
            separator = "\n\n"
        if table.notes:
            yield separator + "\n".join(one_line(note) for note in table.notes)
            separator = "\n\n"
    yield "\n"


def _long_lines(table: Table, above: Sequence[str]) -> Iterator[str]:
    """The lines of a table of very many rows: they are computed once, stored on disk, and aligned from there."""
    header = [one_line(text) for text in table.header]
    widths, are_numbers = [0] * len(header), [True] * len(header)
    with TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        for row in table.rows:
            cells = [one_line(text) for text in row]
            file.write("\t".join(cells) + "\n")
            widths = [max(size, width(text)) for size, text in zip(widths, cells, strict=True)]
            are_numbers = [was and bool(NUMBER.match(text)) for was, text in zip(are_numbers, cells, strict=True)]
        widths = _widen(table, [max(size, width(text)) for size, text in zip(widths, header, strict=True)])
        yield "\n".join([*above, *([_over(table, widths)] if table.over else []), _align(header, widths, are_numbers)])
        file.seek(0)
        for line in file:
            yield "\n" + _align(line.removesuffix("\n").split("\t"), widths, are_numbers)


def _align(cells: Sequence[str], widths: Sequence[int], are_numbers: Sequence[bool]) -> str:
    """One line: numbers to the right, words to the left."""
    parts = []
    for text, size, is_number in zip(cells, widths, are_numbers, strict=True):
        space = " " * (size - width(text))
        parts.append(space + text if is_number else text + space)
    return COLUMN_GAP.join(parts).rstrip()


def _lines(table: Table, colour: bool) -> list[str]:
    marks = {(row + 1, column) for row, column in table.best} if colour else set()
    lines = align_columns([table.header, *table.rows], marks, _columns(table))
    for row in sorted(table.parts, reverse=True):
        lines.insert(row + 1, "")
    return [_over(table), *lines] if table.over else lines


def fit_lines(table: Table, width: int | None) -> list[str]:
    """The lines of a table without colours, in parts that fit."""
    return write([table], width=width).rstrip("\n").split("\n")


MIN_WIDTH = 14  # columns to which text is folded at most


def parts_that_fit(table: Table, screen: int) -> list[Table]:
    """A table as tables that are not wider than the screen: long text is wrapped, then columns go to other tables, each
    with the columns that name its rows. No cell is lost.

    >>> wide = Table("t", ("name", "one", "two"), [("a", "1.00", "2.00")])
    >>> [(part.title, part.header) for part in parts_that_fit(wide, 10)]
    [('t', ('name', 'one')), ('', ('name', 'two'))]
    """
    folded = _fold_table(table, screen)
    leading = range(table.names)
    groups: list[list[int]] = [[]]
    for column in range(table.names, len(table.header)):
        widths = _columns(folded.select_columns([*leading, *groups[-1], column], titled=False))
        if groups[-1] and sum(widths) + len(COLUMN_GAP) * (len(widths) - 1) > screen:
            groups.append([])
        groups[-1].append(column)
    return [folded.select_columns([*leading, *group], titled=place == 0) for place, group in enumerate(groups)]


def _fold_table(table: Table, screen: int) -> Table:
    """The table with its widest text columns wrapped to several lines, if it is wider than the screen."""
    widths = _widths([table.header, *table.rows])
    words = {
        column for column in range(table.names, len(widths)) if not all(NUMBER.match(row[column]) for row in table.rows)
    }
    available = screen - len(COLUMN_GAP) * (len(widths) - 1)

    def total(most: int) -> int:
        return sum(
            min(column_width, most) if column in words else column_width for column, column_width in enumerate(widths)
        )

    most = next((most for most in range(max(widths), MIN_WIDTH, -1) if total(most) <= available), MIN_WIDTH)
    limits = {column: most for column in words if widths[column] > most}
    rows: list[tuple[str, ...]] = []
    starts: list[int] = []
    for row in table.rows:
        cells = [wrap(text, limits[column]) if column in limits else [text] for column, text in enumerate(row)]
        starts.append(len(rows))
        rows += zip_longest(*(cell or [""] for cell in cells), fillvalue="")
    best = frozenset((starts[row], column) for row, column in table.best)
    return table._replace(rows=rows, best=best, parts=tuple(starts[row] for row in table.parts))


def _over(table: Table, widths: Sequence[int] = ()) -> str:
    """The headings above the header, each at the beginning of its first column."""
    widths = widths or _columns(table)
    line, column = "", 0
    for name, columns in table.over:
        start = sum(widths[:column]) + len(COLUMN_GAP) * column
        line = line.ljust(start - (width(line) - len(line))) + one_line(name)
        column += columns
    return line


def _columns(table: Table) -> list[int]:
    """The widths of the columns, with space for the names above them."""
    return _widen(table, _widths([table.header, *table.rows]))


def _widen(table: Table, widths: list[int]) -> list[int]:
    """Widths of columns with space for the names above them."""
    end = 0
    for name, columns in table.over:
        start, end = end, end + columns
        widths[end - 1] += max(0, width(one_line(name)) - sum(widths[start:end]) - len(COLUMN_GAP) * (columns - 1))
    return widths


def align_columns(
    rows: Sequence[Sequence[str]], bold: set[tuple[int, int]] | None = None, widths: Sequence[int] = ()
) -> list[str]:
    """Lines with columns of equal width: the first row is the header, numbers to the right, words to the left.

    >>> align_columns([("name", "score"), ("a", "7.50"), ("long name", "12.25")])
    ['name       score', 'a           7.50', 'long name  12.25']
    """
    rows = [[one_line(text) for text in row] for row in rows]
    widths = widths or _widths(rows)
    is_number = [
        len(rows) > 1 and any(row[column] for row in rows[1:]) and all(NUMBER.match(row[column]) for row in rows[1:])
        for column in range(len(rows[0]))
    ]
    lines = []
    for index, row in enumerate(rows):
        cells = []
        for column, text in enumerate(row):
            space = " " * (widths[column] - width(text))
            styled = f"{BOLD}{text}{PLAIN}" if bold and (index, column) in bold else text
            cells.append(space + styled if is_number[column] else styled + space)
        lines.append(COLUMN_GAP.join(cells).rstrip())
    return lines


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(width(one_line(row[column])) for row in rows) for column in range(len(rows[0]))]


def width(text: str) -> int:
    """The display width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - only for text that needs it

    return cell_len(text)
