"""Results and tables with a delimiter: a row per system, measure and value, in full precision.

A spreadsheet evaluates a cell that begins with =, +, - or @ (also full-width ones, in Japan) as a formula. Such text
gets an apostrophe, which marks text in spreadsheets, and characters that would control a terminal become visible.
Numbers stay as they are, and `raw` changes nothing.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from aune.errors import JOINERS, make_visible
from aune.reports.tabular import Table
from aune.results.result import Result, plain_value

FORMULA = re.compile(r"((?:^|;)\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20]|(?<=[\t\r\n]))")
"""Where a formula begins: at the start, after blanks, or after a semicolon, which separates cells in much of Europe."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?( ?%)?")


def iterate_parts(result: Result, by: str | None, delimiter: str, raw: bool = False) -> Iterator[str]:
    """The tidy records of a result; with `by`, a record per group."""
    if by:
        yield delimited_text([["system", by, "measure", "value", "score"]], delimiter, raw)
        yield from (delimited_text(rows, delimiter, raw) for rows in _group_rows(result, by))
        return
    records = result.records()
    if records:
        yield delimited_text([list(records[0]), *(record.values() for record in records)], delimiter, raw)


def _group_rows(result: Result, by: str) -> Iterator[list[tuple[Any, ...]]]:
    """A row per group and value, for a few thousand groups at a time."""
    for scored in result:
        scored.check_values_by(by)
        for chunk in scored.iterate_groups(by):
            columns = [list(map(plain_value, array.tolist())) for array in chunk.values.values()]
            yield [
                (scored.system, name, scored.name, value, number)
                for name, *row in zip(chunk.names, *columns, strict=True)
                for value, number in zip(chunk.values, row, strict=True)
            ]


def write_tables(tables: Sequence[Table], delimiter: str, raw: bool = False) -> str:
    return "".join(delimited_text([table.flat_header, *table.rows], delimiter, raw) for table in tables)


def delimited_text(rows: Iterable[Iterable[Any]], delimiter: str, raw: bool = False) -> str:
    """Rows as delimited text."""
    text = io.StringIO()
    safe_rows = rows if raw else (map(escape_formula, row) for row in rows)
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(safe_rows)
    return text.getvalue()


def escape_formula(cell: Any) -> Any:
    """A cell that no spreadsheet evaluates.

    >>> [escape_formula(cell) for cell in ("=1+1", "-2.5", "@me", -2.5, "plain", "a;=1")]
    ["'=1+1", '-2.5', "'@me", -2.5, 'plain', "a;'=1"]
    """
    if not isinstance(cell, str):
        return cell
    text = make_visible(cell, JOINERS + "\t\n")
    return text if NUMBER.fullmatch(text) else FORMULA.sub(_mark_as_text, text)


def _mark_as_text(match: re.Match[str]) -> str:
    """An apostrophe before everything else in the cell: spreadsheets may remove blanks before it."""
    return f";'{match[0][1:]}" if match[0].startswith(";") else f"'{match[0]}"
