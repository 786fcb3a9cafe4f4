"""Tables as papers have them: a row per system, the values of every measure beside each other.

Systems are sorted by the measure that ranks them, the best value of each column is marked, and with tests the letters
say which systems cannot be told apart: those that share one. Baselines stand apart below and take no part. The same
table goes to the terminal, LaTeX, Markdown, CSV, HTML and the report.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aune.core import registry
from aune.core.errors import UsageError
from aune.core.measure import SUPPORTS
from aune.core.options import check_known
from aune.reports.tabular import UNDEFINED, Chosen, Table, best_of, cell, named, notes, title_of, usual_tables

if TYPE_CHECKING:
    from aune.core.measure import Measure
    from aune.core.result import Result, Scored
    from aune.statistics.comparison import Comparisons, Order

BASELINE = "baseline"  # instead of a rank
NO_NAME = "(none)"
"""What a group is called whose units have no value of the attribute, such as words outside of entities by label."""
PARTS = ("document", "story", "utterance", "sentence")
LEFT_OUT = "the main value of each measure: --layout paper shows all"
WIDE = 6  # more systems than this get a row each instead of a column each


class Value(NamedTuple):
    """One value of one measure: a column of the table."""

    measure: Measure
    name: str


def tables(
    result: Result, by: str | None = None, digits: int = 2, values: Chosen = MappingProxyType({})
) -> list[Table]:
    """The tables that show a result: those of papers for more systems than stand well beside each other."""
    if by:
        left_out = len(result.measures) > 1 and any(
            len(measure.values) > 1 and measure.name not in values for measure in result.measures
        )
        table = _groups(result, by, _main_values(result, values), digits)
        return [table._replace(notes=(LEFT_OUT, *table.notes))] if left_out else [table]
    if len(result.systems) > WIDE:
        return paper_tables(result, digits=digits, values=values)
    return usual_tables(result, digits, values)


def _main_values(result: Result, values: Chosen) -> list[Value]:
    """The values asked for, or those of the only measure, else the main one of each."""
    alone = len(result.measures) == 1
    return [
        Value(measure, value)
        for measure in result.measures
        for value in values.get(measure.name, measure.values if alone else [measure.headline])
    ]


def paper_tables(
    result: Result,
    *,
    by: str | None = None,
    test: Comparisons | None = None,
    rank_by: Value | None = None,
    baselines: Sequence[str] = (),
    values: Mapping[str, Sequence[str]] | None = None,
    digits: int = 2,
) -> list[Table]:
    """The table of a result, or of its breakdown by an attribute such as label.

    `test` are the comparisons that letters come from; `values` are those to show of each measure, all unless told.
    """
    check_known(baselines, result.systems, "baseline among the systems")
    rank_by = rank_by or ranking_value(result)
    columns = columns_of(result, rank_by, values or {})
    if by:
        return [_groups(result, by, columns, digits)]
    return [_systems(result, columns, rank_by, test, baselines, digits, values or {})]


def columns_of(
    result: Result, rank_by: Value, values: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[Value]:
    """The values of the measure that ranks, then those of the others."""
    measures = sorted(result.measures, key=lambda one: one.name != rank_by.measure.name)
    return [Value(measure, name) for measure in measures for name in values.get(measure.name, measure.values)]


def chosen_values(task: str, names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The measures to score, and the values to show of those of which only some were asked for.

    >>> chosen_values("coref", ["muc.f1", "lea", "muc.recall"])
    (['muc', 'lea'], {'coref.muc': ['f1', 'recall']})
    """
    measures: dict[str, None] = {}
    values: dict[str, list[str]] = {}
    whole = set()
    for name in names:
        base, _, value = name.rpartition(".")
        try:
            measure = registry.measure(base, task) if base else None
        except UsageError:
            measure = None
        if measure and value in measure.values:
            measures[base] = None
            values.setdefault(measure.name, []).append(value)
        else:
            measures[name] = None
            whole.add(name)
    full = {registry.measure(name, task).name for name in whole} if values else set()
    return list(measures), {name: shown for name, shown in values.items() if name not in full}


def ranking_value(result: Result) -> Value:
    """What ranks the systems: the main value of the task's own choice where it was measured, else of the first."""
    wanted = registry.task(result.task).ranking
    measure = next((one for one in result.measures if one.short == wanted), result.measures[0])
    return Value(measure, measure.headline)


def competing(result: Result, baselines: Sequence[str]) -> Result:
    """The result without its baselines: what tests and letters are about."""
    return replace(result, scores=[one for one in result if one.system not in baselines])


def ranked(result: Result, by: Value, systems: Sequence[str]) -> list[str]:
    """The systems, best first; those without a value last, and ties in the order given."""

    def worth(system: str) -> float:
        value = result[system, by.measure.name].values[by.name]
        return float("inf") if value is None else -float(by.measure.goodness(np.array(value), by.name))

    return sorted(systems, key=worth)


def _systems(
    result: Result,
    columns: Sequence[Value],
    rank_by: Value,
    test: Comparisons | None,
    baselines: Sequence[str],
    digits: int,
    chosen: Collection[str],
) -> Table:
    ahead = ranked(result, rank_by, [one for one in result.systems if one not in baselines])
    apart = ranked(result, rank_by, [one for one in result.systems if one in baselines])
    order = order_of(test, rank_by)
    places, letters = _places(result, rank_by, ahead, order), letters_of(order)
    counted = support_of(result)
    head = ["rank", "system", *(["group"] if order else []), *(["support"] if counted else [])]
    rows = []
    for system in [*ahead, *apart]:
        leading = [places.get(system, BASELINE), system, *([letters.get(system, "")] if order else [])]
        leading += [support_shown(result[system, counted.name].support)] if counted else []
        cells = (_cell(result[system, one.measure.name], one, digits, one.measure.name in chosen) for one in columns)
        rows.append((*leading, *cells))
    best = set()
    for column, one in enumerate(columns, len(head)):
        known = [result[system, one.measure.name].values[one.name] for system in ahead]
        best |= {(row, column) for row in best_of(known, one.measure, one.name)}
    lines = [f"ranked by {named(rank_by.measure, rank_by.name)}", *notes(result)]
    if counted:
        lines.insert(1, support_said(counted))
    if order and test:
        lines.insert(1, _said(test))
    return Table(
        title_of(result),
        (*head, *(one.name for one in columns)),
        rows,
        3 if order else 2,
        frozenset(best),
        tuple(lines),
        (("", len(head)), *_over(columns)),
        (len(ahead),) if ahead and apart else (),
    )


def _groups(result: Result, by: str, columns: Sequence[Value], digits: int) -> Table:
    """A row per group and system: parts of the text and numbers in their order, others with most support first."""
    several, counted = len(result.systems) > 1, support_of(result, by)
    found = {(one.system, one.name): one.by(by) for one in result}
    support = _most_support(result, counted, by)
    head = [by, *(["system"] if several else []), *(["support"] if counted else [])]
    rows: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for name in _in_order(list(dict.fromkeys(name for groups in found.values() for name in groups)), by, support):
        for column, one in enumerate(columns, len(head)):
            known = [found[system, one.measure.name].get(name, {}).get(one.name) for system in result.systems]
            best |= {(len(rows) + place, column) for place in best_of(known, one.measure, one.name)}
        counts = [support_shown(support.get(name, 0.0))] if counted else []
        for system in result.systems:
            values = [found[system, one.measure.name].get(name, {}).get(one.name) for one in columns]
            cells = [cell(value, one.measure, digits) for value, one in zip(values, columns, strict=True)]
            rows.append((name or NO_NAME, *([system] if several else []), *counts, *cells))
    lines = [support_said(counted)] if counted else []
    return Table(
        title_of(result) + ("" if several else f": {result.systems[0]}"),
        (*head, *(one.name for one in columns)),
        rows,
        2 if several else 1,
        frozenset(best),
        (*lines, *notes(result)),
        (("", len(head)), *_over(columns)),
    )


def _most_support(result: Result, counted: Measure | None, by: str) -> dict[str, float]:
    """How much there was to find in each group, by the system that has most of it."""
    support: dict[str, float] = {}
    if counted is None:
        return support
    for system in result.systems:
        for name, count in result[system, counted.name].support_by(by).items():
            support[name] = max(support.get(name, 0.0), count or 0.0)
    return support


def _in_order(groups: list[str], by: str, support: Mapping[str, float]) -> list[str]:
    if all(name.removeprefix("-").isdecimal() for name in groups):
        return sorted(groups, key=int)
    return groups if by in PARTS else sorted(groups, key=lambda name: (-support.get(name, 0.0), name))


def support_of(result: Result, by: str = "") -> Measure | None:
    """The measure that says how much there was to find (and knows the attribute): the ranking one, or a plain one."""
    found = [one for one in result if one.support is not None and (not by or by in one.rows.attributes)]
    known = [one.measure for one in found if float(one.support or 0).is_integer()]
    ranking = registry.task(result.task).ranking
    return min(known, key=lambda one: (one.short != ranking, _plainness(one.support_counts)), default=None)


def _plainness(counts: tuple[str, ...]) -> int:
    return SUPPORTS.index(counts) if counts in SUPPORTS else len(SUPPORTS)


def support_said(measure: Measure) -> str:
    """What is counted as support."""
    return f"support: {' + '.join(measure.support_counts)} of {measure.short}"


def support_shown(count: float | None) -> str:
    return UNDEFINED if count is None else f"{count:,.10g}"


def _cell(scored: Scored, value: Value, digits: int, chosen: bool) -> str:
    """A value; with its interval where it is the main one of its measure, or was asked for by name."""
    interval = scored.intervals.get(value.name) if chosen or value.name == value.measure.headline else None
    return cell(scored.values[value.name], value.measure, digits, interval)


def _over(columns: Sequence[Value]) -> list[tuple[str, int]]:
    """The names of the measures above their values."""
    return [(name, len(list(same))) for name, same in groupby(one.measure.short for one in columns)]


def order_of(test: Comparisons | None, value: Value) -> Order | None:
    """What the tests say of the order of the systems under a value."""
    if test is None:
        return None
    return next((one for one in test.orders if (one.measure, one.value) == (value.measure.name, value.name)), None)


def _places(result: Result, rank_by: Value, systems: Sequence[str], order: Order | None) -> dict[str, str]:
    """The rank of each system; with tests, the ranks that they leave open."""
    values = {system: result[system, rank_by.measure.name].values[rank_by.name] for system in systems}
    places: dict[str, str] = {}
    ranges = {one.system: (one.best, one.worst) for one in order.ranks} if order else {}
    for index, system in enumerate(systems, 1):
        same = next((other for other in systems[: index - 1] if values[other] == values[system]), None)
        places[system] = places[same].partition(" ")[0] if same else str(index) if values[system] is not None else ""
        best, worst = ranges.get(system, (0, 0))
        if best != worst:
            places[system] += f" ({best}–{worst})"
    return places


def letters_of(order: Order | None) -> dict[str, str]:
    """A letter for every group of systems that cannot be told apart; those in several groups have several.

    >>> from aune.statistics.comparison import Order
    >>> letters_of(Order("m", "v", [], [["A", "B"], ["B", "C"]]))
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    letters: dict[str, str] = {}
    for index, group in enumerate(order.groups if order else ()):
        letter = chr(ord("a") + index) if index < 26 else f",{index + 1}"
        for system in group:
            letters[system] = letters.get(system, "") + letter
    return letters


def _said(test: Comparisons) -> str:
    settings = test.settings
    return (
        f"systems that share a letter cannot be told apart: {settings['test']} test over {settings['units']} "
        f"{settings['unit']}s, level {settings['level']:g}, Holm's correction"
    )
