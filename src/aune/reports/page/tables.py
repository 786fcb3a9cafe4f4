"""The tables of the page: made by the same code as those of the commands, with links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np

from aune.contract.measure import Measure
from aune.reports import render_tables
from aune.reports.comparison import p_value
from aune.reports.errors import kinds_table
from aune.reports.page.schema import Cell, Confusion, Documents, Grid, Ranking
from aune.reports.paper import Value, columns_of, find_order, paper_tables
from aune.reports.tabular import UNDEFINED, Table, number, signature_lines, value_label

if TYPE_CHECKING:
    from aune.contract.error_record import ErrorRecord
    from aune.explain.analysis import Study
    from aune.results.result import Result
    from aune.statistics.comparison import Comparisons

COPIES = {"CSV": "csv", "Markdown": "markdown", "LaTeX": "latex"}
DIGITS = 6
MAX_LABELS = 30
NOTHING = "∅"
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer to 0 is better"}


def page_grid(table: Table, copies: Sequence[str] = tuple(COPIES)) -> Grid:
    """A table for the page, with the text that each button copies."""
    rows = [
        [Cell(text, best=(row, column) in table.best) for column, text in enumerate(cells)]
        for row, cells in enumerate(table.rows)
    ]
    copied_text = {name: render_tables(table, COPIES[name]) for name in copies}
    return Grid(
        list(table.flat_header if not table.over else table.header),
        rows,
        table.names,
        table.title,
        list(table.over),
        list(table.parts),
        [*table.notes, *signature_lines(table.signatures, "long")],
        copied_text,
    )


def address(view: str, **parameters: str) -> str:
    """An address in the page."""
    query = {name.replace("__", "."): value for name, value in parameters.items() if value}
    return f"#{view}?{urlencode(query, errors='backslashreplace')}"


# Scores.


def ranking(study: Study, test: Comparisons | None, baselines: Sequence[str], by: Value) -> Ranking:
    """The systems under one value, and which differences are significant."""
    result = study.result
    [plain] = paper_tables(result, test=test, rank_by=by, baselines=baselines)
    table = page_grid(plain)
    has_errors = study.task.explaining.errors is not None
    columns = columns_of(result, by)
    first = len(plain.header) - len(columns)
    chosen = first + columns.index(by)
    for row, scale in zip(table.rows, _intervals(result, by, [cells[1] for cells in plain.rows]), strict=True):
        system = row[1].text
        row[1].link = address("errors", system=system) if has_errors else ""
        row[chosen].interval = scale
        for cell, value in zip(row[first:], columns, strict=True):
            if value.name == value.measure.headline:
                cell.link = address("documents", a=system, measure=f"{value.measure.name} {value.name}")
    sentences = [f"Ranked by {value_label(by.measure, by.name)}: {DIRECTIONS[by.measure.better_of(by.name)]}."]
    if test:
        sentences.append(f"Intervals at {100 * test.settings['level']:g} %.")
    sentences.append("A value leads to its documents" + (", a system to its errors." if has_errors else "."))
    return Ranking(table, _differences(test, by, has_errors), " ".join(sentences))


def _intervals(result: Result, by: Value, systems: Sequence[str]) -> list[list[float]]:
    """The positions of each system's value and interval between the lowest and the highest end of all."""
    ends: list[list[float]] = []
    for system in systems:
        scored = result[system, by.measure.name]
        value, interval = scored.values[by.name], scored.intervals.get(by.name)
        ends.append([] if value is None else [min(interval[0], value), value, max(interval[1], value)] if interval else
                    [value] * 3)  # fmt: skip
    positions = [position for three in ends for position in three]
    low, wide = min(positions, default=0.0), (max(positions, default=1.0) - min(positions, default=0.0)) or 1.0
    return [[round((position - low) / wide, 4) for position in three] for three in ends]


def _differences(test: Comparisons | None, by: Value, has_errors: bool) -> Grid | None:
    """Every system against every other: row − column, and a star if they differ significantly."""
    order = find_order(test, by)
    if test is None or order is None or len(test.result.runs) < 2:
        return None
    systems = [rank.system for rank in order.ranks]
    pairs = {(pair.a, pair.b): pair for pair in test.pairs if (pair.measure, pair.value) == (by.measure.name, by.name)}
    rows, titles = [], []
    for row in systems:
        cells, notes = [row], [""]
        for column in systems:
            pair = pairs.get((row, column)) or pairs.get((column, row))
            if pair is None or pair.difference is None:
                cells.append("·" if row == column else UNDEFINED)
                notes.append("")
                continue
            signed = pair.difference if pair.a == row else -pair.difference
            sure = pair.p_holm is not None and pair.p_holm <= 1 - test.settings["level"] + 1e-12
            cells.append(("+" if signed > 0 else "") + number(signed, by.measure, 2) + " ★" * sure)
            notes.append(f"p (Holm) {p_value(pair.p_holm)}")
        rows.append(tuple(cells))
        titles.append(notes)
    plain = Table("", ("row − column", *systems), rows, notes=("★ the two differ significantly",))
    table = page_grid(plain)
    for row_name, cells_of_row, notes in zip(systems, table.rows, titles, strict=True):
        for column_name, cell, note in zip(["", *systems], cells_of_row, notes, strict=True):
            cell.title = note
            if note and has_errors and not test.result.has_runs:  # errors belong to single runs
                cell.link = address("errors", system=row_name, versus=column_name)
    return table


def documents(study: Study, measure: Measure, names: Sequence[str]) -> Documents:
    """The main value of every system on every document."""
    result = study.result
    values: dict[str, list[float | None]] = {}
    for system in result.systems:
        known = result[system, measure.name].by("document")
        values[system] = [known.get(name, {}).get(measure.headline) for name in names]
    formatted = {system: [number(value, measure, 2) for value in column] for system, column in values.items()}
    rows = [(name, *(formatted[system][place] for system in values)) for place, name in enumerate(names)]
    plain = Table(value_label(measure, measure.headline), ("document", *values), rows)
    return Documents(
        formatted,
        {system: [_round_value(value) for value in column] for system, column in values.items()},
        {system: [_worth(value, measure) for value in column] for system, column in values.items()},
        {name: render_tables(plain, COPIES[name]) for name in ("CSV",)},
    )


def _worth(value: float | None, measure: Measure) -> float | None:
    """The value with the sign that makes higher better."""
    return None if value is None else round(float(measure.goodness(np.array(value))), DIGITS)


def _round_value(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


# Errors.


def kinds(study: Study, system: str, measure: Measure) -> Grid:
    """The errors by kind, as `aune errors` prints them."""
    kind_counts = study.kinds(system, measure.name)
    table = page_grid(kinds_table("", kind_counts, measure))
    top = max((kind.errors for kind in kind_counts), default=1)
    for kind, cells in zip(kind_counts, table.rows, strict=False):
        cells[0].link = address("errors", system=system, f__kind=kind.kind)
        cells[1].interval = [0.0, kind.errors / top, kind.errors / top]
    return table


def confusion(system: str, cases: Sequence[ErrorRecord], right: Mapping[str, int], row: str, column: str) -> Confusion:
    """Expected against given labels: every error is counted, and the labels with most errors are shown."""
    counts = Counter((_facet(case, row), _facet(case, column)) for case in cases)
    by_kind = column == "kind"
    wrong: Counter[str] = Counter()
    for (expected, actual), times in counts.items():
        for label in {expected} if by_kind else {expected, actual}:
            if label:
                wrong[label] += times
    labels = sorted({*wrong, *(label for label, times in right.items() if times)},
                    key=lambda label: (-wrong[label], -right.get(label, 0), label))  # fmt: skip
    shown_labels = sorted(labels[:MAX_LABELS])
    rows = shown_labels if by_kind else [*shown_labels, ""]
    columns = ["right", *dict.fromkeys(case.kind for case in cases)] if by_kind else [*shown_labels, ""]
    top = max((times for (a, b), times in counts.items() if a in rows and b in columns and (by_kind or a != b)),
              default=1)  # fmt: skip
    header = (
        f"{row}\N{NO-BREAK SPACE}↓ what happened\N{NO-BREAK SPACE}→"
        if by_kind
        else "expected\N{NO-BREAK SPACE}↓ given\N{NO-BREAK SPACE}→",
        *(heading or "missed" for heading in columns),
    )
    body: list[list[Cell]] = []
    for expected in rows:
        cells = [Cell(expected or "spurious")]
        for actual in columns:
            times = counts.get((expected, actual), 0)
            is_right = actual == "right" if by_kind else expected == actual != ""
            link = address(
                "errors", system=system, **{f"f__{row}": expected or NOTHING, f"f__{column}": actual or NOTHING}
            )
            if is_right:
                text = str(right.get(expected, 0)) + (f" +{times}" if times and not by_kind else "")
                note = f"{times} with the right label are wrong in another way" if times and not by_kind else ""
                cells.append(Cell(text, right=True, link=link if note else "", title=note))
            elif times:
                cells.append(Cell(str(times), link=link, shade=round(times / top, 3)))
            else:
                cells.append(Cell(""))
        body.append(cells)
    plain = Table("", header, [tuple(cell.text for cell in cells) for cells in body])
    table = page_grid(plain)
    table.rows = body
    return Confusion(table, row, column, len(labels) - len(shown_labels))


def _facet(case: ErrorRecord, name: str) -> str:
    """A field or an attribute of an error, as text."""
    return str(getattr(case, name)) if name in case._fields else case.attributes.get(name, "")
