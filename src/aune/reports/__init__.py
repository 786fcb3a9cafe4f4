"""Results as text: one module per format, each with `write(tables)` or `write(result)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aune.contract.options import MOST_DIGITS, check_known
from aune.errors import UsageError
from aune.reading.argument_checks import forwards_options_to
from aune.reports.tabular import MAX_COLUMNS, SIGNATURE_STYLES, Table, signature_lines, usual_tables
from aune.results.result import Result
from aune.results.rows import resolve_attribute

if TYPE_CHECKING:
    from aune.statistics.comparison import Comparisons

FORMATS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html")
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".md": "markdown", ".tex": "latex",
            ".html": "html", ".htm": "html", ".txt": "table", "": "table"}  # fmt: skip
SIGNED_FORMATS = ("table", "markdown", "latex", "html")
"""Formats that print signatures below the tables."""
LABEL = re.compile(r"[\w:.+-]*")
DELIMITERS = {"csv": ",", "tsv": "\t"}


def format_of(output: Path | None) -> str:
    """The format that a file's name indicates; a table if it indicates none."""
    suffix = output.suffix.lower() if output else ""
    if suffix not in SUFFIXES:
        known = ", ".join(filter(None, SUFFIXES))
        raise UsageError(f"{output}: nothing here is written as {suffix}: expected one of {known}, or a --format")
    return SUFFIXES[suffix]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a result is laid out for readers."""

    name: str = "usual"
    """usual, or paper: a row per system."""
    by: str | None = None
    """The attribute to break the scores down by."""
    digits: int = 2
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The values to show of a measure, by its full name; all values of other measures."""
    test: Comparisons | None = None
    """Comparisons of the systems, for the letters of a paper's table."""
    baselines: Sequence[str] = ()
    """Systems that are listed separately in a paper's table."""
    raw: bool = False
    """Whether csv and tsv keep text that a spreadsheet would evaluate."""
    signature: str | None = None
    """long, short or none; by default short in tables for a screen, and long in the other formats."""
    caption: str = ""
    """The caption of a LaTeX table, as plain text; by default it names the task, the systems and the key."""
    label: str = ""
    """The label of a LaTeX table, such as tab:results."""

    def __post_init__(self) -> None:
        if type(self.digits) is not int or not 0 <= self.digits <= MOST_DIGITS:
            raise UsageError(f"digits {self.digits!r}: expected a whole number, 0 to {MOST_DIGITS}")
        if self.signature is not None:
            check_known([self.signature], SIGNATURE_STYLES, "signature")
        if not LABEL.fullmatch(self.label):
            raise UsageError(f"label {self.label!r}: expected letters, digits and : . _ - such as tab:results")


LAYOUTS = ("usual", "paper")


@forwards_options_to(Layout)
def render(result: Result, format: str, *, colour: bool = False, width: int | None = None, **layout: Any) -> str:
    """A result in a format, as text. `colour` and `width` are those of a screen; the others are those of `Layout`."""
    return "".join(render_parts(result, format, colour=colour, width=width, **layout))


def render_parts(
    result: Result, format: str, *, colour: bool = False, width: int | None = None, **layout: Any
) -> Iterator[str]:
    """As `render`, part by part: breakdowns in JSON, CSV and text tables may be larger than memory."""
    check_known([format], FORMATS, "output format")
    settings = Layout(**layout)
    if settings.signature and format not in SIGNED_FORMATS:
        raise UsageError(f"signature {settings.signature}: acts on {', '.join(SIGNED_FORMATS)}, not on {format}")
    for name in ("caption", "label"):
        if getattr(settings, name) and format != "latex":
            raise UsageError(f"{name}: acts on latex, not on {format}")
    if settings.by:
        attributes = {name for scored in result for name in scored.rows.attributes}
        settings = replace(settings, by=resolve_attribute(settings.by, attributes))
    check_known([settings.name], LAYOUTS, "layout")
    if settings.by and (settings.by != "document" or "json" not in format):  # JSON has the counts of all documents
        for scored in result:
            scored.check_values_by(settings.by)
    if format in ("json", "jsonl"):
        from aune.reports import json  # noqa: PLC0415

        write = json.iterate_parts if format == "json" else json.iterate_lines
        yield from write(result, settings.by)
        return
    if format in ("csv", "tsv") and settings.name == "usual":
        from aune.reports import delimited  # noqa: PLC0415

        yield from delimited.iterate_parts(result, settings.by, DELIMITERS[format], settings.raw)
        return
    shown = _tables(result, settings)
    if format == "table":
        from aune.reports import text  # noqa: PLC0415

        yield from text.iterate_parts([_sign(table, settings.signature or "short") for table in shown], colour, width)
        return
    if settings.caption or settings.label:
        first = shown[0]
        shown[0] = first._replace(caption=settings.caption or first.caption, label=settings.label or first.label)
    yield render_tables(shown, format, colour=colour, width=width, raw=settings.raw, signature=settings.signature)


def _tables(result: Result, layout: Layout) -> list[Table]:
    if result.has_runs and not layout.by:
        from aune.reports.runs import run_tables  # noqa: PLC0415

        check_known(layout.baselines, result.runs, "baseline among the systems")
        return run_tables(result, layout.digits, layout.values, layout.baselines)
    if layout.name == "usual" and not layout.by and len(result.systems) <= MAX_COLUMNS:
        return usual_tables(result, layout.digits, layout.values)
    from aune.reports.paper import paper_tables, tables  # noqa: PLC0415

    if layout.name == "usual":
        return tables(result, layout.by, layout.digits, layout.values)
    return paper_tables(
        result,
        by=layout.by,
        test=layout.test,
        baselines=layout.baselines,
        values=layout.values,
        digits=layout.digits,
    )


def render_tables(
    tables: Table | Sequence[Table],
    format: str,
    *,
    colour: bool = False,
    width: int | None = None,
    raw: bool = False,
    styled: bool = True,
    signature: str | None = None,
) -> str:
    """Tables in one of the formats for people (or csv and tsv)."""
    check_known([format], [name for name in FORMATS if "json" not in name], "output format")
    table_list: list[Table] = [tables] if isinstance(tables, Table) else list(tables)
    if format in DELIMITERS:
        from aune.reports import delimited  # noqa: PLC0415

        return delimited.write_tables(table_list, DELIMITERS[format], raw)
    style = signature or ("short" if format == "table" else "long")
    if format == "latex":
        from aune.reports import latex  # noqa: PLC0415

        return latex.write(table_list, style)
    table_list = [_sign(table, style) for table in table_list]
    if format == "table":
        from aune.reports import text  # noqa: PLC0415

        return text.write(table_list, colour, width)
    if format == "markdown":
        from aune.reports import markdown  # noqa: PLC0415

        return markdown.write(table_list)
    from aune.reports import html  # noqa: PLC0415

    return html.write(table_list, styled)


def _sign(table: Table, style: str) -> Table:
    """The table with its signatures among the notes."""
    return table._replace(notes=(*table.notes, *signature_lines(table.signatures, style)), signatures=())
