"""Small calls from Python: a few texts as plain lists, one measure, no options.

An optimiser or a training loop scores one pair of sentences, again and again. What does not depend on the texts (the
measure, its signature, the layout of its counts) takes far longer than counting them. So it is taken from the result
of the first call of its kind, which goes the ordinary way. Later calls count by the task's function for batches
(`Comparing.batches`), and compute their values by the measure's `score`, as always. Their rows are counted in the
ordinary way, if somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Layout, Measure
from aune.contract.notes import merge_notes, note_texts
from aune.contract.signature import Signature
from aune.contract.task import Batch, Task
from aune.errors import AuneError
from aune.evaluation.pipeline import evaluate
from aune.reading.corpus import InputRecord
from aune.results.result import Result, SystemScore
from aune.results.rows import LateRows, Rows

MOST_ITEMS = 64  # texts or sentences of a side: with more of them, the ordinary way takes hardly longer
MOST_KINDS = 256
SYSTEM = "response"  # the name of the only system

CountBatch = Callable[[Any, Any], Batch | None]


class CallKind(NamedTuple):
    """What all calls of a kind have in common."""

    task: Task
    measure: Measure
    signature: Signature
    options: Mapping[str, Any]
    layout: Layout


_KINDS: dict[Hashable, CallKind] = {}


def score_small(task: str, key: Any, response: Any, options: Mapping[str, Any]) -> Result | None:
    """The result of a small call; None for any other call, which goes the ordinary way."""
    names = options.get("measures")
    name = names[0] if type(names) is list and len(names) == 1 else names
    if type(name) is not str or type(task) is not str or len(options) != 1:
        return None
    if type(key) is not list or type(response) is not list or not len(key) == len(response) <= MOST_ITEMS:
        return None
    count_batch = _batch_counter(task, name)
    batch = count_batch(key, response) if count_batch else None
    if batch is None or not batch.documents:
        return None
    kind_name = task, name, batch.documents > 1, *batch.seen.items()
    kind = _KINDS.get(kind_name)
    if kind is not None:
        return _make_result(kind, name, batch, _copy(key), _copy(response))
    result = evaluate(task, key, {SYSTEM: response}, measures=name)
    if len(_KINDS) < MOST_KINDS and [record.documents for record in result.inputs] == [batch.documents] * 2:
        score = result.scores[0]
        _KINDS[kind_name] = CallKind(
            registry.task(task), score.measure, score.signature, score.options, score.rows.layout
        )
    return result


@lru_cache(maxsize=MOST_KINDS)
def _batch_counter(task: str, name: str) -> CountBatch | None:
    """The function that counts batches for a measure; None if there is none, or if the names are unknown."""
    try:
        definition = registry.task(task)
        measure = registry.measure(name, definition.name)
    except AuneError:  # which the ordinary way reports
        return None
    return definition.comparing.batches.get(measure.name)


def _make_result(kind: CallKind, name: str, batch: Batch, key: Sequence[Any], response: Sequence[Any]) -> Result:
    task = kind.task
    texts = note_texts(merge_notes(batch.notes)) if batch.notes else []
    if batch.facts and task.comparing.fact_texts:
        texts += task.comparing.fact_texts(batch.facts)
    has_key_annotation, has_annotation = batch.has_annotation
    if not has_annotation:
        texts.insert(0, task.empty_response_message)
    warnings = [] if has_key_annotation else [task.empty_key_message]
    warnings += [f"{SYSTEM}: {text}" for text in texts]
    rows = LateRows(np.array(batch.totals, float), kind.layout, partial(_count_rows, task.name, name, key, response))
    make_details = partial(_make_details, task.name, name, key, response) if kind.measure.details else None
    score = SystemScore(SYSTEM, kind.measure, kind.signature, rows, kind.options, make_details)
    score.values  # noqa: B018 - raises an error now if it cannot be scored
    records = [
        InputRecord("key", None, None, None, batch.documents),
        InputRecord("response", None, None, None, batch.documents, SYSTEM),
    ]
    return Result(task.name, [score], records, warnings)


def _count_rows(task: str, name: str, key: Sequence[Any], response: Sequence[Any]) -> Rows:
    return evaluate(task, key, {SYSTEM: response}, measures=name).scores[0].rows


def _make_details(task: str, name: str, key: Sequence[Any], response: Sequence[Any]) -> Any:
    return evaluate(task, key, {SYSTEM: response}, measures=name).scores[0].details


def _copy(side: Sequence[Any]) -> list[Any]:
    """The texts of a side as they are now: the caller may change its lists before somebody looks at the rows."""
    return [item if type(item) is str else list(item) for item in side]
