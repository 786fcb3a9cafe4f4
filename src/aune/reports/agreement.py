"""The agreement of annotators as squares: a row and a column for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aune.contract.measure import Measure
from aune.reports.tabular import Table, cell, notes, signatures
from aune.results.result import Result


def matrices(result: Result, annotators: Sequence[str], digits: int = 2) -> list[Table]:
    """The main value of each measure for every pair, as a square; below it the value of all annotators together."""
    tables = []
    for measure in {score.name: score.measure for score in result}.values():
        scores = {score.system: score for score in result if score.name == measure.name}

        def cell_text(pair: str, measure: Measure = measure, scores: Mapping[str, Any] = scores) -> str:
            score = scores.get(pair)
            return cell(score.main, measure, digits, score.intervals.get(measure.headline)) if score else ""

        rows = [
            (first, *("" if a >= b else cell_text(f"{first}–{second}") for b, second in enumerate(annotators)))
            for a, first in enumerate(annotators[:-1])
            if scores.keys() != {"overall"}
        ]
        header = (f"{measure.name} {measure.headline}", *annotators)
        rows += [("overall", cell_text("overall"), *[""] * (len(annotators) - 1))] if "overall" in scores else []
        tables.append(Table("", header, rows))
    names = ", ".join(map(str, annotators))
    caption = f"Agreement of {names} ({result.task})."
    tables[0] = tables[0]._replace(caption=caption, label=f"tab:agreement-{result.task}")
    return [*tables[:-1], tables[-1]._replace(notes=notes(result), signatures=signatures(result))]
