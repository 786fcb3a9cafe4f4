"""`aune score`: how good each system is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    NONE,
    Digits,
    File,
    FileOrStdin,
    Intervals,
    KeyVersionName,
    Measures,
    Options,
    Reading,
    TaskName,
    measure_names,
    stored_result,
    warn_of_memory,
)
from aune.cli._output import (
    OutputFile,
    OutputFormat,
    SignatureStyle,
    chosen_format,
    put_json,
    put_result,
    put_rows,
    put_tables,
    signature_style,
    tell,
    warn,
)

if TYPE_CHECKING:
    from aune.contract.task import Listing
    from aune.errors import UsageError
    from aune.evaluation.pipeline import Evaluation
    from aune.results.gates import Gate
    from aune.results.result import Result
    from aune.statistics.annotator_keys import AnnotatorScores
    from aune.statistics.comparison import Comparisons


GROUP = "Score"


def score(
    task: TaskName | None = None,
    key: FileOrStdin | None = None,
    /,
    *responses: File,
    measures: Measures = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    signature: SignatureStyle = None,
    by: str | None = None,
    layout: str = "usual",
    baselines: Annotated[list[str] | None, Parameter(negative=())] = None,
    raw_cells: Annotated[bool, Parameter(negative=())] = False,
    fail_under: Annotated[list[str] | None, Parameter(negative=())] = None,
    against_baseline: str | None = None,
    sweep: str | None = None,
    rows: Path | None = None,
    per_unit: Path | None = None,
    from_rows: Path | None = None,
    keys: Annotated[list[str] | None, Parameter(negative=())] = None,
    key_version: KeyVersionName = None,
    intervals: Intervals = NONE,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Score responses against a key.

    aune score ner gold.conll a.conll b.conll -m f1 --layout paper --ci -o table.tex

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input. Compressed files (.gz, .xz, .zst) are
        read as they are.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system.
    measures
        Names or expressions, separated by commas or repeated: `muc,b_cubed`, `all`, `macro(muc, by=document)`,
        `mean(muc.f1, lea.f1)`; `muc.f1` shows this value alone.
    format
        How to show the result: table, json, jsonl, csv, tsv, markdown, latex or html. The name of the output file
        decides when this is not given.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    by
        Break the scores down by an attribute of the units, such as document, or label (type is the same); for
        coreference also list every chain (projections, cores, what MUC and C lose) or mention (what B³ gives it).
    layout
        usual, or paper: a row per system, sorted, with all values of all measures, the best marked, and with --ci
        letters for systems that do not differ significantly; with --by a row per group and its support.
    baselines
        Systems shown separately below the others in the layout of papers, separated by commas or repeated.
    raw_cells
        Keep text that begins with =, +, - or @ as it is in csv and tsv, where a spreadsheet would compute it.
    fail_under
        MEASURE.VALUE=NUMBER: exit with 1 when a system is worse than this.
    against_baseline
        Show each score relative to what this simple system gets on the key: 0 is the baseline, 100 perfect. See `aune
        list baselines TASK`.
    sweep
        OPTION, OPTION=a,b,c or OPTION=from:to:step: show the main value for each value of an option that acts on the
        score alone, such as alpha of ETER, and where systems cross.
    rows
        A folder to write the counts of every unit to, as Parquet.
    per_unit
        A file for the values and counts of every unit (document, sentence, utterance…): .jsonl or .parquet.
    from_rows
        A folder written with --rows: score its counts, without the data, so without a task and a key.
    keys
        The keys of several annotators, separated by commas or repeated, instead of KEY: the expected score, each
        annotator, the best one, shares of votes, and how good people are. name=path names an annotator.
    key_version
        The name of the version of the key, such as 2.1, stored with the result: results of versions with other names
        are not compared.
    digits
        Decimals shown in tables.
    """
    from aune.contract.options import check_known
    from aune.contract.registry import chosen_values
    from aune.reports import LAYOUTS
    from aune.results.gates import parse_gate

    check_known([layout], LAYOUTS, "layout")
    gates = [parse_gate(text) for text in fail_under or ()]
    intervals.check()
    write_units = _unit_writer(per_unit)
    names, baseline_names = measure_names(measures), measure_names(baselines)
    run_reading = partial(reading.run, key_version=key_version)
    if keys:
        others = (by, layout != "usual", baselines, fail_under, against_baseline, sweep, rows, per_unit, from_rows)
        run = partial(run_reading, _annotator_evaluation(keys, intervals, others), options=options)
        return _put_annotators(run, task, [*filter(None, [key]), *responses], names, digits,
                               format=format, output=output)  # fmt: skip
    if from_rows is not None:
        conflicting = [*filter(None, (task, key, against_baseline, key_version)), *responses, *options]
        counted, values = stored_result(from_rows, conflicting, names)
    elif (listing := _listing(task, by)) and task and key:
        _check_alone(by, layout != "usual", baselines, fail_under, against_baseline, sweep, rows, per_unit,
                     intervals.is_requested)  # fmt: skip
        from aune.reading.system_names import system_names

        warn_of_memory("score --by chain or mention", [key, *system_names(responses).values()])
        evaluate = partial(run_reading, _full_evaluation, task, key, responses, options=options)
        return _put_listing(listing, task, names, evaluate, format, output, signature)
    else:
        task, key = _check_places(task, key)
        chosen, values = chosen_values(task, names)
        counted = run_reading(_evaluation(against_baseline), task, key, responses, chosen, options)
    result, test = _with_certainty(counted, intervals, baseline_names, tested=layout == "paper" and not by)
    group_note = f"--by {by}: intervals are of everything together, groups have none"
    _warn(result, values, [group_note] if by and intervals.is_requested else [], test)
    failures = _failures(result, gates)
    with (
        _row_writer(counted, rows),
        write_units(result),
    ):
        if sweep:
            _put_sweep(result, sweep, format, output, digits, signature)
        else:
            put_result(
                result, format, output, signature,
                name=layout, by=by, digits=digits, values=values, test=test, baselines=baseline_names, raw=raw_cells,
            )  # fmt: skip
    for line in failures:
        tell(line)
    return 1 if failures else 0


def _annotator_keys(keys: Sequence[str]) -> dict[str, str]:
    """The keys of annotators by name, from lists of paths."""
    from aune.errors import UsageError
    from aune.reading.system_names import system_names

    paths = [path.strip() for text in keys for path in ([text] if Path(text).exists() else text.split(","))]
    if not all(paths):
        raise UsageError(f"--keys {','.join(keys)}: expected a path on either side of each comma")
    return system_names(paths)


def _annotator_evaluation(
    keys: Sequence[str], intervals: Intervals, others: Sequence[object]
) -> Callable[..., AnnotatorScores]:
    """What scores systems under the keys of several annotators; other things to do with scores are refused."""
    from aune.errors import UsageError
    from aune.statistics.annotator_keys import evaluate_annotators

    if any(others):
        raise UsageError("--keys compares annotators: expected no other layout, gate, baseline or break-down beside it")
    if intervals.ci_method not in (None, "auto", "percentile"):
        raise UsageError(f"--ci-method {intervals.ci_method}: expected percentile, which draws texts and annotators")
    settings = {**intervals.settings, "ci": intervals.is_requested}
    names = _annotator_keys(keys)

    def evaluate(task: str, key: str, systems: Mapping[str, str], **options: Any) -> AnnotatorScores:
        return evaluate_annotators(task, names, systems, **settings, **options)

    return evaluate


def _put_annotators(
    run: Callable[..., AnnotatorScores],
    task: str | None,
    responses: Sequence[str],
    names: list[str],
    digits: int,
    *,
    format: str | None,
    output: Path | None,
) -> int:
    """The scores of systems and people under the keys of several annotators."""
    from aune.contract.registry import chosen_values
    from aune.reports.annotator_scores import annotator_tables

    if task is None:
        raise _missing_places("aune score TASK --keys FILE,FILE RESPONSE…")
    chosen, values = chosen_values(task, names)
    result = run(task, "keys", responses, chosen)
    warn(list(result.warnings))
    output_format = chosen_format(format, output)
    if output_format == "json":
        put_json(result.to_dict(), output)
    else:
        put_tables(annotator_tables(result, digits, values), output_format, output)
    return 0


def _missing_places(usage: str) -> UsageError:
    from aune.errors import UsageError

    return UsageError(f"expected a task, a key and responses: {usage}")


def _unit_writer(path: Path | None) -> Callable[[Result], AbstractContextManager[None]]:
    """What writes the values per unit of a result, if they were asked for."""
    if path is None:
        return lambda result: nullcontext()
    from aune.reports.units import check_ending, units_on_success

    check_ending(path)
    return partial(units_on_success, path=path)


def _row_writer(result: Result, folder: Path | None) -> AbstractContextManager[None]:
    """What writes the counts of a result, if they were asked for."""
    if folder is None:
        return nullcontext()
    from aune.results.storage import save_on_success

    return save_on_success(result, folder)


def _listing(task: str | None, by: str | None) -> Listing | None:
    """The table of what is smaller than units that `--by` names, if the task has one of that name."""
    from aune.contract import registry

    return registry.task(task).explaining.listings.get(by) if task and by else None


def _check_alone(by: str | None, *others: object) -> None:
    """Refuse options that say nothing about a listing."""
    from aune.errors import UsageError

    if any(others):
        raise UsageError(f"--by {by} lists every {by}: expected no other layout, gate, baseline or interval")


def _check_places(task: str | None, key: str | None) -> tuple[str, str]:
    """The task and the key, of which neither may be missing."""
    if task is None or key is None:
        raise _missing_places("aune score TASK KEY RESPONSE…")
    return task, key


def _warn(result: Result, values: Mapping[str, Sequence[str]], notes: Sequence[str], test: Comparisons | None) -> None:
    """Issue all warnings, the general ones first: those about many files may fill the screen."""
    from aune.contract.options import check_known

    for measure in result.measures:  # under some options values have other names
        check_known(values.get(measure.name, ()), measure.values, f"value of {measure.name} with these options")
    warn([*notes, *(test.warnings if test else []), *result.warnings])


def _with_certainty(
    result: Result, intervals: Intervals, baselines: Sequence[str], tested: bool
) -> tuple[Result, Comparisons | None]:
    """The result with the intervals that were asked for, and with them the tests of the systems that compete."""
    if not intervals.is_requested:
        return result, None
    from aune.reports.paper import without_baselines
    from aune.statistics.comparison import compare_systems

    sure = intervals.add_to(result)
    others = without_baselines(sure, baselines)
    return sure, compare_systems(others, **intervals.settings) if tested and len(others.runs) > 1 else None


def _put_sweep(
    result: Result, text: str, format: str | None, output: Path | None, digits: int, signature: str | None
) -> None:
    """The curves of every measure that was scored, instead of its one value."""
    from aune.explain.sweep import parse_sweep, sweep
    from aune.reports.tabular import signatures, sweep_table

    option, values = parse_sweep(text)
    curves = [
        sweep([scored for scored in result if scored.name == each.name], option, values) for each in result.measures
    ]
    chosen = chosen_format(format, output)
    if chosen == "json":
        signature_style(signature, chosen, output)
        put_json({**result.to_dict(), "sweeps": curves}, output)
    else:
        shown = [sweep_table(curve, each, digits) for curve, each in zip(curves, result.measures, strict=True)]
        shown[-1] = shown[-1]._replace(signatures=signatures(result))
        put_tables(shown, chosen, output, signature)


def _full_evaluation(task: str, key: str, systems: Mapping[str, str], **options: Any) -> Evaluation:
    from aune.evaluation.pipeline import run_evaluation

    return run_evaluation(task, key, systems, keep=True, **options)


def _put_listing(
    listing: Listing,
    task: str,
    texts: Sequence[str],
    evaluate: Callable[..., Evaluation],
    format: str | None,
    output: Path | None,
    signature: str | None,
) -> int:
    """What is smaller than the units of the counts, one by one, for every system."""
    from aune.contract.options import check_known, select_options
    from aune.contract.registry import chosen_values
    from aune.reports.tabular import signatures

    names = chosen_values(task, texts)[0]
    check_known([name.rpartition(".")[2] for name in names], listing.measures, "measure of this listing")
    evaluation = evaluate(measures=names or [*listing.measures])
    result = evaluation.result
    named = {measure.name.rpartition(".")[2] for measure in result.measures}
    hidden = {column for name, columns in listing.measures.items() if name not in named for column in columns}
    warn(result.warnings)
    options = {name: value for scored in result for name, value in scored.options.items()}
    several = len(result.systems) > 1
    rows = [
        {**({"system": system} if several else {}), **{k: v for k, v in row._asdict().items() if k not in hidden}}
        for system, comparisons in evaluation.comparisons.items()
        for comparison in comparisons
        for row in listing.rows(comparison, **select_options(listing.rows, options))
    ]
    title = f"{result.task}: {result.inputs[0].path}: {', '.join(result.systems)}"
    put_rows(rows, title, format, output, signatures(result), signature)
    return 0


def _evaluation(baseline: str | None) -> Callable[..., Result]:
    """What gives the scores, or how far they are from a baseline's to perfect ones."""
    if baseline is None:
        from aune.evaluation.pipeline import evaluate

        return evaluate
    from aune.baselines.differential import against_baseline

    return partial(against_baseline, name=baseline)


def _failures(result: Result, gates: list[Gate]) -> list[str]:
    """A line for every system that is worse than a gate allows."""
    from aune.results.gates import gate_failures

    return [line for gate in gates for line in gate_failures(result, gate)]
