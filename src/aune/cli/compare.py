"""`aune compare`: which system is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    Draws,
    File,
    FileOrStdin,
    KeyVersionName,
    Level,
    Measures,
    Options,
    Reading,
    Seed,
    TaskName,
    keywords,
    measure_names,
)
from aune.cli._output import (
    OutputFile,
    OutputFormat,
    SignatureStyle,
    chosen_format,
    put_text,
    screen,
    signature_style,
    tell,
    warn,
)

if TYPE_CHECKING:
    from aune.results.result import Result
    from aune.statistics.comparison import TaskPValues

GROUP = "Score"


def compare(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    measures: Measures = None,
    reference: File | None = None,
    unchanged: File | None = None,
    key_version: KeyVersionName = None,
    fail_if_worse: str | None = None,
    fail_unless_better: Annotated[bool, Parameter(negative=())] = False,
    equivalent: str | None = None,
    junit: Path | None = None,
    summary: Path | None = None,
    test: str = "auto",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    unit: str = "auto",
    correction: str = "holm",
    family: str = "pairs",
    format: OutputFormat = None,
    output: OutputFile = None,
    signature: SignatureStyle = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Compare systems on the same key, pair by pair.

    For every measure and every pair: the difference, its confidence interval, the p-value of a two-sided paired test
    (also corrected for the number of pairs), and the size of the effect in standard deviations.

    aune compare coref key.conll a.conll b.conll -m conll

    For gates (--fail-if-worse 0.5%, --fail-unless-better, --equivalent 0.5%) the first system is the old one: the exit
    code is 1 when what they ask for is not shown of every other system.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    responses
        The responses (predictions, hypotheses), two or more: files or folders, or name=path to name a system;
        name=path,path or name=pattern for several runs of a system.
    measures
        Names or expressions, separated by commas or repeated; `muc.recall` compares by this value.
    reference
        A folder written by `aune score --rows`, or JSON written with --by document, of the old system: the stored
        scores of the last release, for instance. It must be of the same key (or see --unchanged)
        and the same options.
    unchanged
        Another version of the key, such as that of the reference: only sentences, utterances or documents that say the
        same in both versions are compared.
    key_version
        The name of the version of the key, such as 2.1: a --reference by a version of another name is refused, unless
        --unchanged names its key.
    fail_if_worse
        The margin, as a share or a percentage (0.005 or 0.5%): fail unless a system is shown to be worse than the
        first by less than this (non-inferiority).
    fail_unless_better
        Fail unless a system is shown to be better than the first.
    equivalent
        The margin: fail unless a system is shown to differ from the first by less (two one-sided tests).
    junit
        A file for what the gates decided, as JUnit XML.
    summary
        A file for the same as Markdown, for a pull request.
    test
        auto, randomisation (exchange the systems on random units), bootstrap (centred), sign or wilcoxon (on the values
        of single units); for speech also mapsswe (on the word errors of segments between words that both systems have
        right) and mcnemar (on the utterances that only one of the two has right). auto is randomisation, and for
        systems with several runs a t test with the variance of texts and runs.
    level
        Confidence level of the intervals; systems with corrected p ≤ 1 − level differ significantly.
    draws
        Random exchanges, and bootstrap replicates for the intervals.
    seed
        Random seed.
    unit
        What is exchanged or drawn: an attribute of the task's units, such as document, speaker or sentence; auto: the
        documents, recordings or speakers that the data names, or its sentences or utterances where it names none.
    correction
        How p-values are corrected for the number of tests, which decides which systems differ significantly: holm (the
        chance of one false difference) or benjamini-hochberg (the share of false ones among those found).
    family
        The tests that are corrected for together: pairs (the pairs of systems of each value), or all (those of all
        measures, by their main values or the ones that are named).
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.contract.registry import chosen_values
    from aune.reports.comparison import write
    from aune.reports.decisions import junit_text, summary_text
    from aune.statistics.comparison import compare_systems
    from aune.statistics.decisions import parse_claims

    claims = parse_claims(fail_if_worse, fail_unless_better, equivalent)
    _check_places(responses, reference, bool(claims), junit, summary)
    _check_unchanged(task, key, unchanged, test)
    names, values = chosen_values(task, measure_names(measures))
    result, special = _evaluate(
        task, key, responses, names, "randomisation" if test == "auto" else test, reading, options, key_version
    )
    parts = result if reference is None else _with_reference(reference, result)
    result = _join(task, key, parts, unchanged, reading, options)
    comparison = compare_systems(result, test, task_p_values=special, level=level, draws=draws, seed=seed, unit=unit,
                            correction=correction, family=family, values=values, claims=claims)  # fmt: skip
    warn([*comparison.warnings, *result.warnings])
    style = signature_style(signature, chosen := chosen_format(format, output), output)
    if junit is not None:
        put_text(junit_text(comparison), junit)
    if summary is not None:
        put_text(summary_text(comparison, digits), summary)
    put_text(write(comparison, chosen, digits, values=values, signature=style, **screen(output)), output)
    for decision in comparison.decisions:
        tell(decision.message)
    return 0 if comparison.all_shown else 1


def _check_places(
    responses: Sequence[str], reference: str | None, has_claims: bool, junit: Path | None, summary: Path | None
) -> None:
    """Refuse too few systems, and reports of gates without one."""
    from aune.errors import UsageError

    if len(responses) < (2 if reference is None else 1):
        raise UsageError("expected at least two responses to compare: aune compare TASK KEY A B")
    if not has_claims and (junit or summary):
        name = "--junit" if junit else "--summary"
        raise UsageError(f"{name}: reports what a gate decides: --fail-if-worse, --fail-unless-better or --equivalent")


def _evaluate(
    task: str,
    key: str,
    responses: Sequence[str],
    names: list[str],
    test: str,
    reading: Reading,
    options: Mapping[str, str],
    key_version: str | None,
) -> tuple[Result, TaskPValues | None]:
    """The scores of the systems, and the p-values of a test of the task."""
    from aune.contract import registry
    from aune.errors import UsageError
    from aune.evaluation.pipeline import evaluate
    from aune.explain.analysis import study
    from aune.explain.paired_tests import run_paired_test

    paired = registry.task(task).extras.paired_tests.get(test)
    if paired is None:
        return reading.run(evaluate, task, key, responses, names, options, key_version=key_version), None
    if names not in ([], [paired.measure], [f"{task}.{paired.measure}"]):
        about = paired.measure
        raise UsageError(f"{test} is a test of the {about} of {task}: use it with aune compare {task} -m {about}")
    evaluated = reading.run(study, task, key, responses, [paired.measure], options, key_version=key_version)
    return evaluated.result, run_paired_test(evaluated, test)


def _check_unchanged(task: str, key: str, unchanged: str | None, test: str) -> None:
    """Refuse what cannot be restricted to a part of the key."""
    from aune import STDIN
    from aune.contract import registry
    from aune.errors import UsageError

    if unchanged is None:
        return
    if STDIN in (key, unchanged):
        raise UsageError("--unchanged: reads both versions of the key, so name their files instead of -")
    if test in registry.task(task).extras.paired_tests:
        raise UsageError(f"{test} looks at more than counts, so that it cannot be used with --unchanged")


def _join(
    task: str,
    key: str,
    parts: Result | Mapping[str, Result],
    unchanged: str | None,
    reading: Reading,
    options: Mapping[str, str],
) -> Result:
    """One result of all systems; on the units that are the same in another version of the key, where it is named."""
    from aune.explain.unchanged_results import read_versions, restrict_results
    from aune.statistics.result_joining import join_results

    if unchanged is None:
        return join_results(parts)
    form = reading.key_format or reading.input_format
    return restrict_results(parts, read_versions(task, unchanged, key, form, keywords(options)))


def _with_reference(reference: str, result: Result) -> dict[str, Result]:
    """The stored scores of an old system, before the new ones."""
    from dataclasses import replace

    from aune.errors import UsageError
    from aune.reading.system_names import system_names
    from aune.statistics.result_joining import load_result

    [(name, path)] = system_names([reference]).items()
    stored = load_result(path)
    if len(stored.runs) != 1:
        raise UsageError(f"{path}: has {len(stored.runs)} systems, expected that of the reference alone")
    if any(len(score.rows) == 1 for score in stored) and not all(len(score.rows) == 1 for score in result):
        hint = "store it with --rows, or as JSON with --by document"
        raise UsageError(f"{path}: has totals alone, expected values by document: {hint}")
    known = {score.name for score in stored}
    if missing := next((measure.short for measure in result.measures if measure.name not in known), None):
        raise UsageError(f"{path}: has no {missing}: store it with the reference, or name other measures with -m")
    old = name if "=" in reference and not Path(reference).exists() else next(iter(stored.runs))
    stored = replace(stored, warnings=[*stored.warnings, *result.warnings])
    return {old: stored, **{system: _only(result, runs) for system, runs in result.runs.items()}}


def _only(result: Result, runs: Sequence[str]) -> Result:
    """The scores of the runs of one system."""
    from dataclasses import replace

    inputs = [record for record in result.inputs if record.role == "key" or record.system in (None, *runs)]
    return replace(result, scores=[score for score in result if score.system in runs], inputs=inputs, warnings=[])
