"""`aune plan`: how many documents are needed, and what difference could have been seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    File,
    FileOrStdin,
    Level,
    Measures,
    Options,
    Reading,
    TaskName,
    measure_names,
    stored_result,
    within,
)
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_bytes, put_text, warn

if TYPE_CHECKING:
    from aune.results.result import Result

GROUP = "Score"
Chance = Annotated[float, within(0.01, 0.9999)]
Correlation = Annotated[float, within(-0.999, 0.999)]


def plan(
    task: TaskName | None = None,
    key: FileOrStdin | None = None,
    /,
    *responses: File,
    measures: Measures = None,
    difference: str | None = None,
    power: Chance = 0.8,
    level: Level = 0.95,
    unit: str = "auto",
    correlation: Correlation = 0.0,
    sizes: str | None = None,
    from_rows: Path | None = None,
    figure: Path | None = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Plan a test set: how many documents are needed, and what difference could have been seen.

    Two systems on any key say how much their difference varies from document to document: a finished test set, the rows
    of an earlier one, or a pilot of ten documents. One system says it of itself alone.

    aune plan coref key.conll a.conll b.conll -m conll --difference 2%

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    responses
        The responses (predictions, hypotheses) of one system or several: files or folders, or name=path to name a
        system; name=path,path for several runs of a system.
    measures
        Names or expressions, separated by commas or repeated; `muc.recall` plans for this value.
    difference
        The difference to be shown, as a share or a percentage: 0.02 or 2%. By default the one observed.
    power
        The chance of showing it.
    level
        Confidence level: the two-sided test is at 1 − level.
    unit
        What is counted and varies: an attribute of the task's units, such as document, speaker or sentence; auto: the
        documents, recordings or speakers that the data names, or its sentences or utterances where it names none.
    correlation
        With one system: how its values by unit correlate with those of the system it will be compared with. 0 is the
        most cautious.
    sizes
        Numbers of units for the curve, separated by commas.
    from_rows
        A folder written by `aune score --rows`, or JSON written with --by document, instead of task, key and
        responses.
    figure
        A file for the curve, ending in .svg, .pdf, .png or .vl.json.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    digits
        Decimals shown of differences that were observed.
    """
    from aune.reports.analyses import analysis_written, plan_figure
    from aune.reports.figures.export import check_output, export_figure
    from aune.statistics.planning import plan_sample

    if figure is not None:
        check_output(figure)
    result, values = _result(task, key, responses, measure_names(measures), from_rows, reading, options)
    outcome = plan_sample(result, difference=difference, power=power, level=level, unit=unit, correlation=correlation,
                          sizes=_parse_sizes(sizes), values=values)  # fmt: skip
    warn([*outcome.warnings, *result.warnings])
    if figure is not None:
        put_bytes(export_figure(plan_figure(outcome), figure), figure)
    put_text(analysis_written(outcome, chosen_format(format, output), digits), output)
    return 0


def _result(
    task: str | None,
    key: str | None,
    responses: Sequence[str],
    names: list[str],
    from_rows: Path | None,
    reading: Reading,
    options: Mapping[str, str],
) -> tuple[Result, dict[str, list[str]]]:
    """What was scored, now or before, and the values to show of it."""
    from aune.contract.registry import chosen_values
    from aune.errors import UsageError
    from aune.evaluation.pipeline import evaluate

    if from_rows is not None:
        return stored_result(from_rows, [*filter(None, (task, key)), *responses, *options], names)
    if task is None or key is None or not responses:
        raise UsageError("expected a task, a key and the responses of one system or more: aune plan TASK KEY A B")
    chosen, values = chosen_values(task, names)
    return reading.run(evaluate, task, key, responses, chosen, options), values


def _parse_sizes(text: str | None) -> list[int]:
    """Numbers of units, separated by commas.

    >>> _parse_sizes("50, 100")
    [50, 100]
    """
    from aune.errors import UsageError
    from aune.statistics.sampling_units import ENOUGH_UNITS

    parts = [part.strip() for part in text.split(",")] if text is not None else []
    if not all(part.isdecimal() and len(part) < 12 and int(part) >= ENOUGH_UNITS for part in parts):
        raise UsageError(f"--sizes {text}: expected whole numbers from {ENOUGH_UNITS}, separated by commas: 50,100,200")
    return [int(part) for part in parts]
