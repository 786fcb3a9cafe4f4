"""Tables as in papers: a row per system, with the values of all measures in columns.

Systems are sorted by the measure that ranks them, the best value of each column is marked, and with tests the letters
show which systems do not differ significantly: those with a common letter. Baselines are listed below, without letters.
The same table goes to the terminal, LaTeX, Markdown, CSV, HTML and the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import SUPPORTS
from aune.contract.options import check_known
from aune.reports.tabular import (
    MAX_COLUMNS,
    UNDEFINED,
    ChosenValues,
    Table,
    best_of,
    caption_of,
    cell,
    label_of,
    notes,
    signatures,
    title_of,
    usual_tables,
    value_label,
)
from aune.results.result import GroupScores, plain_value
from aune.results.rows import Attribute

if TYPE_CHECKING:
    from aune.contract.measure import Measure
    from aune.results.result import Result, SystemScore
    from aune.statistics.comparison import Comparisons, Order

BASELINE = "baseline"  # instead of a rank
NO_NAME = "(none)"
"""The name of a group of units without a value of the attribute, such as words outside of entities by label."""
PARTS = ("document", "story", "utterance", "sentence")
LEFT_OUT_NOTE = "the main value of each measure: --layout paper shows all"


class Value(NamedTuple):
    """One value of one measure: a column of the table."""

    measure: Measure
    name: str


def tables(
    result: Result, by: str | None = None, digits: int = 2, values: ChosenValues = MappingProxyType({})
) -> list[Table]:
    """The tables that show a result: those of papers if there are too many systems for one column each."""
    if by:
        left_out = len(result.measures) > 1 and any(
            len(measure.values) > 1 and measure.name not in values for measure in result.measures
        )
        table = _groups(result, by, _main_values(result, values), digits)
        return [table._replace(notes=(LEFT_OUT_NOTE, *table.notes))] if left_out else [table]
    if len(result.systems) > MAX_COLUMNS:
        return paper_tables(result, digits=digits, values=values)
    return usual_tables(result, digits, values)


def _main_values(result: Result, values: ChosenValues) -> list[Value]:
    """The named values, or those of the only measure, otherwise the main value of each measure."""
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

    `test` contains the comparisons for the letters; `values` are the values to show of each measure, by default all.
    """
    check_known(baselines, result.systems, "baseline among the systems")
    rank_by = rank_by or ranking_value(result)
    columns = columns_of(result, rank_by, values or {})
    if by:
        return [_groups(result, by, columns, digits)]
    return [_systems(result, columns, rank_by, test, baselines, digits)]


def columns_of(
    result: Result, rank_by: Value, values: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[Value]:
    """The values of the measure that ranks, then those of the others."""
    measures = sorted(result.measures, key=lambda measure: measure.name != rank_by.measure.name)
    return [Value(measure, name) for measure in measures for name in values.get(measure.name, measure.values)]


def ranking_value(result: Result) -> Value:
    """What ranks the systems: the main value of the task's ranking measure if it was computed, else of the first."""
    preferred = registry.task(result.task).ranking
    measure = next((candidate for candidate in result.measures if candidate.short == preferred), result.measures[0])
    return Value(measure, measure.headline)


def without_baselines(result: Result, baselines: Sequence[str]) -> Result:
    """The result without its baselines, for tests and letters."""
    kept_scores = [scored for scored in result if (scored.run_of or scored.system) not in baselines]
    return replace(result, scores=kept_scores)


def rank_systems(result: Result, by: Value, systems: Sequence[str]) -> list[str]:
    """The systems, best first; those without a value last, and ties in the given order."""

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
) -> Table:
    ahead = rank_systems(result, rank_by, [item for item in result.systems if item not in baselines])
    baseline_systems = rank_systems(result, rank_by, [item for item in result.systems if item in baselines])
    order = find_order(test, rank_by)
    places, letters = _places(result, rank_by, ahead, order), letters_of(order)
    support_measure = support_of(result)
    head = ["rank", "system", *(["group"] if order else []), *(["support"] if support_measure else [])]
    rows = []
    for system in [*ahead, *baseline_systems]:
        leading = [places.get(system, BASELINE), system, *([letters.get(system, "")] if order else [])]
        leading += [format_support(result[system, support_measure.name].support)] if support_measure else []
        rows.append((*leading, *(_cell(result[system, item.measure.name], item, digits) for item in columns)))
    best = set()
    for column, item in enumerate(columns, len(head)):
        column_values = [result[system, item.measure.name].values[item.name] for system in ahead]
        best |= {(row, column) for row in best_of(column_values, item.measure, item.name)}
    lines = [_rank_note(rank_by, list(places.values())), *notes(result)]
    if support_measure:
        lines.insert(1, support_note(support_measure))
    if order and test:
        lines.insert(1, _test_note(test))
    return Table(
        title_of(result),
        (*head, *(item.name for item in columns)),
        rows,
        3 if order else 2,
        frozenset(best),
        tuple(lines),
        (("", len(head)), *_over(columns)),
        (len(ahead),) if ahead and baseline_systems else (),
        signatures(result),
        caption_of(result),
        label_of(result),
    )


def _groups(result: Result, by: str, columns: Sequence[Value], digits: int) -> Table:
    """A row per group and system: parts of the text and numbers in their order, others by decreasing support."""
    several, support_measure = len(result.systems) > 1, support_of(result, by)
    if by in PARTS and _are_many_rows(result, by):
        rows: Sequence[tuple[str, ...]] = _GroupRows(result, by, columns, support_measure, digits)
        return _group_table(result, by, columns, support_measure, rows, frozenset())
    scores = {(item.system, item.name): item.by(by) for item in result}
    support = _most_support(result, support_measure, by)
    head = [by, *(["system"] if several else []), *(["support"] if support_measure else [])]
    listed: list[tuple[str, ...]] = []
    best: set[tuple[int, int]] = set()
    for name in _in_order(list(dict.fromkeys(name for groups in scores.values() for name in groups)), by, support):
        for column, item in enumerate(columns, len(head)):
            column_values = [
                scores[system, item.measure.name].get(name, {}).get(item.name) for system in result.systems
            ]
            best |= {(len(listed) + place, column) for place in best_of(column_values, item.measure, item.name)}
        counts = [format_support(support.get(name, 0.0))] if support_measure else []
        for system in result.systems:
            values = [scores[system, item.measure.name].get(name, {}).get(item.name) for item in columns]
            cells = [cell(value, item.measure, digits) for value, item in zip(values, columns, strict=True)]
            listed.append((name or NO_NAME, *([system] if several else []), *counts, *cells))
    return _group_table(result, by, columns, support_measure, listed, frozenset(best))


def _group_table(
    result: Result,
    by: str,
    columns: Sequence[Value],
    support_measure: Measure | None,
    rows: Sequence[tuple[str, ...]],
    best: frozenset[tuple[int, int]],
) -> Table:
    """The rows of groups as a table."""
    several = len(result.systems) > 1
    head = [by, *(["system"] if several else []), *(["support"] if support_measure else [])]
    lines = [support_note(support_measure)] if support_measure else []
    return Table(
        title_of(result) + ("" if several else f": {result.systems[0]}"),
        (*head, *(item.name for item in columns)),
        rows,
        2 if several else 1,
        best,
        (*lines, *notes(result)),
        (("", len(head)), *_over(columns)),
        signatures=signatures(result),
        caption=caption_of(result, f"by {by}"),
        label=label_of(result, "by", by),
    )


MOST_ROWS = 20_000  # rows of groups that are made together; for a larger number, the best values are not marked


def _are_many_rows(result: Result, by: str) -> bool:
    """Whether there are very many groups, each of one row, and the same for all scores."""
    first, *others = (item.rows.attributes.get(by) for item in result)
    if not isinstance(first, Attribute) or len(first) <= MOST_ROWS or not first.is_distinct:
        return False
    return all(isinstance(other, Attribute) and first.has_same_names(other) for other in others)


class _GroupRows(Sequence[tuple[str, ...]]):
    """The rows of very many groups, computed again in every iteration, a few thousand at a time."""

    def __init__(
        self, result: Result, by: str, columns: Sequence[Value], support_measure: Measure | None, digits: int
    ) -> None:
        self.result, self.by, self.columns = result, by, columns
        self.support_measure, self.digits = support_measure, digits

    def __len__(self) -> int:
        return len(self.result.scores[0].rows) * len(self.result.systems)

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        systems = self.result.systems
        measures = {item.measure.name for item in self.columns}
        if self.support_measure:
            measures.add(self.support_measure.name)
        needed = [item for item in self.result if item.name in measures]
        for chunks in zip(*(item.iterate_groups(self.by) for item in needed), strict=True):
            by_score = {(item.system, item.name): chunk for item, chunk in zip(needed, chunks, strict=True)}
            columns = [list(self._cells(system, by_score)) for system in systems]
            for place, name in enumerate(chunks[0].names):
                for system, cells in zip(systems, columns, strict=True):
                    yield (name or NO_NAME, *([system] if len(systems) > 1 else []), *(cell[place] for cell in cells))

    def _cells(self, system: str, chunks: Mapping[tuple[str, str], GroupScores]) -> Iterator[list[str]]:
        """The columns of a system: its support, then its values."""
        if self.support_measure:
            score = self.result[system, self.support_measure.name]
            places = [score.rows.layout.columns().index(name) for name in self.support_measure.support_counts]
            sums = [chunks[other, score.name].counts[:, places].sum(axis=1) for other in self.result.systems]
            yield [format_support(count) for count in np.max(sums, axis=0).tolist()]
        for item in self.columns:
            values = chunks[system, item.measure.name].values[item.name].tolist()
            yield [cell(plain_value(value), item.measure, self.digits) for value in values]


def _most_support(result: Result, support_measure: Measure | None, by: str) -> dict[str, float]:
    """The support of each group, from the system for which it is largest."""
    support: dict[str, float] = {}
    if support_measure is None:
        return support
    for system in result.systems:
        for name, count in result[system, support_measure.name].support_by(by).items():
            support[name] = max(support.get(name, 0.0), count or 0.0)
    return support


def _in_order(groups: list[str], by: str, support: Mapping[str, float]) -> list[str]:
    if all(name.removeprefix("-").isdecimal() for name in groups):
        return sorted(groups, key=int)
    return groups if by in PARTS else sorted(groups, key=lambda name: (-support.get(name, 0.0), name))


def support_of(result: Result, by: str = "") -> Measure | None:
    """The measure that gives the support (and knows the attribute): the ranking one, or a simple one."""
    scores = [item for item in result if item.support is not None and (not by or by in item.rows.attributes)]
    known = [item.measure for item in scores if float(item.support or 0).is_integer()]
    ranking = registry.task(result.task).ranking
    return min(known, key=lambda item: (item.short != ranking, _plainness(item.support_counts)), default=None)


def _plainness(counts: tuple[str, ...]) -> int:
    return SUPPORTS.index(counts) if counts in SUPPORTS else len(SUPPORTS)


def support_note(measure: Measure) -> str:
    """The unit of the support."""
    return f"support: {' + '.join(measure.support_counts)} of {measure.short}"


def format_support(count: float | None) -> str:
    return UNDEFINED if count is None else f"{count:,.10g}"


def _cell(scored: SystemScore, value: Value, digits: int) -> str:
    """A value, with its interval if there is one."""
    return cell(scored.values[value.name], value.measure, digits, scored.intervals.get(value.name))


def _over(columns: Sequence[Value]) -> list[tuple[str, int]]:
    """The names of the measures above their values."""
    return [(name, len(list(same))) for name, same in groupby(value.measure.short for value in columns)]


def find_order(test: Comparisons | None, value: Value) -> Order | None:
    """The order of the systems under a value, according to the tests."""
    if test is None:
        return None
    return next(
        (order for order in test.orders if (order.measure, order.value) == (value.measure.name, value.name)), None
    )


def _places(result: Result, rank_by: Value, systems: Sequence[str], order: Order | None) -> dict[str, str]:
    """The rank of each system; with tests, the range of ranks that they allow."""
    values = {system: result[system, rank_by.measure.name].values[rank_by.name] for system in systems}
    places: dict[str, str] = {}
    ranges = {rank.system: (rank.best, rank.worst) for rank in order.ranks} if order else {}
    for index, system in enumerate(systems, 1):
        same = next((other for other in systems[: index - 1] if values[other] == values[system]), None)
        places[system] = places[same].partition(" ")[0] if same else str(index) if values[system] is not None else ""
        best, worst = ranges.get(system, (0, 0))
        if best != worst:
            places[system] += f" ({best}–{worst})"
    return places


def letters_of(order: Order | None) -> dict[str, str]:
    """A letter for every group of systems that do not differ significantly; a system in several groups has several.

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


def _rank_note(rank_by: Value, places: Sequence[str]) -> str:
    """Notes on what ranks the systems, and what ranks in parentheses are."""
    is_open = any("(" in place for place in places)
    return f"ranked by {value_label(rank_by.measure, rank_by.name)}" + (
        "; in parentheses, the ranks that the tests leave open" if is_open else ""
    )


def _test_note(test: Comparisons) -> str:
    settings = test.settings
    return (
        f"systems that share a letter do not differ significantly: {settings['test']} test over {settings['units']} "
        f"{settings['unit']}s, level {settings['level']:g}, Holm's correction"
    )
