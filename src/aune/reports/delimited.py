"""Results and tables with a delimiter: a row per system, measure and value, in full precision.

A spreadsheet takes a cell that begins with =, +, - or @ (wide ones too, in Japan) for a formula. Text that does is
given an apostrophe, which spreadsheets take for "this is text", and what would steer a terminal is shown; numbers are
left alone, and `raw` leaves everything as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from aune.errors import JOINERS, make_visible
from aune.reports.tabular import Table
from aune.results.result import Result

FORMULA = re.compile(r"((?:^|;)\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20]|(?<=[\t\r\n]))")
"""Where a formula begins: at the start, blanks or not, and behind a semicolon, which ends cells in half of Europe."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?( ?%)?")


def write(result: Result, by: str | None, delimiter: str, raw: bool = False) -> str:
    """The tidy records of a result; with `by`, a record per group."""
    records = list(_group_records(result, by)) if by else result.records()
    return (
        delimited_text([list(records[0]), *(record.values() for record in records)], delimiter, raw) if records else ""
    )


def _group_records(result: Result, by: str) -> Iterable[dict[str, Any]]:
    for scored in result:
        for name, values in scored.by(by).items():
            for value, number in values.items():
                yield {"system": scored.system, by: name, "measure": scored.name, "value": value, "score": number}


def write_tables(tables: Sequence[Table], delimiter: str, raw: bool = False) -> str:
    return "".join(delimited_text([table.flat_header, *table.rows], delimiter, raw) for table in tables)


def delimited_text(rows: Iterable[Iterable[Any]], delimiter: str, raw: bool = False) -> str:
    """Rows of anything as delimited text."""
    text = io.StringIO()
    safe_rows = rows if raw else (map(escape_formula, row) for row in rows)
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(safe_rows)
    return text.getvalue()


def escape_formula(cell: Any) -> Any:
    """A cell that no spreadsheet computes.

    >>> [escape_formula(cell) for cell in ("=1+1", "-2.5", "@me", -2.5, "plain", "a;=1")]
    ["'=1+1", '-2.5', "'@me", -2.5, 'plain', "a;'=1"]
    """
    if not isinstance(cell, str):
        return cell
    text = make_visible(cell, JOINERS + "\t\n")
    return text if NUMBER.fullmatch(text) else FORMULA.sub(_mark_as_text, text)


def _mark_as_text(match: re.Match[str]) -> str:
    """An apostrophe before everything else in the cell: blanks before it may be taken away."""
    return f";'{match[0][1:]}" if match[0].startswith(";") else f"'{match[0]}"
