"""Results as text: one module per format, each with `write(tables)` or `write(result)`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aune.core.options import check_known
from aune.reports.tabular import Table, tables

if TYPE_CHECKING:
    from aune.core.result import Result

FORMATS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html")
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".md": "markdown", ".tex": "latex",
            ".html": "html"}  # fmt: skip


def format_of(output: Path | None) -> str:
    """The format that a file's name asks for; a table when it says nothing."""
    return SUFFIXES.get(output.suffix, "table") if output else "table"


def written(result: Result, format: str, *, by: str | None = None, digits: int = 2, colour: bool = False) -> str:
    """A result in a format, as text."""
    check_known([format], FORMATS, "output format")
    if format in ("json", "jsonl"):
        from aune.reports import json  # noqa: PLC0415

        return json.write(result, by) if format == "json" else json.write_lines(result, by)
    if format in ("csv", "tsv"):
        from aune.reports import delimited  # noqa: PLC0415

        return delimited.write(result, by, "," if format == "csv" else "\t")
    return table_written(tables(result, by, digits), format, colour=colour)


def table_written(shown: Table | Sequence[Table], format: str, **options: Any) -> str:
    """Tables in one of the formats for people (or csv and tsv)."""
    check_known([format], [name for name in FORMATS if "json" not in name], "output format")
    found: list[Table] = [shown] if isinstance(shown, Table) else list(shown)
    if format in ("csv", "tsv"):
        from aune.reports import delimited  # noqa: PLC0415

        return delimited.write_tables(found, "," if format == "csv" else "\t")
    if format == "table":
        from aune.reports import text  # noqa: PLC0415

        return text.write(found, **options)
    if format == "markdown":
        from aune.reports import markdown  # noqa: PLC0415

        return markdown.write(found)
    if format == "latex":
        from aune.reports import latex  # noqa: PLC0415

        return latex.write(found)
    from aune.reports import html  # noqa: PLC0415

    return html.write(found)
