"""The results of analyses of several scores as text: plans of test sets, rankings, sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aune.meta.robustness import PairRobustness, Robustness
from aune.meta.sensitivity import Sensitivity, Separation
from aune.reports.comparison import amount
from aune.reports.figures.plot import Axis, NumberGrid, Plot, Point, Series
from aune.reports.meta import write
from aune.reports.tabular import UNDEFINED, Table, number, title_of

if TYPE_CHECKING:
    from aune.statistics.planning import Requirement, SamplePlan

UNKNOWN = "(unknown)"
"""The name of a system that does not exist yet."""


def analysis_written(analysis: SamplePlan | Robustness | Sensitivity, format: str, digits: int = 2) -> str:
    """An analysis in a format: table, json, jsonl, csv, tsv, markdown, latex or html."""
    records, tables = analysis_parts(analysis, digits)
    return write(records, tables, format)


def analysis_parts(
    analysis: SamplePlan | Robustness | Sensitivity, digits: int = 2
) -> tuple[Mapping[str, Any], list[Table]]:
    """An analysis as records, for machine-readable formats, and as tables."""
    if isinstance(analysis, Sensitivity):
        return sensitivity_records(analysis), sensitivity_tables(analysis, digits)
    if isinstance(analysis, Robustness):
        return robustness_records(analysis), robustness_tables(analysis)
    return plan_records(analysis), plan_tables(analysis, digits)


def _signed_settings(settings: Mapping[str, Any]) -> str:
    return "|".join(f"{name}:{value:g}" if isinstance(value, float) else f"{name}:{value}"
                    for name, value in settings.items())  # fmt: skip


def plan_records(plan: SamplePlan) -> dict[str, Any]:
    """The plan for every value, and its curves."""
    return {
        "task": plan.result.task,
        "plan": dict(plan.settings),
        "warnings": [*plan.result.warnings, *plan.warnings],
        "requirements": [entry._asdict() for entry in plan.requirements],
        "curve": [point._asdict() for point in plan.curve],
    }


def plan_tables(plan: SamplePlan, digits: int = 2) -> list[Table]:
    """What exists and what is needed, and the curve of each value that is shown."""
    measures = {measure.name: measure for measure in plan.result.measures}
    unit = f"{plan.settings['unit']}s"
    shown = [entry for entry in plan.requirements if (entry.measure, entry.value) in plan.chosen]
    level = f"{plan.settings['level']:.0%}".replace("%", " %")
    rows = [_requirement_row(entry, plan, digits) for entry in shown]
    header = ("measure", "value", "a", "b", "a − b", unit, "can show", "to show", f"{unit} needed", f"{level} range")
    points = [point for point in plan.curve if (point.measure, point.value) in plan.chosen]
    curve_rows = [
        (measures[point.measure].short, point.value, point.a, point.b or UNKNOWN, f"{point.units:,}",
         amount(point.detectable, measures[point.measure]))
        for point in points
    ]  # fmt: skip
    power = f"{plan.settings['power']:.0%}".replace("%", " %")
    notes = (
        f"can show: the least difference that so many {unit} show with {power} power",
        f"{level} range: from how little and how much {unit} may vary after what was seen",
        _signed_settings(plan.settings) + "|sides:2",
    )
    first = Table(title_of(plan.result), header, rows, names=4)
    if not curve_rows:
        return [first._replace(notes=notes)]
    return [first, Table("", ("measure", "value", "a", "b", unit, "can show"), curve_rows, names=4, notes=notes)]


def _requirement_row(entry: Requirement, plan: SamplePlan, digits: int) -> tuple[str, ...]:
    measure = next(candidate for candidate in plan.result.measures if candidate.name == entry.measure)
    low, high = (UNDEFINED if size is None else f"{size:,}" for size in (entry.needed_low, entry.needed_high))
    return (
        measure.short,
        entry.value,
        entry.a,
        entry.b or UNKNOWN,
        number(entry.observed, measure, digits),
        f"{entry.units:,}",
        UNDEFINED if entry.detectable is None else amount(entry.detectable, measure),
        UNDEFINED if entry.difference is None else amount(entry.difference, measure),
        UNDEFINED if entry.needed is None else f"{entry.needed:,}",
        f"{low} to {high}" if entry.needed is not None else UNDEFINED,
    )


def plan_figure(plan: SamplePlan) -> Plot:
    """The smallest difference that can be shown, against the number of units: a line per value and pair of systems."""
    measures = {measure.name: measure for measure in plan.result.measures}
    lines: dict[tuple[str, str, str, str], list[Point]] = {}
    for point in plan.curve:
        if (point.measure, point.value) in plan.chosen:
            text = f"{point.units:,} {plan.settings['unit']}s: {amount(point.detectable, measures[point.measure])}"
            key = (point.measure, point.value, point.a, point.b)
            lines.setdefault(key, []).append(Point(point.units, point.detectable, text))
    percent = all(measures[measure].percent for measure, *_ in lines)
    series = [
        Series(_line_name(key, plan, measures[key[0]].short), points, "line", dashed=bool(place % 2))
        for place, (key, points) in enumerate(lines.items())
    ]
    title = f"Differences that can be shown ({plan.settings['power']:.0%} power)"
    return Plot(title, Axis(f"{plan.settings['unit']}s", logarithmic=True), Axis("difference", 0.0, percent=percent),
                series)  # fmt: skip


def _line_name(key: Sequence[str], plan: SamplePlan, measure: str) -> str:
    _, value, first, second = key
    pair = f", {first} and {second}" if len(plan.result.runs) > 2 else ""
    return f"{measure}.{value}{pair}"


# Robustness.


def robustness_records(outcome: Robustness) -> dict[str, Any]:
    """The outcome of all combinations for each pair, and the order of the systems in each of them."""
    return {
        "task": outcome.task,
        "settings": dict(outcome.settings),
        "choices": dict(outcome.choices),
        "warnings": outcome.warnings,
        "pairs": [{**pair._asdict(), "reversals": {item.choice: item.share for item in pair.reversals}}
                  for pair in outcome.pairs],
        "combinations": outcome.combinations,
    }  # fmt: skip


def robustness_tables(outcome: Robustness) -> list[Table]:
    """The pairs of systems, and the ranks of each system."""
    rows = [_pair_row(pair) for pair in outcome.pairs]
    header = ("a", "b", "a ahead", "significantly", "b ahead", "significantly", "decided by", "reversals")
    places = {name: [record["order"].index(name) + 1 for record in outcome.combinations] for name in outcome.systems}
    ordered = sorted(outcome.systems, key=lambda name: sum(places[name]))
    place_rows = [
        (name, f"{sum(places[name]) / len(places[name]):.1f}", str(min(places[name])), str(max(places[name])),
         _percent(places[name].count(1) / len(places[name])))
        for name in ordered
    ]  # fmt: skip
    notes = (
        *(f"{name}: {', '.join(values)}" for name, values in outcome.choices.items()),
        "reversals: how often a change of this choice alone reverses the order of the pair",
        _signed_settings(outcome.settings),
    )
    title = f"{outcome.task}: {outcome.settings['combinations']:,} combinations of {len(outcome.choices)} choices"
    return [Table(title, header, rows, names=2),
            Table("", ("system", "mean rank", "best", "worst", "first in"), place_rows, notes=notes)]  # fmt: skip


def _pair_row(pair: PairRobustness) -> tuple[str, ...]:
    shares = (pair.a_ahead, pair.a_significant, pair.b_ahead, pair.b_significant)
    reversal = _percent(pair.reversals[0].share) if pair.decisive else UNDEFINED
    return pair.a, pair.b, *map(_percent, shares), pair.decisive or UNDEFINED, reversal


def _percent(share: float) -> str:
    """A share as a percentage; 100 % is only shown if it is exact.

    >>> _percent(0.333), _percent(0.999), _percent(1.0)
    ('33 %', '99 %', '100 %')
    """
    rounded = round(100 * share)
    return f"{min(max(rounded, 1 if share > 0 else 0), 99 if share < 1 else 100)} %"


def robustness_figure(outcome: Robustness) -> NumberGrid:
    """The share of combinations in which the system of the row is ahead of that of the column."""
    shares = {(pair.a, pair.b): pair.a_ahead for pair in outcome.pairs}
    shares |= {(pair.b, pair.a): pair.b_ahead for pair in outcome.pairs}
    places = {name: sum(shares[name, other] for other in outcome.systems if other != name) for name in outcome.systems}
    ordered = sorted(outcome.systems, key=lambda name: -places[name])
    values = [[shares.get((row, column)) for column in ordered] for row in ordered]
    title = f"Share of {outcome.settings['combinations']:,} combinations in which the row is ahead of the column"
    return NumberGrid(title, ordered, ordered, values)


# Sensitivity.


def sensitivity_records(outcome: Sensitivity) -> dict[str, Any]:
    """How well each value separates each pair of neighbours."""
    return {
        "task": outcome.result.task,
        "settings": dict(outcome.settings),
        "warnings": [*outcome.result.warnings, *outcome.warnings],
        "separations": [entry._asdict() for entry in outcome.separations],
    }


def sensitivity_tables(outcome: Sensitivity, digits: int = 2) -> list[Table]:
    """A row per value, a column per pair of neighbours; then the values at each step."""
    measures = {measure.name: measure for measure in outcome.result.measures}
    by_value: dict[tuple[str, str], list[Separation]] = {}
    for entry in outcome.separations:
        by_value.setdefault((entry.measure, entry.value), []).append(entry)
    pairs = [f"{entry.better} | {entry.worse}" for entry in next(iter(by_value.values()))]
    systems = [entry.better for entry in next(iter(by_value.values()))] + [outcome.separations[-1].worse]
    rows, value_rows = [], []
    best = set()
    for place, ((measure, value), entries) in enumerate(by_value.items()):
        name = measures[measure].short
        rows.append((name, value, *map(_separation_cell, entries)))
        best |= {(place, column) for column, entry in enumerate(entries, 2) if entry.is_most_sensitive}
        numbers = [entry.better_value for entry in entries] + [entries[-1].worse_value]
        value_rows.append((name, value, *(number(size, measures[measure], digits) for size in numbers)))
    unit = outcome.settings["unit"]
    notes = (
        f"the gain in standard errors, and in parentheses the {unit}s that show it with 80 % power",
        "=: saturates, while another measure separates these neighbours at the level",
        _signed_settings(outcome.settings),
    )
    first = Table(title_of(outcome.result), ("measure", "value", *pairs), rows, 2, frozenset(best))
    return [first, Table("", ("measure", "value", *systems), value_rows, names=2, notes=notes)]


def _separation_cell(entry: Separation) -> str:
    if entry.errors is None:
        return f"{UNDEFINED} =" if entry.saturates else UNDEFINED
    errors = f"{entry.errors:.1f}".replace("-", "−")
    needed = f" ({entry.needed:,})" if entry.needed is not None else ""
    return f"{errors}{needed}{' =' if entry.saturates else ''}"
