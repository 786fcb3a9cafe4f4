"""Score every pair of small documents separately, for the criteria of coherence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aune.contract.measure import Column, Measure
from aune.contract.task import Task, rename_document
from aune.errors import UsageError
from aune.evaluation.pipeline import evaluate
from aune.results.result import SystemScore
from aune.results.rows import group

PAIRS_AT_ONCE = 100_000  # pairs evaluated at once


def pair_values(
    task: Task,
    measures: Sequence[Measure],
    pairs: Sequence[tuple[Any, Any]],
    convention: str | None = None,
    **options: Any,
) -> list[dict[str, Column]]:
    """The values of every pair: for each measure, an array per value; NaN if a pair has nothing to count."""
    values: dict[str, list[dict[str, Column]]] = {measure.name: [] for measure in measures}
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        chunk = pairs[start : start + PAIRS_AT_ONCE]
        keys, responses = (
            [rename_document(item, str(number)) for number, item in enumerate(side)]
            for side in zip(*chunk, strict=True)
        )
        result = evaluate(
            task.name, keys, {"response": responses}, measures=list(measures), convention=convention, **options
        )
        for score in result:
            values[score.name].append(_by_pair(score, len(chunk)))
    joined = {
        measure: {name: np.concatenate([item[name] for item in chunks]) for name in chunks[0]}
        for measure, chunks in values.items()
    }
    return [joined[measure.name] for measure in measures]


def measures_with_needs(
    task: Task, measures: Sequence[Measure], pair: tuple[Any, Any], convention: str | None = None, **options: Any
) -> dict[str, str]:
    """The measures that these options make impossible, such as those that need a trained model, with the reasons."""
    reasons = {}
    for measure in measures:
        try:
            pair_values(task, [measure], [pair], convention, **options)
        except UsageError as error:
            reasons[measure.name] = str(error)
    return reasons


def _by_pair(score: SystemScore, pairs: int) -> dict[str, Column]:
    """The values of each document, at the index given by its name."""
    rows = group(score.rows, "document")
    places = np.array(rows.attributes["document"], np.int64)
    alone = replace(score, measure=replace(score.measure, by=""))
    columns = {}
    for name, values in alone.score_sums(rows.matrix, rows.layout).items():
        columns[name] = np.full(pairs, np.nan)
        columns[name][places] = values
    return columns
