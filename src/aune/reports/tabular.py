"""Results laid out as tables, for every human-readable format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.alignment.placement_records import LAID_ON_KEY
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import check_known
from aune.contract.signature import Signature, signature_line
from aune.errors import make_visible
from aune.results.result import Result, SystemScore
from aune.results.rows import Attribute
from aune.statistics.sampling_units import units_of

UNDEFINED = "–"


class Table(NamedTuple):
    """Cells as text, the number of leading columns with names, and which cells are the best values."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    names: int = 1
    best: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str, ...] = ()
    over: tuple[tuple[str, int], ...] = ()
    """A line of headings above the header, each with the number of columns it covers; together they cover all."""
    parts: tuple[int, ...] = ()
    """The rows that begin a new part of the table."""
    signatures: tuple[Signature, ...] = ()
    """The signatures of the scores in the table; `render_tables` decides how they are printed."""
    caption: str = ""
    """The caption in a paper; the title if it is empty."""
    label: str = ""
    """The label for references in a paper."""

    @property
    def flat_header(self) -> tuple[str, ...]:
        """The header on one line, for formats that have only one."""
        above = [name for name, columns in self.over for _ in range(columns)] or [""] * len(self.header)
        return tuple(" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(above, self.header, strict=True))

    def select_columns(self, columns: Sequence[int], titled: bool = True) -> Table:
        """Some columns of the table."""
        above = [name for name, covered in self.over for _ in range(covered)]
        groups = groupby(above[column] for column in columns) if above else ()
        headings = tuple((name, len(list(same))) for name, same in groups)
        best = frozenset((row, columns.index(column)) for row, column in self.best if column in columns)
        rows = [tuple(row[column] for column in columns) for row in self.rows]
        header = tuple(self.header[column] for column in columns)
        return self._replace(title=self.title if titled else "", header=header, rows=rows, best=best, over=headings)


BOLD_NOTE = "bold: the best value"
SIGNATURE_STYLES = ("long", "short", "none")
"""How signatures are printed: in full, each with its short form; the short forms on one line; or not at all."""


def signature_lines(signatures: Sequence[Signature], style: str) -> list[str]:
    """The lines that represent signatures below a table."""
    check_known([style], SIGNATURE_STYLES, "signature")
    if style == "long":
        return [*map(str, signatures), *(f"short: {signature.short}" for signature in signatures)]
    return [signature_line(signatures)] if signatures and style == "short" else []


def one_line(text: str) -> str:
    """Text without line ends and other characters with which a name could break out of a cell, comment or screen."""
    if text.isascii() and text.isprintable():  # as in nearly all cases
        return text
    return make_visible(" ".join(text.splitlines()))


def records_table(
    rows: Sequence[Mapping[str, Any]], title: str, notes: tuple[str, ...] = (), signatures: Sequence[Signature] = ()
) -> Table:
    """Rows with equal names of columns, shares in percent."""
    if any(isinstance(value, float) for row in rows for value in row.values()):
        notes = ("values × 100", *notes)
    header = tuple(name.replace("_", " ") for name in rows[0]) if rows else ()
    cells = [tuple(one_line(_format_value(value)) for value in row.values()) for row in rows]
    return Table(title, header, cells, names=2, notes=notes, signatures=tuple(signatures))


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    if value is None:
        return UNDEFINED
    return f"{100 * value:.2f}" if isinstance(value, float) else str(value) or "∅"


MAX_COLUMNS = 6  # with more systems, each has a row instead of a column
ChosenValues: TypeAlias = Mapping[str, Sequence[str]]
"""The values to show of a measure, by its name; all values of measures that are not in it."""


def usual_tables(result: Result, digits: int = 2, values: ChosenValues = MappingProxyType({})) -> list[Table]:
    """The tables that show a result: a row per measure or value, and a column per system if there are several."""
    several = len(result.systems) > 1
    tables = [_systems_in_columns(result, digits, values)] if several else _one_system(result, digits, values)
    described = [table._replace(caption=caption_of(result), label=label_of(result)) for table in tables[:1]]
    tables = [*described, *tables[1:]]
    last = tables[-1]._replace(notes=(*tables[-1].notes, *notes(result)), signatures=signatures(result))
    return [*tables[:-1], last]


def value_label(measure: Measure, value: str) -> str:
    """The usual name of a value: `muc f1`, but `wer` and not `wer wer`."""
    return " ".join(dict.fromkeys([measure.short, value]))


def cell(value: float | None, measure: Measure, digits: int, interval: tuple[float, float] | None = None) -> str:
    """A value in a table: in percent if the measure is a share, with its interval if it has one."""
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


def _cell_of(scored: SystemScore, value: str, digits: int) -> str:
    return cell(scored.values[value], scored.measure, digits, scored.intervals.get(value))


def title_of(result: Result) -> str:
    """The task, the key with its format, and its size."""
    key = next((source for source in result.inputs if source.role == "key"), None)
    if not key or not key.path:
        version = f", key version {key.version}" if key and key.version else ""
        return f"{result.task}: {extent(result)}{version}"
    others = sorted({source.format for source in result.inputs if source.format and source.format != key.format})
    version = f", version {key.version}" if key.version else ""
    read_as = f"{key.format}{version}" + (f"; responses {', '.join(others)}" if others else "")
    return f"{result.task}: {key.path} ({read_as}), {extent(result)}"


def caption_of(result: Result, *about: str) -> str:
    """The caption of a paper's table: what was scored, on which key."""
    key = next((source for source in result.inputs if source.role == "key"), None)
    on = f" on {PurePath(key.path).name}" if key and key.path else ""
    on += f", version {key.version}" if on and key and key.version else ""
    name = registry.task(result.task).documentation.partition("\n")[0].partition(":")[0].rstrip(".")
    system = f" of {result.systems[0]}" if len(result.systems) == 1 else ""
    return " ".join([f"{name}: scores{system}{on} ({extent(result)})", *about]).rstrip(".") + "."


def label_of(result: Result, *about: str) -> str:
    r"""The label of a paper's table: only letters, digits and hyphens.

    >>> from aune import score
    >>> label_of(score("coref", [{1, 2}], [{1, 2}]), "by", "document")
    'tab:coref-by-document'
    """
    key = next((source for source in result.inputs if source.role == "key"), None)
    words = [result.task, PurePath(key.path or "").name.partition(".")[0] if key else "", *about]
    return "tab:" + "-".join(filter(None, (re.sub("[^A-Za-z0-9]+", "-", word).strip("-") for word in words)))


def extent(result: Result) -> str:
    """The size of the key: documents, or utterances and the documents that they are in."""
    key = next((item for item in result.inputs if item.role == "key"), None)
    count = key.documents if key else 0
    if result.scores and registry.task(result.task).reading.part == "utterance":
        return _utterance_extent(result.scores[0], count)
    numbers = {item.counts["cases"] for item in result if "cases" in item.counts}
    cases = {f"{number:,.10g} case{'s' * (number != 1)}" for number in numbers}
    case_count = (
        ", " + cases.pop() if len(cases) == 1 else ""
    )  # if systems segment the text themselves, each has its own number
    return _count_noun(count, "document") + case_count


def _utterance_extent(scored: SystemScore, texts: int) -> str:
    """The numbers of utterances, and of documents if these differ; a text of the key may contain several."""
    names, homes = (scored.rows.attributes.get(name, ()) for name in ("utterance", "document"))
    utterances = max(texts, units_of(scored, "utterance")) if len(scored.rows) > texts else texts
    has_documents = not (isinstance(homes, Attribute) and homes.same_as(names))
    documents = units_of(scored, "document") if has_documents else 0
    inside = f" in {_count_noun(documents, 'document')}" if 1 < documents < utterances else ""
    return _count_noun(utterances, "utterance") + inside


def _count_noun(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _one_system(result: Result, digits: int, values: ChosenValues) -> list[Table]:
    """A row per measure; measures with other values follow in a table with a row per value."""
    common = _common_values(result)
    block = [scored for scored in result if common and set(scored.values) <= set(common) and scored.name not in values]
    rest = [scored for scored in result if scored not in block]
    tables = []
    if block:
        rows = [
            (
                scored.measure.short,
                *(_cell_of(scored, value, digits) if value in scored.values else "" for value in common),
            )
            for scored in block
        ]
        tables.append(Table(f"{title_of(result)}: {result.systems[0]}", ("measure", *common), rows))
    if rest:
        rows = [
            (scored.measure.short if index == 0 else "", value, _cell_of(scored, value, digits))
            for scored in rest
            for index, value in enumerate(values.get(scored.name, scored.measure.values))
        ]
        title = "" if block else f"{title_of(result)}: {result.systems[0]}"
        tables.append(Table(title, ("measure", "value", "score"), rows, names=2))
    return tables


def _common_values(result: Result) -> tuple[str, ...]:
    """The value names that most measures share."""
    several = [tuple(scored.values) for scored in result if len(scored.values) > 1]
    return max(several, key=several.count) if several else ()


def _systems_in_columns(result: Result, digits: int, values: ChosenValues) -> Table:
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for measure in result.measures:
        scores = [result[system, measure.name] for system in result.systems]
        for index, value in enumerate(values.get(measure.name, measure.values)):
            best |= {
                (len(rows), 2 + column)
                for column in best_of([scored.values[value] for scored in scores], measure, value)
            }
            cells = [_cell_of(scored, value, digits) for scored in scores]
            rows.append((measure.short if index == 0 else "", value, *cells))
    return Table(title_of(result), ("measure", "value", *result.systems), rows, 2, frozenset(best))


def best_of(values: Sequence[float | None], measure: Measure, value: str) -> list[int]:
    """The positions of the best values, unless all are equal."""
    known = [number for number in values if number is not None]
    if len(set(known)) < 2:
        return []
    good = measure.goodness(np.array(values, float), value)
    return np.flatnonzero(good == np.nanmax(good)).tolist()


def notes(result: Result) -> tuple[str, ...]:
    """The notes for readers of the table: the unit, the intervals, and the reasons for undefined values."""
    lines = []
    if any(scored.measure.percent for scored in result):
        plain = [measure.short for measure in result.measures if not measure.percent]
        lines.append("values × 100" + (f", except {', '.join(plain)}" if plain else ""))
    lines += _interval_notes(result)
    lines += dict.fromkeys(
        f"{UNDEFINED} {scored.measure.short}.{value}: {why}"
        for scored in result
        for value, why in scored.reasons.items()
    )
    lines += [warning for warning in result.warnings if LAID_ON_KEY in warning]
    return tuple(lines)


METHOD_NAMES = {"effective": "effective number of"} | {
    method: f"{method} over" for method in ("percentile", "bca", "jackknife", "delta")
}


def _interval_notes(result: Result) -> list[str]:
    """An explanation of the brackets after values."""
    settings = {
        tuple(scored.signature.options.get(name, "") for name in ("level", "ci", "unit"))
        for scored in result
        if scored.intervals
    }
    return [
        f"[low, high]: {100 * float(level):g} % confidence interval ({METHOD_NAMES[method]} {unit}s)"
        for level, method, unit in sorted(settings)
        if level
    ]


def signatures(result: Result) -> tuple[Signature, ...]:
    """Every signature once; measures whose signatures differ in the name only share one."""
    kinds: dict[tuple[tuple[str, str], ...], tuple[Signature, list[str]]] = {}
    for scored in result:
        kind = kinds.setdefault(tuple(scored.signature.options.items()), (scored.signature, []))
        if scored.name not in kind[1]:
            kind[1].append(scored.name)
    return tuple(signature._replace(measure=" ".join(names)) for signature, names in kinds.values())


def profile_table(task: str, profiles: Mapping[str, Mapping[str, Any]]) -> Table:
    """Descriptions in columns: a row per property, a column per corpus."""
    properties = list(dict.fromkeys(name for profile in profiles.values() for name in profile))
    rows = [(name, *(_property(profile.get(name)) for profile in profiles.values())) for name in properties]
    return Table(f"{task}", ("", *profiles), rows)


def _property(value: Any) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def sweep_table(curve: Mapping[str, Any], measure: Measure, digits: int) -> Table:
    """A row per value of the option, a column per system; the notes list where systems cross."""
    systems = curve["systems"]
    rows = [
        (f"{value:g}", *(cell(points[index], measure, digits) for points in systems.values()))
        for index, value in enumerate(curve["values"])
    ]
    notes = ["values × 100"] if measure.percent else []
    for crossing in curve["crossings"]:
        where = f"{curve['option']} {crossing['at']:.4g}"
        notes.append(
            f"{' and '.join(crossing['systems'])} cross at {where} ({number(crossing['score'], measure, digits)})"
        )
    return Table(f"{curve['measure']}.{curve['value']}", (curve["option"], *systems), rows, notes=tuple(notes))
