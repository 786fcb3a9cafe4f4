"""Comparisons of systems as text: the pairs, and the resulting order of the systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from aune.contract.options import check_known
from aune.reports import FORMATS, render_tables
from aune.reports.delimited import delimited_text
from aune.reports.json import to_json
from aune.reports.paper import tables
from aune.reports.runs import run_tables
from aune.reports.tabular import UNDEFINED, ChosenValues, Table, number

if TYPE_CHECKING:
    from aune.contract.measure import Measure
    from aune.statistics.comparison import Comparisons, Order, Pair
    from aune.statistics.decisions import Decision


def write(
    comparisons: Comparisons,
    format: str,
    digits: int = 2,
    *,
    values: ChosenValues = MappingProxyType({}),
    colour: bool = False,
    width: int | None = None,
    signature: str | None = None,
) -> str:
    """Comparisons in a format: tables show the main value of each measure, or those chosen, the others show all."""
    check_known([format], FORMATS, "output format")
    if format == "json":
        return to_json(comparisons.to_dict(), indent=1)
    if format == "jsonl":
        records = [
            {"record": "test", **comparisons.settings},
            *({"record": "comparison", **p._asdict()} for p in comparisons.pairs),
        ]
        return "".join(map(to_json, records))
    if format in ("csv", "tsv"):
        return delimited_text([_HEADER, *map(_flat, comparisons.pairs)], "," if format == "csv" else "\t")
    comparison_tables = [_pairs(comparisons, digits, values)]
    if len(comparisons.result.runs) > 2:
        comparison_tables.append(_orders(comparisons, values))
    if comparisons.decisions:
        comparison_tables.append(decision_table(comparisons.decisions, comparisons, digits))
    layout = run_tables if comparisons.result.has_runs else tables
    scores = layout(comparisons.result, digits=digits, values=values)
    notes = (
        *comparison_tables[-1].notes,
        *_detectable_notes(comparisons),
        _settings_note(comparisons),
        *scores[-1].notes,
    )
    plain = [table._replace(notes=(), signatures=()) for table in (*scores, *comparison_tables)]
    signed = plain[-1]._replace(notes=notes, signatures=scores[-1].signatures)
    return render_tables([*plain[:-1], signed], format, colour=colour, width=width, signature=signature)


comparisons_written = write
"""The same under the name of the public function."""

SHORT = {"holm": "Holm", "benjamini-hochberg": "B–H"}
_HEADER = ("measure", "value", "a", "b", "difference", "low", "high", "p", "p_holm", "p_bh", "effect")


def _flat(pair: Pair) -> tuple[object, ...]:
    low, high = pair.ci or ("", "")
    tested = (pair.p, pair.p_holm, pair.p_bh, pair.effect)
    return (pair.measure, pair.value, pair.a, pair.b, pair.difference, low, high, *tested)


def _pairs(comparisons: Comparisons, digits: int, values: ChosenValues) -> Table:
    measures = {measure.name: measure for measure in comparisons.result.measures}
    rows = [_row(comparisons, pair, measures[pair.measure], digits) for pair in comparisons.pairs
            if pair.value in values.get(pair.measure, [measures[pair.measure].headline])]  # fmt: skip
    interval = f"{comparisons.settings['level']:.0%} interval"
    corrected = f"p ({SHORT[comparisons.settings['correction']]})"
    return Table("", ("measure", "value", "a", "b", "a − b", interval, "p", corrected, "effect"), rows, names=4)


def _row(comparisons: Comparisons, pair: Pair, measure: Measure, digits: int) -> tuple[str, ...]:
    signed = number(pair.difference, measure, digits)
    bounds = [number(bound, measure, digits) for bound in pair.ci] if pair.ci else []
    return (
        measure.short,
        pair.value,
        pair.a,
        pair.b,
        signed if pair.difference is None or pair.difference <= 0 else f"+{signed}",
        f"[{', '.join(bounds)}]" if bounds else UNDEFINED,
        *(p_value(p) for p in (pair.p, pair.corrected_p(comparisons.settings["correction"]))),
        UNDEFINED if pair.effect is None else f"{pair.effect:.2f}".replace("-", "−"),
    )


def p_value(p: float | None) -> str:
    """A p-value with the significant digits.

    >>> p_value(0.0312), p_value(0.0001), p_value(None)
    ('0.031', '0.0001', '–')
    """
    if p is None:
        return UNDEFINED
    return f"{p:.3f}" if p >= 0.001 else f"{p:.4f}" if p >= 0.0001 else f"{p:.0e}"


def _orders(comparisons: Comparisons, values: ChosenValues) -> Table:
    measures = {measure.name: measure for measure in comparisons.result.measures}
    rows = [
        _order(comparisons, order)
        for order in comparisons.orders
        if order.value in values.get(order.measure, [measures[order.measure].headline])
    ]
    return Table("", ("measure", "value", "ranks", "do not differ significantly"), rows, names=4)


def _order(comparisons: Comparisons, order: Order) -> tuple[str, ...]:
    ranks = [
        f"{rank.system} {rank.best}" + (f"–{rank.worst}" if rank.worst > rank.best else "") for rank in order.ranks
    ]
    together = [" ".join(group) for group in order.groups if len(group) > 1]
    name = comparisons.result[comparisons.result.systems[0], order.measure].measure.short  # with its options
    return name, order.value, ", ".join(ranks), "; ".join(together) or UNDEFINED


def _settings_note(comparisons: Comparisons) -> str:
    settings = {name: value for name, value in comparisons.settings.items() if name != "family"}
    over = "all measures and pairs of systems" if "family" in comparisons.settings else "pairs of systems"
    settings["correction"] = f"{settings['correction']} over {over}"
    return "|".join(f"{name}:{value}" for name, value in settings.items()) + "|sides:2"


def _detectable_notes(comparisons: Comparisons) -> list[str]:
    """The differences that the test set can show, for each value that is shown."""
    measures = {measure.name: measure for measure in comparisons.result.measures}
    notes = []
    for entry in comparisons.detectable:
        measure = measures[entry.measure]
        low, high = (amount(size, measure) for size in (entry.low, entry.high))
        about = "" if len(comparisons.detectable) == 1 else f"{measure.short}.{entry.value}: "
        points = " points" if measure.percent else ""
        size, pairs = (high, "") if low == high else (f"{low} to {high}", ", depending on the pair")
        power = f"{entry.power:.0%}".replace("%", " %")
        notes.append(f"{about}this test set can show differences of {size}{points} or more{pairs} ({power} power)")
    return notes


def amount(size: float, measure: Measure) -> str:
    """A difference with two significant digits, in points if values are shown × 100.

    >>> from aune.contract.registry import measure
    >>> amount(0.01934, measure("coref.muc")), amount(0.00123, measure("coref.muc"))
    ('1.9', '0.12')
    """
    number = 100 * size if measure.percent else size
    return f"{number:.{max(0, 1 - math.floor(math.log10(number)))}f}" if number > 0 else "0"


def decision_table(decisions: Sequence[Decision], comparisons: Comparisons, digits: int = 2) -> Table:
    """The decisions as a table: the gain of the new system, and the interval that decides."""
    measures = {measure.name: measure for measure in comparisons.result.measures}
    rows = [_decision_row(decision, measures[decision.measure], digits) for decision in decisions]
    header = ("measure", "value", "new", "old", "claim", "gain", "interval", "p", "outcome")
    return Table("", header, rows, names=5, notes=("gain: new − old, turned so that higher is better",))


def _decision_row(decision: Decision, measure: Measure, digits: int) -> tuple[str, ...]:
    bounds = [number(bound, measure, digits) for bound in decision.ci] if decision.ci else []
    margin = f" ({number(decision.margin, measure, digits)})" if decision.margin else ""
    return (
        measure.short,
        decision.value,
        decision.new,
        decision.old,
        f"{decision.claim}{margin}",
        number(decision.gain, measure, digits),
        f"[{', '.join(bounds)}]" if bounds else UNDEFINED,
        p_value(decision.p),
        decision.outcome,
    )
