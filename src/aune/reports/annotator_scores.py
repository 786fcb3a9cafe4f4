"""Systems and people under the keys of several annotators, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aune.contract.measure import Measure
from aune.reports.tabular import Table, cell, value_label
from aune.statistics.annotator_keys import AnnotatorScore, AnnotatorScores, People, Summary

MOST_ANNOTATORS = 8  # annotators that have a column each; JSON has all
NOTES = (
    "expected: the mean over annotators; best: under the key most favourable to the row; soft: each item weighs the "
    "share of the annotators who have it",
    "people: each annotator against the others, who are one fewer than for systems, on average: the human ceiling",
)


def annotator_tables(
    result: AnnotatorScores, digits: int = 2, values: Mapping[str, Sequence[str]] | None = None
) -> list[Table]:
    """A table for each value: by default the main ones, or those named by measure."""
    rows: list[AnnotatorScore | People] = [*result.scores, *result.people]
    shown = [row for row in rows if _is_shown(row.measure, row.value, values or {})]
    names = dict.fromkeys((row.measure.name, row.value) for row in shown)
    tables = [_table(result, [row for row in shown if (row.measure.name, row.value) == name], digits) for name in names]
    return [*tables[:-1], tables[-1]._replace(notes=NOTES if result.people else NOTES[:1])]


def _is_shown(measure: Measure, value: str, values: Mapping[str, Sequence[str]]) -> bool:
    return value in (values.get(measure.name) or [measure.headline])


def _table(result: AnnotatorScores, rows: Sequence[AnnotatorScore | People], digits: int) -> Table:
    """One value: a row per system, then for people together, and for each person."""
    measure, value = rows[0].measure, rows[0].value
    annotators = list(result.annotators) if len(result.annotators) <= MOST_ANNOTATORS else []
    lines: list[tuple[str, ...]] = []
    for row in rows:
        if isinstance(row, AnnotatorScore):
            lines.append(_line(row.system, row, annotators, digits))
        else:
            summary = _summary_cells(row.summary, measure, digits, row.interval)
            lines.append(("people", *("" for _ in annotators), *summary))
            persons = row.persons if annotators else ()
            lines += [_line(f"· {person.system}", person, annotators, digits) for person in persons]
    title = f"{result.task}: {value_label(measure, value)}, {len(result.annotators)} annotators as the key"
    return Table(title, ("system", *annotators, *Summary._fields), lines)


def _line(name: str, row: AnnotatorScore, annotators: Sequence[str], digits: int) -> tuple[str, ...]:
    cells = [
        cell(row.by_annotator[annotator], row.measure, digits) if annotator in row.by_annotator else ""
        for annotator in annotators
    ]
    return (name, *cells, *_summary_cells(row.summary, row.measure, digits, row.interval))


def _summary_cells(
    summary: Summary, measure: Measure, digits: int, interval: tuple[float, float] | None
) -> tuple[str, ...]:
    return (
        cell(summary.expected, measure, digits, interval),
        cell(summary.best, measure, digits),
        cell(summary.soft, measure, digits),
    )
