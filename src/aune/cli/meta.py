"""`aune meta`: which measure should we trust."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Count,
    Digits,
    Draws,
    File,
    FileOrStdin,
    Level,
    Limit,
    Measures,
    Options,
    Reading,
    Samples,
    Seed,
    Size,
    TaskName,
    keywords,
    measure_names,
)
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, warn

if TYPE_CHECKING:
    from aune.contract.measure import Measure

GROUP = "Research"
app = App(name="meta", help="Evaluate the measures themselves.", help_format="plaintext")

Files = Annotated[list[str] | None, Parameter(negative=())]


@app.command
def audit(
    *measures: str,
    task: TaskName = "coref",
    size: Size = 6,
    samples: Samples = 2_000,
    seed: Seed = 1,
    convention: str | None = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    **options: Options,
) -> int:
    """Check the coherence criteria for measures, on every response to every small key.

    The criteria are those of Popescu-Belis (1999, §2.3): upper bound, lower bound, and with them bounds, monotony and
    symmetry. A measure of your own is module:ATTRIBUTE.

    Parameters
    ----------
    measures
        Names or expressions of measures; `all` for every measure of the task that is defined on small documents.
    task
        The task of measures named without one.
    size
        Mentions up to which every key and response is tried.
    samples
        Random pairs of larger documents that are tried too.
    seed
        Random seed of the pairs.
    convention
        A named set of options of the task; partition when the task has it.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.meta.audit import audit as audited
    from aune.reports.meta import audit_tables, write

    named = convention or _convention(task)
    kwargs = keywords(options)
    chosen = _computable_measures(measures, task, named, kwargs)
    results = audited(chosen, task=task, size=size, samples=samples, seed=seed, convention=named, **kwargs)
    settings = f"size:{size}|samples:{samples}|seed:{seed}|convention:{named or 'none'}"
    records = {"settings": settings, "audit": [result._asdict() for result in results]}
    put_text(write(records, audit_tables(results, settings), chosen_format(format, output)), output)
    return 0


@app.command
def severity(
    *measures: str,
    task: TaskName = "coref",
    size: Size = 6,
    convention: str | None = None,
    key: File | None = None,
    responses: Annotated[list[File] | None, Parameter(negative=(), consume_multiple=True)] = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    **options: Options,
) -> int:
    """Test whether a measure is always more indulgent than another.

    Tries every pair of small documents, or with --key and --responses the documents of a corpus.

    Parameters
    ----------
    measures
        Names or expressions of measures, two or more; `all` for every measure of the task.
    task
        The task of measures named without one.
    size
        Mentions up to which every key and response is tried; seven takes half a minute.
    convention
        A named set of options of the task; partition when the task has it.
    key
        The key of a corpus to try instead of small documents.
    responses
        The responses to it, one or more; measures come before.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.errors import UsageError
    from aune.evaluation.pipeline import evaluate
    from aune.meta.severity import result_severity
    from aune.meta.severity import severity as compared
    from aune.reading.system_names import system_names
    from aune.reports.meta import severity_tables, write

    chosen = _measures(measures, task)
    named = convention or _convention(task)
    kwargs = keywords(options)
    if len(chosen) < 2:
        raise UsageError("expected at least two measures to compare")
    if key:
        result = evaluate(task, key, system_names(responses or []), measures=chosen, convention=named, **kwargs)
        comparisons, settings = result_severity(result), f"key:{key}|convention:{named or 'none'}"
    else:
        comparisons = compared(chosen, task=task, size=size, convention=named, **kwargs)
        settings = f"size:{size}|convention:{named or 'none'}"
    records = {"settings": settings, "severity": [entry._asdict() for entry in comparisons]}
    put_text(write(records, severity_tables(comparisons, settings), chosen_format(format, output)), output)
    return 0


@app.command
def covariance(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    measures: Measures = None,
    coefficient: str = "spearman",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    reading: Reading = DEFAULT_READING,
    format: OutputFormat = None,
    output: OutputFile = None,
    **options: Options,
) -> int:
    """Test which measures agree on the better system, and whether the ranking can be trusted.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference).
    responses
        The responses (predictions, hypotheses), two or more.
    measures
        Names or expressions; the task's usual ones otherwise.
    coefficient
        The rank correlation of the systems under two measures: spearman, kendall, weighted or pearson.
    level
        Confidence level of the intervals of correlations.
    draws
        Random draws for intervals and p-values.
    seed
        Random seed.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.evaluation.pipeline import evaluate
    from aune.meta.covariance import covariance as voted
    from aune.reports.meta import covariance_tables, write

    result = reading.run(evaluate, task, key, responses, measure_names(measures), options)
    warn(result.warnings)
    chosen: Any = coefficient
    analysis = voted(result, chosen, level=level, draws=draws, seed=seed)
    settings = f"coefficient:{coefficient}|level:{level:g}|draws:{draws}|seed:{seed}"
    records = {
        "settings": settings,
        "verdicts": [verdict._asdict() for verdict in analysis.verdicts],
        "concord": [entry._asdict() for entry in analysis.concord],
        "correlations": [correlation._asdict() for correlation in analysis.correlations],
    }
    put_text(write(records, covariance_tables(analysis, settings), chosen_format(format, output)), output)
    return 0


@app.command
def sensitivity(
    task: TaskName,
    key: File,
    /,
    *responses: File,
    measures: Measures = None,
    severities: str | None = None,
    level: Level = 0.95,
    unit: str = "auto",
    seed: Seed = 1,
    reading: Reading = DEFAULT_READING,
    format: OutputFormat = None,
    output: OutputFile = None,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Show how well each measure separates neighbours at a level of performance, and where it saturates.

    With several responses, neighbours are systems that follow each other in rank. With one, the key is damaged in
    steps: at a severity of 20 %, a random fifth of its units have the counts of the response, the others are perfect.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference).
    responses
        The responses (predictions, hypotheses): several systems, or one at the level to look at.
    measures
        Names or expressions; the task's usual ones otherwise. The first one ranks the systems.
    severities
        The steps with one response, as shares or percentages separated by commas: 5%,10%,20%.
    level
        Confidence level: neighbours are separated at 1 − level.
    unit
        What is counted and varies, as for `aune compare`.
    seed
        Random seed of the units that are damaged.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    digits
        Decimals of values in tables.
    """
    from functools import partial

    from aune.contract.registry import chosen_values
    from aune.errors import UsageError
    from aune.meta.sensitivity import SEVERITIES
    from aune.meta.sensitivity import sensitivity as measured
    from aune.reports.analyses import analysis_written

    if severities is not None and len(responses) > 1:
        raise UsageError(f"--severities {severities}: acts with one response, found {len(responses)}")
    if not responses:
        raise UsageError("expected a response, or several: aune meta sensitivity TASK KEY RESPONSE…")
    names, values = chosen_values(task, measure_names(measures))
    steps = SEVERITIES if severities is None else [_parse_share(text) for text in severities.split(",")]
    evaluate = partial(measured, severities=steps, level=level, unit=unit, seed=seed, values=values)
    outcome = reading.run(evaluate, task, key, responses, names, options)
    warn([*outcome.warnings, *outcome.result.warnings])
    put_text(analysis_written(outcome, chosen_format(format, output), digits), output)
    return 0


def _parse_share(text: str) -> float:
    """A share, or a percentage.

    >>> _parse_share("20%"), _parse_share("0.4")
    (0.2, 0.4)
    """
    from aune.errors import UsageError

    try:
        return float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise UsageError(f"--severities {text}: expected shares or percentages, such as 5%,10%,20%") from None


@app.command
def bounds(
    *,
    mentions: Count,
    key_chains: Count,
    response_chains: Limit = None,
    largest_key: Limit = None,
    largest_response: Limit = None,
    format: OutputFormat = None,
    output: OutputFile = None,
) -> int:
    """Show the lowest recall and precision that a response can get, computed from sizes alone.

    Parameters
    ----------
    mentions
        Mentions of the text.
    key_chains
        Chains of the key, singletons included.
    response_chains
        Chains of the response; every possible number when not given.
    largest_key
        Mentions of the key's largest chain.
    largest_response
        Mentions of the response's largest chain.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.meta.bounds import bounds as bound
    from aune.meta.bounds import bounds_curve
    from aune.reports.meta import bounds_tables, write

    if response_chains is None:
        results = bounds_curve(mentions, key_chains, largest_key)
    else:
        results = [bound(mentions, key_chains, response_chains, largest_key, largest_response)]
    records = {"bounds": [result._asdict() for result in results]}
    put_text(write(records, bounds_tables(results), chosen_format(format, output)), output)
    return 0


@app.command
def impact(
    upstream: File,
    /,
    *downstream: File,
    target: str | None = None,
    coefficient: str = "spearman",
    manual: str | None = None,
    pae: Files = None,
    lower: Files = None,
    group: Files = None,
    corpus: Files = None,
    judgements: File | None = None,
    application: str | None = None,
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    format: OutputFormat = None,
    output: OutputFile = None,
) -> int:
    """Test which measure of an upstream step best predicts the errors of the next step.

    Files are tidy tables (CSV or TSV with the columns system, measure, score, and where they apply document, downstream
    and better) or results of `aune score --format json`. One table can contain both sides: rows with something in the
    column downstream are scores of that downstream system on the output of the upstream system.

    Parameters
    ----------
    upstream
        Scores of the upstream systems.
    downstream
        Scores of the downstream systems on their outputs, as name=path for results; upstream's own file otherwise.
    target
        The measure downstream to be predicted, when there are several.
    coefficient
        spearman, kendall, weighted or pearson, or several of them separated by commas, a table each.
    manual
        The upstream name of the manual input: left out of correlations, and what PAE compares with. `manual` is taken
        for it where it occurs; `none` says that there is no manual input.
    pae
        Kinds of downstream errors (measures that are counts) whose relative increase is shown.
    lower
        Measures for which lower is better, where the tables do not say.
    group
        NAME=SYSTEM,SYSTEM: downstream systems with a separate mean, such as symbolic=REN-6.
    corpus
        NAME=PATH: the scores on another corpus, shown in a separate table.
    judgements
        A table of human preferences (document, first, second, preferred) or grades (document, system, grade), to be
        compared with the scores of documents.
    application
        The use of the output that the judges were instructed to consider; required with judgements.
    level
        Confidence level of the intervals.
    draws
        Random draws for intervals and p-values.
    seed
        Random seed.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.contract.options import check_known
    from aune.errors import UsageError
    from aune.meta.impact import describe_unmatched, read_scores
    from aune.reading.system_names import system_names
    from aune.reports.meta import write

    lowers, kinds = _split_names(lower), _split_names(pae)
    notes: list[str] = []
    low = [*lowers, *kinds]
    scores = read_scores(upstream, None, low, notes.append)
    for name, path in system_names(downstream).items():
        scores += read_scores(path, name, low, notes.append)
    corpora = {"": scores}
    for name, path in (_parse_assignment(text) for text in corpus or ()):
        corpora[name] = read_scores(path, None, low, notes.append)
    manual_name = _manual_name(manual, {score.system for every in corpora.values() for score in every}, notes)
    if kinds and manual_name is None:
        raise UsageError("--pae compares with manual input: name it with --manual")
    check_known(lowers, {score.measure: None for every in corpora.values() for score in every}, "measure in the tables")
    settings = f"level:{level:g}|draws:{draws}|seed:{seed}"
    records: dict[str, Any] = {"settings": f"coefficient:{coefficient}|{settings}", "impact": [], "best": {}, "pae": []}
    tables: list[Any] = []
    if judgements:
        tables += _add_judgements(scores, judgements, application, records)
    warn([*notes, *(text for every in corpora.values() for text in describe_unmatched(every, manual_name))])
    groups = {name: members.split(",") for name, members in map(_parse_assignment, group or ())}
    chosen = {"target": target, "manual": manual_name, "level": level, "draws": draws, "seed": seed, "groups": groups}
    for name, corpus_scores in corpora.items():
        tables += _impact_of(
            name, corpus_scores, _split_names([coefficient]), kinds, settings, bool(judgements), chosen, records
        )
    put_text(write(records, tables, chosen_format(format, output)), output)
    return 0


def _manual_name(manual: str | None, systems: Collection[str], notes: list[str]) -> str | None:
    """The system that is the manual input, by its name unless another is given; None where there is none."""
    from aune.contract.options import check_known
    from aune.meta.impact import MANUAL

    if manual == "none":
        return None
    if manual is not None:
        check_known([manual], systems, "manual input in the tables")
        return manual
    if MANUAL not in systems:
        return None
    notes.append(f"{MANUAL} is the manual input, and left out of the correlations (--manual none: it is a system)")
    return MANUAL


def _impact_of(
    corpus: str, scores: Sequence[Any], coefficients: Sequence[str], kinds: Sequence[str], settings: str,
    judged: bool, chosen: dict[str, Any], records: dict[str, Any],
) -> list[Any]:  # fmt: skip
    """The tables of one corpus, its records added to the others."""
    from aune.errors import UsageError
    from aune.meta.impact import best_predictors, impact, increases
    from aune.reports.meta import impact_tables

    above = [entry for entry in scores if not entry.downstream]
    below = [entry for entry in scores if entry.downstream]
    goals = [entry for entry in below if chosen["target"] is not None or entry.measure not in kinds]
    tables: list[Any] = []
    if goals and above:
        for coefficient in coefficients:
            results = impact(above, goals, coefficient=coefficient, **chosen)  # type: ignore[arg-type]
            top = best_predictors(results)
            tell = {"corpus": corpus, "coefficient": coefficient} if corpus or len(coefficients) > 1 else {}
            records["impact"] += [{**tell, **entry._asdict()} for entry in results]
            records["best"] |= top if not tell else {f"{corpus} {coefficient}".strip(): top}
            new_tables = impact_tables(results, top, [], f"coefficient:{coefficient}|{settings}")
            title = ": ".join(filter(None, (corpus, coefficient if tell else "")))
            tables += [table._replace(title=title or table.title) for table in new_tables]
    elif not kinds and not judged:
        missing = "downstream" if above else "upstream"
        raise UsageError(f"no scores of {missing} systems: a table tells them apart by its column downstream")
    if kinds:
        paes = increases(above, below, chosen["manual"], kinds)
        records["pae"] += [entry._asdict() for entry in paes]
        tables += impact_tables([], {}, paes, settings)
    return tables


def _add_judgements(scores: list[Any], path: str, application: str | None, records: dict[str, Any]) -> list[Any]:
    """The agreement of judges, and how often measures side with them; grades become scores of `people`."""
    from aune.errors import UsageError
    from aune.meta.judgements import (
        agreement_of_choices,
        agreement_of_grades,
        graded_scores,
        preferences,
        read_judgements,
    )
    from aune.reports.meta import judgement_tables

    if not application:
        raise UsageError("--judgements: say what the judges were told the output is for (--application); without it "
                         "they agree on little")  # fmt: skip
    choices, grades = read_judgements(path)
    agreement = agreement_of_grades(grades) if grades else agreement_of_choices(choices)
    preference_rows = preferences(scores, choices) if choices else []
    scores += graded_scores(grades)
    records["judgements"] = {"application": application, "agreement": agreement._asdict(),
                             "preferences": [entry._asdict() for entry in preference_rows]}  # fmt: skip
    even = sum(entry.for_first == entry.for_second for entry in choices)
    return judgement_tables(agreement, preference_rows, application, even)


def _parse_assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    from aune.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"{text!r}: expected NAME=VALUE")
    return name, value


def _split_names(texts: Sequence[str] | None) -> list[str]:
    return [name.strip() for text in texts or () for name in text.split(",")]


def _measures(names: Sequence[str], task: str) -> list[Measure]:
    from aune.contract import registry
    from aune.evaluation.plan import select_measures

    requested = measure_names(names) or ["all"]
    world = registry.task(task).extras.small_worlds
    without = world.excluded_measures if world is not None and "all" in requested else frozenset()
    return [
        measure
        for measure in select_measures(registry.task(task), requested)
        if measure.name.rpartition(".")[2] not in without
    ]


def _computable_measures(
    names: Sequence[str], task: str, convention: str | None, options: dict[str, Any]
) -> list[Measure]:
    """The measures that were named; of all measures, those that need documents alone, with a warning of the others."""
    from aune.contract import registry
    from aune.meta.audit import make_world
    from aune.meta.pair_scores import measures_with_needs

    measures = _measures(names, task)
    if "all" not in (measure_names(names) or ["all"]):
        return measures
    pair = make_world(task, 2, 0).pairs[0]
    reasons = measures_with_needs(registry.task(task), measures, pair, convention, **options)
    warn([f"{name} is left out: {reason}" for name, reason in reasons.items()])
    return [measure for measure in measures if measure.name not in reasons]


def _convention(task: str) -> str | None:
    """The convention under which the criteria were stated, where the task has it."""
    from aune.contract import registry

    return "partition" if "partition" in registry.task(task).comparing.conventions else None
