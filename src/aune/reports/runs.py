"""Systems with several runs, as in papers: a row per system, with mean ± standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from aune.reports.tabular import (
    UNDEFINED,
    ChosenValues,
    Table,
    best_of,
    caption_of,
    cell,
    label_of,
    number,
    signatures,
    title_of,
)
from aune.statistics.run_summaries import RunSummary, changing_units, summarise_runs
from aune.statistics.sampling_units import sampling_unit

if TYPE_CHECKING:
    from aune.contract.measure import Measure
    from aune.results.result import Result


def run_tables(
    result: Result,
    digits: int = 2,
    values: ChosenValues = MappingProxyType({}),
    baselines: Sequence[str] = (),
) -> list[Table]:
    """A row per system, best first: the runs, and for each value their mean ± standard deviation."""
    summaries = {(entry.system, entry.measure, entry.value): entry for entry in summarise(result)}
    columns = [(measure, value) for measure in result.measures for value in values.get(measure.name, measure.values)]
    ranking = next(measure for measure in result.measures)
    rank_value = values.get(ranking.name, [ranking.headline])[0]
    systems = sorted(result.runs, key=lambda name: _rank_key(summaries[name, ranking.name, rank_value], ranking))
    ordered = [name for name in systems if name not in baselines] + [name for name in systems if name in baselines]
    has_intervals = any(score.intervals for score in result)
    rows, best = [], set()
    for name in ordered:
        cells = [
            _cell(summaries[name, measure.name, value], measure, digits, has_intervals) for measure, value in columns
        ]
        rows.append((name, str(len(result.runs[name])), *cells))
    ahead = [name for name in ordered if name not in baselines]
    for column, (measure, value) in enumerate(columns, 2):
        means = [summaries[name, measure.name, value].mean for name in ahead]
        best |= {(row, column) for row in best_of(means, measure, value)}
    over = [("", 2), *((name, len(list(same))) for name, same in groupby(measure.short for measure, _ in columns))]
    notes = [
        "mean ± standard deviation of the runs (n − 1)",
        *(_interval_note(result) if has_intervals else ()),
        *_variance_notes([summaries[name, ranking.name, rank_value] for name in ordered], ranking, result),
        *(("values × 100",) if all(measure.percent for measure in result.measures) else ()),
    ]
    parts = (len(ahead),) if ahead and len(ahead) < len(ordered) else ()
    header = ("system", "runs", *(value for _, value in columns))
    return [Table(title_of(result), header, rows, 1, frozenset(best), tuple(notes), tuple(over), parts,
                  signatures(result), caption_of(result), label_of(result))]  # fmt: skip


def _rank_key(summary: RunSummary, measure: Measure) -> float:
    return float("inf") if summary.mean is None else -float(measure.goodness(np.array(summary.mean), summary.value))


def _cell(summary: RunSummary, measure: Measure, digits: int, with_interval: bool) -> str:
    mean = number(summary.mean, measure, digits)
    spread = "" if summary.sd is None or summary.mean is None else f" ± {number(summary.sd, measure, digits)}"
    interval = cell(summary.mean, measure, digits, summary.ci).removeprefix(mean) if with_interval else ""
    return f"{mean}{spread}{interval}"


def _interval_note(result: Result) -> list[str]:
    level = next((score.signature.options["level"] for score in result if score.intervals), "0.95")
    return [f"[low, high]: {100 * float(level):g} % confidence interval of the mean, over texts and runs"]


def _variance_notes(summaries: Sequence[RunSummary], measure: Measure, result: Result) -> list[str]:
    """The share of the variance that is due to texts, and the number of units that change between runs."""
    several = [entry for entry in summaries if entry.runs > 1]
    name = f"{measure.short}.{several[0].value}" if several else ""
    lines = []
    for entry in several:
        share = UNDEFINED if entry.text_share is None else f"{100 * entry.text_share:.0f} %"
        lines.append(
            f"{entry.system}: {share} of the variance of the mean {name} is due to texts, the rest to runs; "
            f"it changes from run to run on {entry.changing:,} of {entry.units:,} {_unit(result)}s"
        )
    return lines


def _unit(result: Result) -> str:
    return next((score.signature.options["unit"] for score in result if score.intervals), sampling_unit(result).name)


def summarise(result: Result) -> list[RunSummary]:
    """The summaries of a result, at the level and over the units of its intervals if it has some."""
    settings = next((score.signature.options for score in result if score.intervals), {})
    return summarise_runs(result, level=float(settings.get("level", 0.95)), unit=settings.get("unit", "auto"))


def run_records(result: Result) -> dict[str, list[dict[str, Any]]]:
    """The JSON for systems with several runs; empty if there are none."""
    if not result.has_runs:
        return {}
    settings = next((score.signature.options for score in result if score.intervals), {})
    changing = [
        entry._asdict()
        for measure in result.measures
        for entry in changing_units(result, measure.name, measure.headline, settings.get("unit", "auto"))
    ]
    return {"systems": [entry._asdict() for entry in summarise(result)], "changing": changing}
