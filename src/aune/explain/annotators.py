"""Several annotations of the same texts: read, paired, and compared pair by pair and all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
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
    judging_options = _judging_options(home, options)
    scored = bool(measures) or not home.agreement.judgements
    options = _without_judging(home, measures, scored, judging_options, convention, options)
    corpora = read_by_annotator(home, annotators, input_format, **options)
    if len(corpora) < 2:
        raise UsageError(TOO_FEW)
    result = Result(task, [], [item.input_record("annotation", name) for name, item in corpora.items()])
    result.warnings.extend(warning for item in corpora.values() for warning in item.warnings)
    _, has_content = home.reading.annotation
    empty = [name for name, item in corpora.items() if not any(map(has_content, item.documents))]
    result.warnings.extend(f"{name}: {home.empty_response_message}" for name in empty)
    if gwet and not home.agreement.judgements:
        raise UsageError(f"{home.name} has no judgements of units for gwet: leave the option out")
    if home.agreement.judgements:
        result.scores.extend(_judged_scores(home, corpora, unit, result.warnings, judging_options, distance, gwet))
    if gamma:
        result.scores.extend(_gamma_scores(home, corpora, result.warnings))
    if scored:
        more = () if measures else _agreement_measures(home, corpora)
        named = [*home.comparing.measures, *more] if more else list(measures)
        for (first, key), (second, response) in combinations(corpora.items(), 2):
            pair = f"{first}–{second}"
            pair_result = evaluate(task, key, {pair: response}, measures=named, convention=convention, **options)
            result.scores.extend(pair_result.scores)
            result.warnings.extend(text for text in pair_result.warnings if text not in result.warnings)
    return result


def _judging_options(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the task's judgements, all of which a signature shows, and those of further ones if given."""
    if not task.agreement.judgements:
        return {}
    further = reader_options(task.agreement.further, options) if task.agreement.further else {}
    explicit = {name: value for name, value in further.items() if name in options}
    return {**explicit, **reader_options(task.agreement.judgements, options)}


def _without_judging(
    task: Task, measures: Sequence[str | Measure], scored: bool, judging: Mapping[str, Any], convention: str | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The options of readers and measures; others are refused, and those of measures if nothing is scored."""
    selected = select_measures(task, measures) if scored else []
    shared = {*options_of(task.comparing.compare), *(name for measure in selected for name in measure.options)}
    others = {name: value for name, value in options.items() if name not in judging or (scored and name in shared)}
    if scored:
        resolve_options(task, selected, convention, others)
    else:
        check_reader_options(
            task, {**others, **({"convention": convention} if convention else {})}, "option without --measures"
        )
    return others


def _judged_scores(
    task: Task, corpora: Mapping[str, Corpus], unit: str, warnings: list[str], options: Mapping[str, Any],
    distance: Distance | None, gwet: bool,
) -> Iterator[SystemScore]:  # fmt: skip
    """The coefficients of the task's judgements, then those of what else the annotators decided."""
    judge, further = task.agreement.judgements, task.agreement.further
    assert judge is not None
    tables = shared_judgements(corpora, partial(judge, **_select_options(judge, options)), warnings)
    _warn_of_differences(task, corpora, tables, warnings, options)
    units = _choose_units(task, corpora, tables, unit)
    texts = shared_judgements(corpora, list, [])
    results = [agreement(units.split(tables), list(corpora), distance=distance, gwet=gwet, task=task.name,
                         attributes=units.attributes)]  # fmt: skip
    by_name = further(list(texts.values()), **_select_options(further, options)) if further else {}
    of_sets: Distance = distance if distance in ("masi", "jaccard") else "masi"
    for name, by_text in by_name.items():
        named_tables = units.split(dict(zip(texts, by_text, strict=True)))
        results.append(agreement(named_tables, list(corpora), distance=of_sets, task=task.name,
                                 attributes=units.attributes, judged=name))  # fmt: skip
    reading_options = {name: value for item in corpora.values() for name, value in item.options.items()}
    shown = {name: format_value(value) for name, value in {**reading_options, **options}.items()}
    for score in (score for result in results for score in result.scores):
        yield replace(score, signature=score.signature._replace(options={**shown, **score.signature.options}))


def _select_options(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that a function takes."""
    known = options_of(function)
    return {name: value for name, value in options.items() if name in known}


def _agreement_measures(task: Task, corpora: Mapping[str, Corpus]) -> Sequence[str]:
    """The measures that are printed in addition to the usual ones, because annotators differ in what they count."""
    if not task.agreement.measures:
        return ()
    return task.agreement.measures([corpus.documents for corpus in corpora.values()])


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


def _warn_of_differences(
    task: Task, corpora: Mapping[str, Corpus], tables: Mapping[str, Judgements], warnings: list[str],
    options: Mapping[str, Any],
) -> None:  # fmt: skip
    """Warn about obstacles to a comparison, and about units that not every annotator judged."""
    if task.agreement.differences:
        hindrances: Counter[str] = Counter()
        for reasons in shared_judgements(corpora, task.agreement.differences, []).values():
            hindrances.update(reasons)
        warnings.extend(
            f"{reason} ({number:,} document{'s' * (number != 1)})" for reason, number in hindrances.items() if number
        )
    if unjudged := task.agreement.unjudged:
        counts: Counter[str] = Counter()
        accepted = _select_options(unjudged, options)
        for reasons in shared_judgements(corpora, partial(unjudged, **accepted), []).values():
            counts.update(reasons)
        total = sum(map(len, tables.values()))
        warnings.extend(
            f"{number:,} of {total:,} {reason}: the coefficients of labels leave them out"
            for reason, number in counts.items()
            if number
        )


@dataclass(frozen=True)
class _Units:
    """The units of intervals: documents, or their sentences."""

    attributes: Mapping[str, list[str]]
    """The document of each unit, and the sentence if units are sentences."""
    numbers: Mapping[str, Sequence[int]] | None = None
    """The sentence of each row of a document's judgements, if units are sentences."""

    def split(self, tables: Mapping[str, Judgements]) -> dict[str, Judgements]:
        """Tables by document as tables by unit."""
        if self.numbers is None:
            return {**tables}
        by_sentence: dict[str, list[Any]] = {name: [] for name in self.attributes["sentence"]}
        for document, rows in tables.items():
            for number, row in zip(self.numbers[document], rows, strict=True):
                by_sentence[f"{document}:{number}"].append(row)
        return {**by_sentence}


def _choose_units(task: Task, corpora: Mapping[str, Corpus], tables: Mapping[str, Judgements], unit: str) -> _Units:
    """The units that `unit` names; for auto, the sentences of a single document without a name."""
    if unit == AUTO:
        unit = "sentence" if task.agreement.sentences and list(tables) == [UNNAMED] else "document"
    if unit == "document" or task.agreement.sentences is None:
        check_known([unit], ["document"], "unit to draw")
        return _Units({"document": list(tables)})
    check_known([unit], ["document", "sentence"], "unit to draw")
    numbers = shared_judgements(corpora, task.agreement.sentences, [])
    owners = {f"{document}:{number}": document for document in tables for number in numbers[document]}
    return _Units({"document": list(owners.values()), "sentence": list(owners)}, numbers)


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
