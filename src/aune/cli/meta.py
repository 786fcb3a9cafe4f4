"""`aune meta`: which measure should we trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from aune.cli._inputs import AS_USUAL, File, FileOrStdin, Measures, Options, Reading, TaskName, keywords, measure_names
from aune.cli._numbers import Count, Draws, Level, Limit, Samples, Seed, Size
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, warn

if TYPE_CHECKING:
    from aune.core.measure import Measure

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
        Names or expressions of measures; `all` for every measure of the task that says something of small documents.
    task
        The task of measures named without one.
    size
        Mentions up to which every key and response is tried.
    samples
        Random pairs of larger documents that are tried too.
    seed
        Where the random pairs start.
    convention
        A named set of options of the task; partition when the task has it.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.meta.audit import audit as audited
    from aune.reports.meta import audit_tables, write

    chosen = _measures(measures, task)
    named = convention or _convention(task)
    given = keywords(options)
    found = audited(chosen, task=task, size=size, samples=samples, seed=seed, convention=named, **given)
    settings = f"size:{size}|samples:{samples}|seed:{seed}|convention:{named or 'none'}"
    records = {"settings": settings, "audit": [one._asdict() for one in found]}
    put_text(write(records, audit_tables(found, settings), chosen_format(format, output)), output)
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
    """Find out whether a measure is always more indulgent than another.

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
    from aune.core.corpus import system_names
    from aune.core.errors import UsageError
    from aune.core.evaluation import evaluate
    from aune.meta.severity import severity as compared
    from aune.meta.severity import severity_of
    from aune.reports.meta import severity_tables, write

    chosen = _measures(measures, task)
    named = convention or _convention(task)
    given = keywords(options)
    if len(chosen) < 2:
        raise UsageError("expected at least two measures to compare")
    if key:
        result = evaluate(task, key, system_names(responses or []), measures=chosen, convention=named, **given)
        found, settings = severity_of(result), f"key:{key}|convention:{named or 'none'}"
    else:
        found = compared(chosen, task=task, size=size, convention=named, **given)
        settings = f"size:{size}|convention:{named or 'none'}"
    records = {"settings": settings, "severity": [one._asdict() for one in found]}
    put_text(write(records, severity_tables(found, settings), chosen_format(format, output)), output)
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
    reading: Reading = AS_USUAL,
    format: OutputFormat = None,
    output: OutputFile = None,
    **options: Options,
) -> int:
    """Find out which measures agree on who is better, and whether to trust the ranking.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        What is expected.
    responses
        What the systems gave, two or more.
    measures
        Names or expressions; the task's usual ones otherwise.
    coefficient
        The rank correlation of the systems under two measures: spearman, kendall, weighted or pearson.
    level
        How often the intervals of correlations should hold the true value.
    draws
        Random draws for intervals and p-values.
    seed
        Where they start.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.core.evaluation import evaluate
    from aune.meta.covariance import covariance as voted
    from aune.reports.meta import covariance_tables, write

    result = reading.run(evaluate, task, key, responses, measure_names(measures), options)
    warn(result.warnings)
    chosen: Any = coefficient
    found = voted(result, chosen, level=level, draws=draws, seed=seed)
    settings = f"coefficient:{coefficient}|level:{level:g}|draws:{draws}|seed:{seed}"
    records = {
        "settings": settings,
        "verdicts": [verdict._asdict() for verdict in found.verdicts],
        "concord": [one._asdict() for one in found.concord],
        "correlations": [correlation._asdict() for correlation in found.correlations],
    }
    put_text(write(records, covariance_tables(found, settings), chosen_format(format, output)), output)
    return 0


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
    """Show the recall and precision that a response is sure to get, from sizes alone.

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
    from aune.meta.bounds import curve
    from aune.reports.meta import bounds_tables, write

    if response_chains is None:
        found = curve(mentions, key_chains, largest_key)
    else:
        found = [bound(mentions, key_chains, response_chains, largest_key, largest_response)]
    records = {"bounds": [one._asdict() for one in found]}
    put_text(write(records, bounds_tables(found), chosen_format(format, output)), output)
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
    """Find out which measure of a first step predicts what the next step makes of it.

    Files are tidy tables (CSV or TSV with the columns system, measure, score, and where they apply document, downstream
    and better) or results of `aune score --format json`. One table can hold both sides: rows with something in the
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
        The upstream name of the manual input: left out of correlations, and what PAE compares with.
    pae
        Kinds of errors downstream (measures that are counts) to give the relative increase of.
    lower
        Measures for which lower is better, where the tables do not say.
    group
        NAME=SYSTEM,SYSTEM: downstream systems that get a mean of their own, such as symbolic=REN-6.
    corpus
        NAME=PATH: the same of another corpus, a table of its own each.
    judgements
        A table of what people preferred (document, first, second, preferred) or gave (document, system, grade), to be
        compared with the scores of documents.
    application
        What the judges were told the output is for; with judgements it must be said.
    level
        How often the intervals should hold the true value.
    draws
        Random draws for intervals and p-values.
    seed
        Where they start.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from aune.core.corpus import system_names
    from aune.core.errors import UsageError
    from aune.core.options import check_known
    from aune.meta.impact import left_out, read_scores
    from aune.reports.meta import write

    lowers, kinds = _listed(lower), _listed(pae)
    if kinds and not manual:
        raise UsageError("--pae compares with manual input: name it with --manual")
    told: list[str] = []
    low = [*lowers, *kinds]
    scores = read_scores(upstream, None, low, told.append)
    for name, path in system_names(downstream).items():
        scores += read_scores(path, name, low, told.append)
    corpora = {"": scores}
    for name, path in (_assigned(text) for text in corpus or ()):
        corpora[name] = read_scores(path, None, low, told.append)
    check_known(lowers, {one.measure: None for every in corpora.values() for one in every}, "measure in the tables")
    settings = f"level:{level:g}|draws:{draws}|seed:{seed}"
    records: dict[str, Any] = {"settings": f"coefficient:{coefficient}|{settings}", "impact": [], "best": {}, "pae": []}
    tables: list[Any] = []
    if judgements:
        tables += _judged(scores, judgements, application, records)
    warn([*told, *(text for every in corpora.values() for text in left_out(every, manual))])
    groups = {name: members.split(",") for name, members in map(_assigned, group or ())}
    chosen = {"target": target, "manual": manual, "level": level, "draws": draws, "seed": seed, "groups": groups}
    for name, mine in corpora.items():
        tables += _impact_of(name, mine, _listed([coefficient]), kinds, settings, bool(judgements), chosen, records)
    put_text(write(records, tables, chosen_format(format, output)), output)
    return 0


def _impact_of(
    corpus: str, scores: Sequence[Any], coefficients: Sequence[str], kinds: Sequence[str], settings: str,
    judged: bool, chosen: dict[str, Any], records: dict[str, Any],
) -> list[Any]:  # fmt: skip
    """The tables of one corpus, its records added to the others."""
    from aune.core.errors import UsageError
    from aune.meta.impact import best, impact, increases
    from aune.reports.meta import impact_tables

    above = [one for one in scores if not one.downstream]
    below = [one for one in scores if one.downstream]
    goals = [one for one in below if chosen["target"] is not None or one.measure not in kinds]
    tables: list[Any] = []
    if goals and above:
        for coefficient in coefficients:
            found = impact(above, goals, coefficient=coefficient, **chosen)  # type: ignore[arg-type]
            top = best(found)
            tell = {"corpus": corpus, "coefficient": coefficient} if corpus or len(coefficients) > 1 else {}
            records["impact"] += [{**tell, **one._asdict()} for one in found]
            records["best"] |= top if not tell else {f"{corpus} {coefficient}".strip(): top}
            mine = impact_tables(found, top, [], f"coefficient:{coefficient}|{settings}")
            title = ": ".join(filter(None, (corpus, coefficient if tell else "")))
            tables += [table._replace(title=title or table.title) for table in mine]
    elif not kinds and not judged:
        missing = "downstream" if above else "upstream"
        raise UsageError(f"no scores of {missing} systems: a table tells them apart by its column downstream")
    if kinds:
        paes = increases(above, below, chosen["manual"], kinds)
        records["pae"] += [one._asdict() for one in paes]
        tables += impact_tables([], {}, paes, settings)
    return tables


def _judged(scores: list[Any], path: str, application: str | None, records: dict[str, Any]) -> list[Any]:
    """The agreement of judges, and how often measures side with them; grades become scores of `people`."""
    from aune.core.errors import UsageError
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
    found = preferences(scores, choices) if choices else []
    scores += graded_scores(grades)
    records["judgements"] = {"application": application, "agreement": agreement._asdict(),
                             "preferences": [one._asdict() for one in found]}  # fmt: skip
    even = sum(one.for_first == one.for_second for one in choices)
    return judgement_tables(agreement, found, application, even)


def _assigned(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    from aune.core.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"{text!r}: expected NAME=VALUE")
    return name, value


def _listed(given: Sequence[str] | None) -> list[str]:
    return [name.strip() for text in given or () for name in text.split(",")]


def _measures(names: Sequence[str], task: str) -> list[Measure]:
    from aune.core import registry
    from aune.core.asked import chosen_measures

    asked = measure_names(names) or ["all"]
    world = registry.task(task).universe
    without = world.without if world is not None and "all" in asked else frozenset()
    return [
        measure
        for measure in chosen_measures(registry.task(task), asked)
        if measure.name.rpartition(".")[2] not in without
    ]


def _convention(task: str) -> str | None:
    """The convention under which the criteria were stated, where the task has it."""
    from aune.core import registry

    return "partition" if "partition" in registry.task(task).conventions else None
