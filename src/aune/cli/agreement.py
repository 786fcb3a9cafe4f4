"""`aune agreement`: how far annotators agree."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import NONE, File, Intervals, Measures, Options, TaskName, keywords, measure_names, warn_of_memory
from aune.cli._output import (
    OutputFile,
    OutputFormat,
    SignatureStyle,
    chosen_format,
    put_text,
    screen,
    signature_style,
    warn,
)

GROUP = "Score"


def agreement(
    task: TaskName,
    /,
    *files: File,
    measures: Measures = None,
    distance: str | None = None,
    unmarked: str | None = None,
    gamma: Annotated[bool, Parameter(negative=())] = False,
    gwet: Annotated[bool, Parameter(negative=())] = False,
    intervals: Intervals = NONE,
    format: OutputFormat = None,
    output: OutputFile = None,
    signature: SignatureStyle = None,
    convention: str | None = None,
    input_format: str | None = None,
    **options: Options,
) -> int:
    """Measure the agreement of annotators: of every pair, and of all.

    Tags are compared by Cohen's and Fleiss's κ and Krippendorff's α, chains by Krippendorff's α over sets. With
    --measures, pairs are also scored like key and response, which is how spans are usually compared (F).

    aune agreement ner ann.conll ben.conll

    Parameters
    ----------
    task
        What was annotated: see `aune list tasks`.
    files
        The same texts by each annotator, two or more: files or folders, or name=path to name an annotator; or one file
        that names several annotators, such as an export of doccano, Label Studio or Prodigy.
    measures
        Measures of the task for every pair of annotators; the only ones for tasks without judgements of units.
    distance
        How far two values are apart: nominal, ordinal or interval for labels; masi or jaccard for chains.
    unmarked
        A mention that an annotator of chains did not mark: empty (it is in no chain, a disagreement; the default) or
        singleton (it is alone in its chain, as in Popescu-Belis 1999).
    gamma
        Also γ, on labelled spans.
    gwet
        Also Gwet's AC1 of labels, or AC2 with --distance ordinal or interval.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    convention
        A named set of options of the task, for --measures.
    input_format
        The format of the files, when it should not be recognised from the content.
    """
    from aune.explain.annotators import annotators_agreement
    from aune.reading.system_names import system_names
    from aune.reports import SIGNED_FORMATS, render, render_tables
    from aune.reports.agreement import matrices

    intervals.check()
    warn_of_memory("agreement", system_names(files).values())
    result = annotators_agreement(
        task,
        system_names(files),
        measures=measure_names(measures),
        distance=distance,  # type: ignore[arg-type]
        gamma=gamma,
        gwet=gwet,
        unit=intervals.unit if intervals.is_requested else "document",
        convention=convention,
        input_format=input_format,
        **({"unmarked": unmarked} if unmarked else {}),
        **keywords(options),
    )
    result = intervals.add_to(result)
    warn(result.warnings)
    chosen = chosen_format(format, output)
    annotators = [item.system for item in result.inputs if item.system]
    style = signature_style(signature, chosen, output)
    if chosen in SIGNED_FORMATS:
        text = render_tables(matrices(result, annotators), chosen, signature=style, **screen(output))
    else:
        text = render(result, chosen)
    put_text(text, output)
    return 0
