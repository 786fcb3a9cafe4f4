"""Results laid out as tables, for every format that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.alignment.records import LAID
from aune.core import registry
from aune.core.errors import visible
from aune.core.measure import Measure
from aune.core.result import Result, Scored
from aune.core.rows import Attribute
from aune.core.signature import Signature
from aune.statistics.intervals import units_of

UNDEFINED = "–"


class Table(NamedTuple):
    """Cells as text, the number of leading columns that name things, and which cells hold the best values."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    names: int = 1
    best: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str, ...] = ()
    over: tuple[tuple[str, int], ...] = ()
    """A line of headings above the header, each with the number of columns it covers; they cover all."""
    parts: tuple[int, ...] = ()
    """The rows that begin a new part of the table."""

    @property
    def flat_header(self) -> tuple[str, ...]:
        """The header on one line, for formats that have but one."""
        above = [name for name, columns in self.over for _ in range(columns)] or [""] * len(self.header)
        return tuple(" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(above, self.header, strict=True))

    def only(self, columns: Sequence[int], titled: bool = True) -> Table:
        """Some columns of the table."""
        above = [name for name, covered in self.over for _ in range(covered)]
        kept = groupby(above[column] for column in columns) if above else ()
        over = tuple((name, len(list(same))) for name, same in kept)
        best = frozenset((row, columns.index(column)) for row, column in self.best if column in columns)
        rows = [tuple(row[column] for column in columns) for row in self.rows]
        header = tuple(self.header[column] for column in columns)
        return self._replace(title=self.title if titled else "", header=header, rows=rows, best=best, over=over)


def one_line(text: str) -> str:
    """Text without line ends or anything else that a hostile name could end a cell, a comment or a screen with."""
    return visible(" ".join(text.splitlines()))


def listed(rows: Sequence[Mapping[str, Any]], title: str, notes: tuple[str, ...] = ()) -> Table:
    """Rows with the same names of columns, shares in percent."""
    if any(isinstance(value, float) for row in rows for value in row.values()):
        notes = ("values × 100", *notes)
    header = tuple(name.replace("_", " ") for name in rows[0]) if rows else ()
    cells = [tuple(one_line(_plain(value)) for value in row.values()) for row in rows]
    return Table(title, header, cells, names=2, notes=notes)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    if value is None:
        return UNDEFINED
    return f"{100 * value:.2f}" if isinstance(value, float) else str(value) or "∅"


Chosen: TypeAlias = Mapping[str, Sequence[str]]
"""The values to show of a measure, by its name; all of those of measures that are not in it."""


def usual_tables(result: Result, digits: int = 2, values: Chosen = MappingProxyType({})) -> list[Table]:
    """The tables that show a result: a row per measure or value, and a column per system where there are several."""
    several = len(result.systems) > 1
    tables = [_systems_in_columns(result, digits, values)] if several else _one_system(result, digits, values)
    return [*tables[:-1], tables[-1]._replace(notes=(*tables[-1].notes, *notes(result)))]


def named(measure: Measure, value: str) -> str:
    """A value as people call it: `muc f1`, but `wer` and not `wer wer`."""
    return " ".join(dict.fromkeys([measure.short, value]))


def cell(value: float | None, measure: Measure, digits: int, interval: tuple[float, float] | None = None) -> str:
    """A value as tables show it: in percent where the measure is a share, with its interval if it has one."""
    shown = number(value, measure, digits)
    if interval is None or value is None:
        return shown
    low, high = (number(bound, measure, digits) for bound in interval)
    return f"{shown} [{low}, {high}]"


def number(value: float | None, measure: Measure, digits: int) -> str:
    if value is None:
        return UNDEFINED
    text = f"{100 * value:.{digits}f}" if measure.percent else f"{value:.{digits + 2}f}"
    return text.replace("-", "−") if float(text) else text.removeprefix("-")


def _cell_of(scored: Scored, value: str, digits: int) -> str:
    return cell(scored.values[value], scored.measure, digits, scored.intervals.get(value))


def title_of(result: Result) -> str:
    """The task, the key with its format and how much of it there is."""
    key = next((one for one in result.inputs if one.role == "key"), None)
    if not key or not key.path:
        return f"{result.task}: {extent(result)}"
    others = sorted({one.format for one in result.inputs if one.format and one.format != key.format})
    read_as = f"{key.format}; responses {', '.join(others)}" if others else key.format
    return f"{result.task}: {key.path} ({read_as}), {extent(result)}"


def extent(result: Result) -> str:
    """How much the key holds, each thing called what it is: documents, or utterances and the documents they are in."""
    key = next((one for one in result.inputs if one.role == "key"), None)
    count = key.documents if key else 0
    if result.scores and registry.task(result.task).part == "utterance":
        return _spoken(result.scores[0], count)
    numbers = {one.counts["cases"] for one in result if "cases" in one.counts}
    cases = {f"{number:,.10g} case{'s' * (number != 1)}" for number in numbers}
    many = ", " + cases.pop() if len(cases) == 1 else ""  # where systems cut the text themselves, each has its own
    return _counted(count, "document") + many


def _spoken(scored: Scored, texts: int) -> str:
    """How many utterances there are, and documents where these are others; a text of the key may hold several."""
    names, homes = (scored.rows.attributes.get(name, ()) for name in ("utterance", "document"))
    utterances = max(texts, units_of(scored, "utterance")) if len(scored.rows) > texts else texts
    apart = not (isinstance(homes, Attribute) and homes.same_as(names))
    documents = units_of(scored, "document") if apart else 0
    inside = f" in {_counted(documents, 'document')}" if 1 < documents < utterances else ""
    return _counted(utterances, "utterance") + inside


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _one_system(result: Result, digits: int, values: Chosen) -> list[Table]:
    """A row per measure; measures with values of their own follow in a table with a row per value."""
    common = _common_values(result)
    block = [one for one in result if common and set(one.values) <= set(common) and one.name not in values]
    rest = [one for one in result if one not in block]
    found = []
    if block:
        rows = [
            (one.measure.short, *(_cell_of(one, value, digits) if value in one.values else "" for value in common))
            for one in block
        ]
        found.append(Table(f"{title_of(result)}: {result.systems[0]}", ("measure", *common), rows))
    if rest:
        rows = [
            (one.measure.short if index == 0 else "", value, _cell_of(one, value, digits))
            for one in rest
            for index, value in enumerate(values.get(one.name, one.measure.values))
        ]
        title = "" if block else f"{title_of(result)}: {result.systems[0]}"
        found.append(Table(title, ("measure", "value", "score"), rows, names=2))
    return found


def _common_values(result: Result) -> tuple[str, ...]:
    """The value names that most measures share."""
    several = [tuple(one.values) for one in result if len(one.values) > 1]
    return max(several, key=several.count) if several else ()


def _systems_in_columns(result: Result, digits: int, values: Chosen) -> Table:
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for measure in result.measures:
        scores = [result[system, measure.name] for system in result.systems]
        for index, value in enumerate(values.get(measure.name, measure.values)):
            best |= {
                (len(rows), 2 + column) for column in best_of([one.values[value] for one in scores], measure, value)
            }
            cells = [_cell_of(one, value, digits) for one in scores]
            rows.append((measure.short if index == 0 else "", value, *cells))
    return Table(title_of(result), ("measure", "value", *result.systems), rows, 2, frozenset(best))


def best_of(values: Sequence[float | None], measure: Measure, value: str) -> list[int]:
    """The places of the best values, if they are not all the same."""
    known = [one for one in values if one is not None]
    if len(set(known)) < 2:
        return []
    good = measure.goodness(np.array(values, float), value)
    return np.flatnonzero(good == np.nanmax(good)).tolist()


def notes(result: Result) -> tuple[str, ...]:
    """What a reader of the table needs: the unit, why something is undefined, and the signatures."""
    lines = []
    if any(one.measure.percent for one in result):
        plain = [measure.short for measure in result.measures if not measure.percent]
        lines.append("values × 100" + (f", except {', '.join(plain)}" if plain else ""))
    lines += dict.fromkeys(
        f"{UNDEFINED} {one.measure.short}.{value}: {why}" for one in result for value, why in one.reasons.items()
    )
    lines += [warning for warning in result.warnings if LAID in warning]
    return (*lines, *signatures(result))


def signatures(result: Result) -> list[str]:
    """Every signature once; measures that differ in name only share a line."""
    kinds: dict[tuple[tuple[str, str], ...], tuple[Signature, list[str]]] = {}
    for one in result:
        kind = kinds.setdefault(tuple(one.signature.options.items()), (one.signature, []))
        if one.name not in kind[1]:
            kind[1].append(one.name)
    every = [sign._replace(measure=" ".join(names)) for sign, names in kinds.values()]
    return [*map(str, every), *(f"short: {sign.short}" for sign in every)]


def profile_table(task: str, profiles: Mapping[str, Mapping[str, Any]]) -> Table:
    """Descriptions side by side: a row per property, a column per corpus."""
    properties = list(dict.fromkeys(name for profile in profiles.values() for name in profile))
    rows = [(name, *(_property(profile.get(name)) for profile in profiles.values())) for name in properties]
    return Table(f"{task}", ("", *profiles), rows)


def _property(value: Any) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def sweep_table(curve: Mapping[str, Any], measure: Measure, digits: int) -> Table:
    """A row per value of the option, a column per system; where systems cross in the notes."""
    systems = curve["systems"]
    rows = [
        (f"{value:g}", *(cell(points[index], measure, digits) for points in systems.values()))
        for index, value in enumerate(curve["values"])
    ]
    notes = ["values × 100"] if measure.percent else []
    for found in curve["crossings"]:
        where = f"{curve['option']} {found['at']:.4g}"
        notes.append(f"{' and '.join(found['systems'])} cross at {where} ({number(found['score'], measure, digits)})")
    return Table(f"{curve['measure']}.{curve['value']}", (curve["option"], *systems), rows, notes=tuple(notes))
