"""Results and tables with a delimiter: a row per system, measure and value, in full precision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from aune.core.result import Result
from aune.reports.tabular import Table


def write(result: Result, by: str | None, delimiter: str) -> str:
    """The tidy records of a result; with `by`, a record per group."""
    records = list(_by(result, by)) if by else result.records()
    if any(scored.intervals for scored in result) and not by:
        for record in records:
            low, high = result[record["system"], record["measure"]].intervals.get(record["value"]) or ("", "")
            record |= {"low": low, "high": high}
    return separated([list(records[0]), *(record.values() for record in records)], delimiter) if records else ""


def _by(result: Result, by: str) -> Iterable[dict[str, Any]]:
    for scored in result:
        for name, values in scored.by(by).items():
            for value, number in values.items():
                yield {"system": scored.system, by: name, "measure": scored.name, "value": value, "score": number}


def write_tables(tables: Sequence[Table], delimiter: str) -> str:
    return "".join(separated([table.header, *table.rows], delimiter) for table in tables)


def separated(rows: Iterable[Iterable[Any]], delimiter: str) -> str:
    """Rows of anything as delimited text."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()
