"""`aune score`: how good each system is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import AS_USUAL, File, FileOrStdin, Measures, Options, Reading, TaskName, measure_names
from aune.cli._intervals import NONE, Intervals
from aune.cli._numbers import Digits
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put, put_json, put_rows, put_tables, tell, warn

if TYPE_CHECKING:
    from aune.core.evaluation import Evaluation
    from aune.core.gates import Gate
    from aune.core.result import Result
    from aune.core.task import Listing
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
    by: str | None = None,
    layout: str = "usual",
    baselines: Annotated[list[str] | None, Parameter(negative=())] = None,
    raw_cells: Annotated[bool, Parameter(negative=())] = False,
    fail_under: Annotated[list[str] | None, Parameter(negative=())] = None,
    against_baseline: str | None = None,
    sweep: str | None = None,
    rows: Path | None = None,
    from_rows: Path | None = None,
    intervals: Intervals = NONE,
    reading: Reading = AS_USUAL,
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
        What is expected: a file, a folder, or - for standard input. Compressed files (.gz, .xz, .zst) are read as
        they are.
    responses
        What the systems gave: files or folders, or name=path to name a system.
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
        letters for systems that cannot be told apart; with --by a row per group and its support.
    baselines
        Systems that stand apart below the others in the layout of papers, separated by commas or repeated.
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
    from_rows
        A folder written with --rows: score what is there, without the data, so without a task and a key.
    digits
        Decimals shown in tables.
    """
    from aune.core import registry
    from aune.core.errors import UsageError
    from aune.core.gates import parsed_gate
    from aune.core.options import check_known
    from aune.core.storage import saving
    from aune.reports import LAYOUTS
    from aune.reports.paper import chosen_values

    check_known([layout], LAYOUTS, "layout")
    gates = [parsed_gate(text) for text in fail_under or ()]
    intervals.check()
    if from_rows is not None:
        given = [*filter(None, (task, key, against_baseline)), *responses, *options]
        result = _loaded(from_rows, given, measure_names(measures))
        values = chosen_values(result.task, measure_names(measures))[1]
    elif task is None or key is None:
        raise UsageError("expected a task, a key and responses: aune score TASK KEY RESPONSE…")
    else:
        names, values = chosen_values(task, measure_names(measures))
        if listing := registry.task(task).listings.get(by or ""):
            told = (layout != "usual", baselines, fail_under, against_baseline, sweep, rows, intervals.wanted)
            if any(told):
                raise UsageError(f"--by {by} lists every {by}: expected no other layout, gate, baseline or interval")
            run = partial(reading.run, _kept, task, key, responses, options=options)
            return _put_listing(listing, names, run, format, output)
        result = reading.run(_evaluation(against_baseline), task, key, responses, names, options)
    apart, counted = measure_names(baselines), result
    result, test = _with_certainty(result, intervals, apart, tested=layout == "paper" and not by)
    for one in result.measures:  # under some options values have other names
        check_known(values.get(one.name, ()), one.values, f"value of {one.name} with these options")
    whole = [f"--by {by}: intervals are of everything together, groups have none"] if by and intervals.wanted else []
    warn([*whole, *(test.warnings if test else []), *result.warnings])  # those of many files may fill the screen
    failures = _failures(result, gates)
    with saving(counted, rows) if rows is not None else nullcontext():
        if sweep:
            _put_sweep(result, sweep, format, output, digits)
        else:
            put(result, format, output, name=layout, by=by, digits=digits, values=values, test=test, baselines=apart,
                raw=raw_cells)  # fmt: skip
    for line in failures:
        tell(line)
    return 1 if failures else 0


def _with_certainty(
    result: Result, intervals: Intervals, baselines: Sequence[str], tested: bool
) -> tuple[Result, Comparisons | None]:
    """The result with the intervals that were asked for, and with them the tests of the systems that compete."""
    if not intervals.wanted:
        return result, None
    from aune.reports.paper import competing
    from aune.statistics.comparison import compare_systems

    sure = intervals.of(result)
    others = competing(sure, baselines)
    return sure, compare_systems(others, **intervals.settings) if tested and len(others.systems) > 1 else None


def _loaded(folder: Path, given: list[str], names: list[str]) -> Result:
    """What was scored before, or those of its measures that are named."""
    from dataclasses import replace

    from aune.core.errors import UsageError
    from aune.core.registry import own_modules
    from aune.core.storage import load
    from aune.reports.paper import chosen_values

    if given:
        raise UsageError(f"--from-rows {folder}: expected no task, key or options of reading beside it ({given[0]})")
    result = load(folder, {module for name in names for module in own_modules(name)})
    if not names:
        return result
    wanted = [result[system, name] for name in chosen_values(result.task, names)[0] for system in result.systems]
    return replace(result, scores=wanted)


def _put_sweep(result: Result, text: str, format: str | None, output: Path | None, digits: int) -> None:
    """The curves of every measure that was scored, instead of its one value."""
    from aune.explain.sweep import parsed_sweep, sweep
    from aune.reports.tabular import sweep_table

    option, values = parsed_sweep(text)
    curves = [sweep([one for one in result if one.name == each.name], option, values) for each in result.measures]
    chosen = chosen_format(format, output)
    if chosen == "json":
        put_json({**result.to_dict(), "sweeps": curves}, output)
    else:
        shown = [sweep_table(curve, each, digits) for curve, each in zip(curves, result.measures, strict=True)]
        put_tables(shown, chosen, output)


def _kept(task: str, key: str, systems: Mapping[str, str], **options: Any) -> Evaluation:
    from aune.core.evaluation import evaluated

    return evaluated(task, key, systems, keep=True, **options)


def _put_listing(
    listing: Listing, names: Sequence[str], run: Callable[..., Evaluation], format: str | None, output: Path | None
) -> int:
    """What is smaller than the units of the counts, one by one, for every system."""
    from aune.core.options import check_known, taken_by
    from aune.reports.tabular import signatures

    check_known([name.rpartition(".")[2] for name in names], listing.measures, "measure of this listing")
    found = run(measures=names or [*listing.measures])
    result = found.result
    named = {measure.name.rpartition(".")[2] for measure in result.measures}
    hidden = {column for name, columns in listing.measures.items() if name not in named for column in columns}
    warn(result.warnings)
    options = {name: value for one in result for name, value in one.options.items()}
    several = len(result.systems) > 1
    rows = [
        {**({"system": system} if several else {}), **{k: v for k, v in row._asdict().items() if k not in hidden}}
        for system, comparisons in found.comparisons.items()
        for comparison in comparisons
        for row in listing.rows(comparison, **taken_by(listing.rows, options))
    ]
    title = f"{result.task}: {result.inputs[0].path}: {', '.join(result.systems)}"
    put_rows(rows, title, format, output, tuple(signatures(result)))
    return 0


def _evaluation(baseline: str | None) -> Callable[..., Result]:
    """What gives the scores, or how far they are from a baseline's to perfect ones."""
    if baseline is None:
        from aune.core.evaluation import evaluate

        return evaluate
    from aune.baselines.differential import against_baseline

    return partial(against_baseline, name=baseline)


def _failures(result: Result, gates: list[Gate]) -> list[str]:
    """A line for every system that is worse than a gate allows."""
    from aune.core.gates import broken

    return [line for gate in gates for line in broken(result, gate)]
