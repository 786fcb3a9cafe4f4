"""`aune robustness`: does the ranking survive other choices?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import DEFAULT_READING, File, FileOrStdin, Level, Options, Reading, TaskName
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_bytes, put_text, warn

if TYPE_CHECKING:
    from aune.meta.robustness import Robustness

GROUP = "Research"


def robustness(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    choices: str | None = None,
    choose: Annotated[list[str] | None, Parameter(negative=())] = None,
    level: Level = 0.95,
    figure: Path | None = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = DEFAULT_READING,
    **options: Options,
) -> int:
    """Rank systems under all combinations of choices, and show which choice decides.

    For each pair of systems: the share of combinations in which each is ahead, the share in which it is so
    significantly, and the choice whose change reverses their order most often.

    aune robustness coref key.conll a.conll b.conll --choose measures=muc,lea --choose singletons=keep,drop

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    responses
        The responses (predictions, hypotheses), two or more: files or folders, or name=path to name a system;
        name=path,path or name=pattern for several runs of a system.
    choices
        usual: those of the task, which is the default where none is named with --choose.
    choose
        NAME=VALUE,VALUE, as often as needed: an option of the task, its formats or its measures, or measures,
        convention, unit, run (mean, 1, 2 ...) or key (the files of several annotators). Semicolons separate values that
        contain commas. It replaces the values of a usual choice.
    level
        Confidence level: a difference is significant at 1 − level.
    figure
        A file for the shares as a grid, ending in .svg, .pdf, .png or .vl.json.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result; standard output otherwise.
    """
    from functools import partial

    from aune.contract import registry
    from aune.contract.options import check_known
    from aune.meta.robustness import USUAL
    from aune.meta.robustness import robustness as rank
    from aune.reports.analyses import analysis_written, robustness_figure
    from aune.reports.figures.export import check_output, export_figure

    if figure is not None:
        check_output(figure)
    if choices is not None:
        check_known([choices], [USUAL], "set of choices")
    chosen: dict[str, Sequence[str]] = dict(map(_parse_choice, choose or ()))
    if choices or not chosen:
        chosen = {**registry.task(task).extras.usual_choices, **chosen}
    outcome = reading.run(partial(_rank, rank, chosen, level), task, key, responses, [], options)
    warn(outcome.warnings)
    if figure is not None:
        put_bytes(export_figure(robustness_figure(outcome), figure), figure)
    put_text(analysis_written(outcome, chosen_format(format, output)), output)
    return 0


def _rank(
    rank: Callable[..., Robustness],
    choices: Mapping[str, Sequence[str]],
    level: float,
    task: str,
    key: str,
    systems: Mapping[str, Any],
    *,
    measures: Sequence[str],
    **options: Any,
) -> Robustness:
    """The outcome for files as they are read; a choice replaces the option of its name."""
    used = {name: value for name, value in options.items() if name not in choices and value is not None}
    return rank(task, key, systems, choices, level=level, **used)


def _parse_choice(text: str) -> tuple[str, list[str]]:
    """The name and the values of a choice.

    >>> _parse_choice("normalise=none;case,punctuation"), _parse_choice("measures=wer,macro(wer, by=document)")
    (('normalise', ['none', 'case,punctuation']), ('measures', ['wer', 'macro(wer, by=document)']))
    """
    from aune.contract.registry import split_names
    from aune.errors import UsageError

    name, equals, values = text.partition("=")
    parts = [part.strip() for part in values.split(";")] if ";" in values else split_names(values)
    if not equals or not name or not all(parts):
        raise UsageError(f"--choose {text}: expected NAME=VALUE,VALUE, such as match=strict,boundary")
    return name.replace("-", "_"), parts
