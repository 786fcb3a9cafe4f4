"""Several annotations of the same texts: read, paired, and compared pair by pair and all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import Any

from aune import __version__
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import check_known, format_value, options_of
from aune.contract.signature import signature
from aune.contract.task import Judgements, Task
from aune.errors import NothingToScoreError, UsageError
from aune.evaluation.pipeline import evaluate
from aune.evaluation.plan import check_reader_options, resolve_options, select_measures
from aune.reading.annotator_split import read_by_annotator
from aune.reading.corpus import Corpus, reader_options
from aune.reading.system_names import path_stem
from aune.results.result import Result, SystemScore
from aune.results.rows import make_rows
from aune.statistics.agreement import Distance, agreement
from aune.statistics.gamma import MEASURE
from aune.statistics.sampling_units import AUTO, UNNAMED_DOCUMENTS

TOO_FEW = "expected the files of at least two annotators, or one file that names several"
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
UNNAMED = "document"
"""The name of the only document, if the data does not name it."""


def annotators_agreement(
    task: str,
    annotators: Mapping[str, Any],
    *,
    measures: Sequence[str | Measure] = (),
    distance: Distance | None = None,
    gamma: bool = False,
    gwet: bool = False,
    unit: str = "document",
    convention: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Result:
    """The agreement of annotations given as paths or plain structures, by annotator.

    Options are those of the readers and of the task's judgements (`unmarked` for coreference, `column` for tags), and
    with `measures` also those of the task and its measures, and a convention.
    `unit` is the unit for intervals: documents, or sentences if the task's units are inside them.

    >>> found = annotators_agreement("coref", {"Ann": [{1, 2, 3}, {4}], "Ben": [{1, 2}, {3, 4}]})
    >>> round(found["Ann–Ben", "krippendorff(masi)"].alpha, 3)
    0.016
    >>> found.scores[0].signature.options["unmarked"]
    'empty'
    """
    if not annotators:
        raise UsageError(TOO_FEW)
    home = registry.task(task)
    task = home.name
    judgements = home.agreement.judgements
    judgement_options = reader_options(judgements, options) if judgements else {}
    scored = bool(measures) or not judgements
    selected = select_measures(home, measures) if scored else []
    shared = {*options_of(home.comparing.compare), *(name for measure in selected for name in measure.options)}
    options = {
        name: value for name, value in options.items() if name not in judgement_options or (scored and name in shared)
    }
    if scored:
        resolve_options(home, selected, convention, options)
    else:
        check_reader_options(
            home, {**options, **({"convention": convention} if convention else {})}, "option without --measures"
        )
    corpora = read_by_annotator(home, annotators, input_format, **options)
    if len(corpora) < 2:
        raise UsageError(TOO_FEW)
    result = Result(task, [], [item.input_record("annotation", name) for name, item in corpora.items()])
    result.warnings.extend(warning for item in corpora.values() for warning in item.warnings)
    _, has_content = home.reading.annotation
    empty = [name for name, item in corpora.items() if not any(map(has_content, item.documents))]
    result.warnings.extend(f"{name}: {home.empty_response_message}" for name in empty)
    if gwet and not judgements:
        raise UsageError(f"{home.name} has no judgements of units for gwet: leave the option out")
    if judgements:
        corpus, parts = judgements_by_unit(home, corpora, unit, result.warnings, judgement_options)
        reading_options = {
            name: format_value(value) for item in corpora.values() for name, value in item.options.items()
        }
        for item in agreement(corpus, list(corpora), distance=distance, gwet=gwet, task=task, attributes=parts).scores:
            judging_options = {name: format_value(value) for name, value in judgement_options.items()}
            all_options = {**reading_options, **judging_options, **item.signature.options}
            full_signature = item.signature._replace(options=all_options)
            result.scores.append(replace(item, signature=full_signature))
    if gamma:
        result.scores.extend(_gamma_scores(home, corpora, result.warnings))
    if scored:
        for (first, key), (second, response) in combinations(corpora.items(), 2):
            pair = f"{first}–{second}"
            pair_result = evaluate(
                task, key, {pair: response}, measures=list(measures), convention=convention, **options
            )
            result.scores.extend(pair_result.scores)
            result.warnings.extend(text for text in pair_result.warnings if text not in result.warnings)
    return result


def _gamma_scores(task: Task, corpora: Mapping[str, Corpus], warnings: list[str]) -> Iterator[SystemScore]:
    """γ of every pair of annotators and of all, for tasks with labelled spans."""
    spans = task.agreement.spans
    if spans is None:
        raise UsageError(f"{task.name} has no labelled spans for γ")
    corpus = shared_judgements(
        corpora, lambda documents: [[] if document is None else spans(document) for document in documents], warnings
    )
    annotators = range(len(corpora))
    for columns in [*combinations(annotators, 2), *([tuple(annotators)] if len(corpora) > 2 else [])]:
        chosen_spans = [[document_spans[column] for column in columns] for document_spans in corpus.values()]
        rows = make_rows({"document": list(corpus)}, [MEASURE.count(chosen_spans)])
        name = "overall" if len(columns) > 2 else "–".join(list(corpora)[column] for column in columns)
        yield SystemScore(
            name, MEASURE, signature(f"{task.name}.gamma", {"annotators": len(columns)}, __version__), rows
        )


def judgements_by_unit(
    task: Task, corpora: Mapping[str, Corpus], unit: str, warnings: list[str], options: Mapping[str, Any] = NO_OPTIONS
) -> tuple[dict[str, Judgements], dict[str, list[str]]]:
    """The judgements of each document or each sentence, and the names of both."""
    assert task.agreement.judgements is not None
    by_document = shared_judgements(corpora, partial(task.agreement.judgements, **options), warnings)
    if task.agreement.differences:
        hindrances: Counter[str] = Counter()
        for reasons in shared_judgements(corpora, task.agreement.differences, []).values():
            hindrances.update(reasons)
        warnings.extend(
            f"{reason} ({number:,} document{'s' * (number != 1)})" for reason, number in hindrances.items() if number
        )
    if task.agreement.unjudged:
        counts: Counter[str] = Counter()
        for reasons in shared_judgements(corpora, partial(task.agreement.unjudged, **options), []).values():
            counts.update(reasons)
        total = sum(map(len, by_document.values()))
        warnings.extend(
            f"{number:,} of {total:,} {reason}: the coefficients leave them out"
            for reason, number in counts.items()
            if number
        )
    if unit == AUTO:
        unit = "sentence" if task.agreement.sentences and list(by_document) == [UNNAMED] else "document"
    if unit == "document" or task.agreement.sentences is None:
        check_known([unit], ["document"], "unit to draw")
        return by_document, {"document": list(by_document)}
    check_known([unit], ["document", "sentence"], "unit to draw")
    numbers = shared_judgements(corpora, task.agreement.sentences, [])
    by_sentence: dict[str, list[Any]] = {}
    owners: dict[str, str] = {}
    for document, rows in by_document.items():
        for number, row in zip(numbers[document], rows, strict=True):
            name = f"{document}:{number}"
            by_sentence.setdefault(name, []).append(row)
            owners[name] = document
    return {**by_sentence}, {"document": list(owners.values()), "sentence": list(owners)}


def shared_judgements(
    corpora: Mapping[str, Corpus], judgements: Callable[[Sequence[Any]], Any], warnings: list[str]
) -> dict[str, Any]:
    """The judgements of each document that at least two annotators have."""
    if all(len(corpus.documents) == 1 for corpus in corpora.values()):
        return {_single_name(corpora): judgements([corpus.documents[0] for corpus in corpora.values()])}
    by_name = [{document.id: document for document in corpus.documents} for corpus in corpora.values()]
    names = sorted({name for corpus in by_name for name in corpus})
    shared = [name for name in names if sum(name in corpus for corpus in by_name) > 1]
    if not shared:
        raise NothingToScoreError("no two annotators have a document in common: give them the same document names")
    if unshared := len(names) - len(shared):
        warnings.append(f"{unshared} document{'s' * (unshared > 1)} of one annotator only, left out")
    return {name: judgements([corpus.get(name) for corpus in by_name]) for name in shared}


def _single_name(corpora: Mapping[str, Corpus]) -> str:
    """The name of the only document: the one that all files give it, or `document` if they give none."""
    names = {corpus.documents[0].id for corpus in corpora.values()}
    stems = {path_stem(corpus.path) for corpus in corpora.values() if corpus.path}
    return names.pop() if len(names) == 1 and not names & (UNNAMED_DOCUMENTS | stems) else UNNAMED
