"""Several annotations of the same texts: read, put side by side, and compared pair by pair and all together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from aune import __version__
from aune.core import registry
from aune.core.asked import asked_options, chosen_measures, reader_options
from aune.core.corpus import Corpus, read
from aune.core.errors import NothingToScoreError, UsageError
from aune.core.evaluation import evaluate
from aune.core.measure import Measure
from aune.core.options import check_known, shown
from aune.core.result import Result, Scored
from aune.core.rows import rows_of
from aune.core.signature import signature
from aune.core.task import Judgements, Task
from aune.statistics.agreement import Distance, agreement
from aune.statistics.gamma import MEASURE
from aune.statistics.intervals import AUTO, FEWEST


def annotators_agreement(
    task: str,
    annotators: Mapping[str, Any],
    *,
    measures: Sequence[str | Measure] = (),
    distance: Distance | None = None,
    gamma: bool = False,
    unit: str = "document",
    convention: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Result:
    """The agreement of annotations given as paths or plain structures, by annotator.

    Options are those of the readers, and with `measures` also those of the task and its measures, and a convention.
    `unit` is what intervals will be made from: documents, or sentences where the task's units lie in them.

    >>> found = annotators_agreement("coref", {"Ann": [{1, 2, 3}, {4}], "Ben": [{1, 2}, {3, 4}]})
    >>> round(found["Ann–Ben", "krippendorff(masi)"].alpha, 3)
    0.016
    """
    if len(annotators) < 2:
        raise UsageError("expected the files of at least two annotators")
    home = registry.task(task)
    task = home.name
    said = home.judgements
    scored = bool(measures) or not said
    if scored:
        asked_options(home, chosen_measures(home, measures), convention, options)
    else:
        reader_options(
            home, {**options, **({"convention": convention} if convention else {})}, "option without --measures"
        )
    corpora = {name: read(home, given, input_format, **options) for name, given in annotators.items()}
    result = Result(task, [], [one.input("annotation", name) for name, one in corpora.items()])
    result.warnings.extend(warning for one in corpora.values() for warning in one.warnings)
    _, holds = home.annotation
    empty = [name for name, one in corpora.items() if not any(map(holds, one.documents))]
    result.warnings.extend(f"{name}: {home.nothing_given}" for name in empty)
    if said:
        corpus, parts = judged(home, corpora, unit, result.warnings)
        reading = {name: shown(value) for one in corpora.values() for name, value in one.options.items()}
        for one in agreement(corpus, list(annotators), distance=distance, task=task, attributes=parts).scores:
            made = one.signature._replace(options={**reading, **one.signature.options})
            result.scores.append(replace(one, signature=made))
    if gamma:
        result.scores.extend(_gammas(home, corpora, result.warnings))
    if scored:
        for (first, key), (second, response) in combinations(corpora.items(), 2):
            pair = f"{first}–{second}"
            found = evaluate(task, key, {pair: response}, measures=list(measures), convention=convention, **options)
            result.scores.extend(found.scores)
            result.warnings.extend(text for text in found.warnings if text not in result.warnings)
    return result


def _gammas(task: Task, corpora: Mapping[str, Corpus], warnings: list[str]) -> Iterator[Scored]:
    """γ of every pair of annotators and of all, for tasks with labelled spans."""
    spans = task.spans
    if spans is None:
        raise UsageError(f"{task.name} has no labelled spans for γ")
    corpus = side_by_side(
        corpora, lambda documents: [[] if document is None else spans(document) for document in documents], warnings
    )
    every = range(len(corpora))
    for columns in [*combinations(every, 2), *([tuple(every)] if len(corpora) > 2 else [])]:
        kept = [[said[column] for column in columns] for said in corpus.values()]
        rows = rows_of({"document": list(corpus)}, [MEASURE.count(kept)])
        name = "overall" if len(columns) > 2 else "–".join(list(corpora)[column] for column in columns)
        yield Scored(name, MEASURE, signature(f"{task.name}.gamma", {"annotators": len(columns)}, __version__), rows)


def judged(
    task: Task, corpora: Mapping[str, Corpus], unit: str, warnings: list[str]
) -> tuple[dict[str, Judgements], dict[str, list[str]]]:
    """What was said about each document or each sentence, and the names of both."""
    assert task.judgements is not None
    whole = side_by_side(corpora, task.judgements, warnings)
    if unit == AUTO:
        unit = "sentence" if task.sentences and len(whole) < FEWEST else "document"
    if unit == "document" or task.sentences is None:
        check_known([unit], ["document"], "unit to draw")
        return whole, {"document": list(whole)}
    check_known([unit], ["document", "sentence"], "unit to draw")
    numbers = side_by_side(corpora, task.sentences, [])
    pieces: dict[str, list[Any]] = {}
    owners: dict[str, str] = {}
    for document, rows in whole.items():
        for number, row in zip(numbers[document], rows, strict=True):
            name = f"{document}:{number}"
            pieces.setdefault(name, []).append(row)
            owners[name] = document
    return {**pieces}, {"document": list(owners.values()), "sentence": list(owners)}


def side_by_side(
    corpora: Mapping[str, Corpus], judgements: Callable[[Sequence[Any]], Any], warnings: list[str]
) -> dict[str, Any]:
    """What was said about each document that at least two annotators have."""
    if all(len(one.documents) == 1 for one in corpora.values()):
        return {"document": judgements([one.documents[0] for one in corpora.values()])}
    by_name = [{document.id: document for document in one.documents} for one in corpora.values()]
    names = sorted({name for one in by_name for name in one})
    shared = [name for name in names if sum(name in one for one in by_name) > 1]
    if not shared:
        raise NothingToScoreError("no two annotators have a document in common: give them the same document names")
    if alone := len(names) - len(shared):
        warnings.append(f"{alone} document{'s' * (alone > 1)} of one annotator only, left out")
    return {name: judgements([one.get(name) for one in by_name]) for name in shared}
