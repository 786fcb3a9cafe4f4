"""`aune agreement`: how far annotators agree."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import File, Measures, Options, keywords, measure_names
from aune.cli._numbers import Draws, Level, Seed
from aune.cli._output import OutputFile, OutputFormat, check_wanted, chosen_format, put_text, warn


def agreement(
    task: str,
    /,
    *files: File,
    measures: Measures = None,
    distance: str | None = None,
    gamma: Annotated[bool, Parameter(negative=())] = False,
    ci: Annotated[bool, Parameter(negative=())] = False,
    ci_method: str | None = None,
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    unit: str = "document",
    format: OutputFormat = None,
    output: OutputFile = None,
    convention: str | None = None,
    input_format: str | None = None,
    **options: Options,
) -> int:
    """Measure the agreement of annotators: of every pair, and of all.

    Tags are compared by Cohen's and Fleiss's κ and Krippendorff's α, chains by Krippendorff's α over sets. With
    --measures, pairs are also scored like key and response, which is how spans are usually compared (F).

    Parameters
    ----------
    task
        What was annotated: see `aune list tasks`.
    files
        The same texts by each annotator, two or more: files or folders, or name=path to name an annotator.
    measures
        Measures of the task for every pair of annotators; the only ones for tasks without judgements of units.
    distance
        How far two values are apart: nominal, ordinal or interval for labels; masi or jaccard for chains.
    gamma
        Also γ, on labelled spans (needs the extra `gamma`).
    ci
        Give every value its confidence interval.
    ci_method
        percentile, bca, jackknife, delta or auto.
    level
        How often the intervals should hold the true value.
    draws
        Bootstrap replicates.
    seed
        Where the random draws start.
    unit
        What is drawn: document, or sentence for tags and entities.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    convention
        A named set of options of the task, for --measures.
    input_format
        The format of the files, when it should not be recognised from the content.
    """
    from aune.core.corpus import system_names
    from aune.explain.annotators import annotators_agreement
    from aune.reports import table_written, written
    from aune.reports.agreement import matrices
    from aune.statistics.intervals import with_intervals

    intervals = ci or ci_method is not None
    check_wanted(intervals, level=(level, 0.95), draws=(draws, 10_000), seed=(seed, 1), unit=(unit, "document"))
    result = annotators_agreement(
        task,
        system_names(files),
        measures=measure_names(measures),
        distance=distance,  # type: ignore[arg-type]
        gamma=gamma,
        unit=unit,
        convention=convention,
        input_format=input_format,
        **keywords(options),
    )
    if intervals:
        result = with_intervals(result, ci_method or "auto", level=level, draws=draws, seed=seed, unit=unit)  # type: ignore[arg-type]
    warn(result.warnings)
    chosen = chosen_format(format, output)
    if chosen in ("table", "markdown", "latex", "html"):
        text = table_written(matrices(result, list(system_names(files))), chosen)
    else:
        text = written(result, chosen)
    put_text(text, output)
    return 0
