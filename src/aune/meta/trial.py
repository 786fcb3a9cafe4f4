"""Every pair of small documents scored alone, for the criteria that a measure keeps on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aune.core.evaluation import evaluate
from aune.core.measure import Column, Measure
from aune.core.result import Scored
from aune.core.rows import group
from aune.core.task import Task, renamed

CHUNK = 100_000  # pairs evaluated at once


def values_of(
    task: Task,
    measures: Sequence[Measure],
    pairs: Sequence[tuple[Any, Any]],
    convention: str | None = None,
    **options: Any,
) -> list[dict[str, Column]]:
    """The values of every pair alone: for each measure, an array per value; NaN where a pair has nothing to count."""
    found: dict[str, list[dict[str, Column]]] = {measure.name: [] for measure in measures}
    for start in range(0, len(pairs), CHUNK):
        chunk = pairs[start : start + CHUNK]
        keys, responses = (
            [renamed(one, str(number)) for number, one in enumerate(side)] for side in zip(*chunk, strict=True)
        )
        result = evaluate(
            task.name, keys, {"response": responses}, measures=list(measures), convention=convention, **options
        )
        for score in result:
            found[score.name].append(_by_pair(score, len(chunk)))
    joined = {
        measure: {name: np.concatenate([one[name] for one in chunks]) for name in chunks[0]}
        for measure, chunks in found.items()
    }
    return [joined[measure.name] for measure in measures]


def _by_pair(score: Scored, pairs: int) -> dict[str, Column]:
    """The values of each document, put in the place that its name says."""
    rows = group(score.rows, "document")
    places = np.array(rows.attributes["document"], np.int64)
    alone = replace(score, measure=replace(score.measure, by=""))
    found = {}
    for name, values in alone.scores_of(rows.matrix, rows.layout).items():
        found[name] = np.full(pairs, np.nan)
        found[name][places] = values
    return found
