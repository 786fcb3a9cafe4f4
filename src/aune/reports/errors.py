"""Lists of errors as tables, JSON and CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from aune.contract.error_record import ErrorRecord
from aune.contract.measure import Measure
from aune.explain.analysis import ErrorSplit, KindSummary
from aune.reports import render_tables
from aune.reports.json import to_json
from aune.reports.tabular import Table, number, one_line
from aune.reports.text import fit_lines

NOTHING = "∅"
COLUMNS = ("document", "place", "kind", "key", "response", "cost", "context")


def kinds_table(title: str, kinds: Sequence[KindSummary], measure: Measure, digits: int = 2) -> Table:
    """A row per kind: the number of errors, their share and cost, and the gain of the score without them."""
    total = sum(kind.errors for kind in kinds)
    gains = any(kind.alone is not None for kind in kinds)
    name = f"{measure.name.rpartition('.')[2]} {measure.headline}"
    header = ("kind", "errors", "share", "cost", *((f"{name} alone", f"{name} in turn") if gains else ()))
    rows = [
        (
            kind.kind,
            str(kind.errors),
            f"{100 * kind.errors / total:.1f} %",
            f"{kind.cost:g}",
            *(
                (_format_gain(kind.alone, measure, digits), _format_gain(kind.in_turn, measure, digits))
                if gains
                else ()
            ),
        )
        for kind in kinds
    ]
    rows.append(
        ("all", str(total), "", f"{sum(kind.cost for kind in kinds):g}", *_total(kinds, measure, digits, gains))
    )
    notes = ("alone: gained when the errors of this kind alone are put right; in turn: after those of the kinds above",)
    return Table(title, header, rows, notes=notes if gains else ())


def _total(kinds: Sequence[KindSummary], measure: Measure, digits: int, gains: bool) -> tuple[str, ...]:
    return ("", _format_gain(sum(kind.in_turn or 0.0 for kind in kinds), measure, digits)) if gains else ()


def _format_gain(value: float | None, measure: Measure, digits: int) -> str:
    text = number(value, measure, digits)
    return f"+{text}" if value is not None and value > 0 else text


def versus_table(title: str, versus: ErrorSplit) -> Table:
    """A row per kind: the errors that the second system fixed, introduced, or has too."""
    counts = [Counter(case.kind for case in cases) for cases in versus]
    kinds = sorted(set().union(*counts), key=lambda kind: (-sum(count[kind] for count in counts), kind))
    rows = [(kind, *(str(count[kind]) for count in counts)) for kind in kinds]
    rows.append(("all", *(str(sum(count.values())) for count in counts)))
    return Table(title, ("kind", *ErrorSplit._fields), rows)


def cases_table(cases: Sequence[tuple[str, ErrorRecord]], title: str = "") -> Table:
    """A row per error; the first item of each pair is what changed between two systems, '' for one."""
    several = any(status for status, _ in cases)
    rows = [(*([status] if several else []), *_cells(case)) for status, case in cases]
    return Table(title, (*(["status"] if several else []), *COLUMNS), rows, len(COLUMNS))


def _cells(case: ErrorRecord) -> tuple[str, ...]:
    place = f"{case.place[0]}:{case.place[1]}"
    return (case.document, place, case.kind, case.key, case.response, f"{case.cost:g}", case.context)


def record(status: str, case: ErrorRecord) -> dict[str, Any]:
    """An error as plain data."""
    fields = {**case._asdict(), "place": list(case.place), "attributes": dict(case.attributes)}
    return {"status": status, **fields} if status else fields


def write(
    summary: Table,
    cases: Sequence[tuple[str, ErrorRecord]],
    head: dict[str, Any],
    kinds: Sequence[KindSummary],
    format: str,
    limit: int | None,
    colour: bool = False,
    width: int | None = None,
    total: int | None = None,
) -> str:
    """The errors in a format: `table`, `json`, `csv`, or another format for tables. `total` is the number of errors if
    not all of them are given.
    """
    shown_cases = list(cases) if limit is None else list(cases)[:limit]
    if format == "json":
        kind_records = [kind._asdict() for kind in kinds]
        report = {
            **head,
            "kinds": kind_records,
            "shown": len(shown_cases),
            "cases": [record(*entry) for entry in shown_cases],
        }
        return to_json(report, indent=1)
    listing = cases_table(shown_cases)
    if format in ("csv", "tsv"):
        return render_tables(listing, format)
    total = len(cases) if total is None else total
    hidden = total - len(shown_cases)
    notes = (f"{hidden} more: --limit {total} shows all, --kind some",) if hidden > 0 else ()
    listing = listing._replace(notes=notes)
    if shown_cases and format == "table" and width and any(len(line) > width for line in fit_lines(listing, None)):
        return render_tables(summary, format, colour=colour, width=width) + "\n" + _cards(shown_cases, notes, width)
    return render_tables([summary, listing] if shown_cases else summary, format, colour=colour, width=width)


def _cards(cases: Sequence[tuple[str, ErrorRecord]], notes: Sequence[str], width: int) -> str:
    """The same list for a narrow screen: a few lines for each error."""
    lines: list[str] = []
    for status, case in cases:
        document, place, kind, key, response, cost, context = _cells(case)
        lines += wrap(f"{document} {place}  {kind}, cost {cost}" + (f", {status}" if status else ""), width)
        for name, text in (("key", key or NOTHING), ("response", response or NOTHING), ("context", context)):
            lines += wrap(one_line(text), width, initial_indent=f"  {name:9}", subsequent_indent=" " * 11)
        lines.append("")
    return "\n".join([*lines, *notes]).rstrip("\n") + "\n"
