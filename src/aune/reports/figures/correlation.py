"""Which measures agree: the rank correlation (Spearman) of every two measures over systems and documents.

Values are turned so that higher is better, and ranked over all pairs of a system and a document on which both measures
are defined; ties get their mean rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aune.contract.measure import Column
from aune.reports.figures.plot import NumberGrid

if TYPE_CHECKING:
    from aune.contract.measure import Measure
    from aune.explain.analysis import Study

MIN_PAIRS = 5  # pairs of a system and a document


def draw(study: Study) -> NumberGrid | None:
    """A square of correlations."""
    measures = [measure for measure in study.result.measures if measure.by in ("", "document")]
    columns = [_values(study, measure) for measure in measures]
    if len(measures) < 2 or len(columns[0]) < MIN_PAIRS or len({len(column) for column in columns}) > 1:
        return None
    values = [[_spearman(column, other) for other in columns] for column in columns]
    names = [measure.short for measure in measures]
    systems = len(study.result.systems)
    sizes = [
        f"{count:,} {noun}{'s' * (count != 1)}"
        for count, noun in ((systems, "system"), (len(columns[0]) // systems, "document"))
    ]
    return NumberGrid(f"Rank correlation of measures: {' × '.join(sizes)}", names, names, values)


def _values(study: Study, measure: Measure) -> Column:
    """The main value of every system on every document, turned so that higher is better."""
    main_values = [
        values[measure.headline]
        for system in study.result.systems
        for _, values in sorted(study.result[system, measure.name].by("document").items())
    ]
    numbers = np.array([np.nan if value is None else value for value in main_values])
    better = measure.better_of(measure.headline)
    return numbers if better == "higher" else -numbers if better == "lower" else -np.abs(numbers)


def _spearman(first_values: Column, second_values: Column) -> float | None:
    is_known = ~(np.isnan(first_values) | np.isnan(second_values))
    if is_known.sum() < MIN_PAIRS:
        return None
    first, second = _ranks(first_values[is_known]), _ranks(second_values[is_known])
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _ranks(values: Column) -> Column:
    """Ranks from 0, the mean rank for ties."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean: Column = (last - counts + last - 1) / 2
    return mean[codes]
