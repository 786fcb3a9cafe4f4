"""`aune baseline`: the response of a simple system, or its scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import Digits, Draws, File, Measures, TaskName, keywords, measure_names, warn_of_memory
from aune.cli._output import (
    OutputFile,
    OutputFormat,
    chosen_format,
    put_json,
    put_result,
    put_tables,
    put_text,
    warn,
    writable_format,
)

if TYPE_CHECKING:
    from aune.baselines import Baseline


GROUP = "Score"


def baseline(
    task: TaskName,
    name: str,
    source: File,
    target: File | None = None,
    /,
    *,
    measures: Measures = None,
    draws: Draws = 20,
    format: OutputFormat = None,
    output: OutputFile = None,
    convention: str | None = None,
    input_format: Annotated[str | None, Parameter(name=["--from", "--input-format"])] = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
    digits: Digits = 2,
    **options: str,
) -> None:
    """Run a simple system on a key: write its response, or, without a target, print what it scores.

    Further options are those of the baseline, of the formats and, without a target, of the measures. `aune list
    baselines TASK` lists the baselines.

    aune baseline coref same_string key.conll

    Parameters
    ----------
    task
        The task that the file belongs to.
    name
        The baseline: see `aune list baselines`.
    source
        The key, whose texts and mentions the baseline is given.
    target
        The file for the response, or - for standard output. Its name decides the format unless --to does.
    measures
        What to score without a target.
    draws
        How many times a random baseline is drawn and scored without a target, with seeds from --seed on.
    format
        How to show scores: table, json, csv, tsv, markdown or latex.
    output
        A file for the scores.
    convention
        A named set of options of the task, for the scores.
    input_format
        The format of the source, when it should not be recognised from the content.
    output_format
        The format to write; the source's own when it can be written, unless the target's name says otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.baselines import baseline as found_baseline

    system = found_baseline(task, name)
    kwargs = keywords(options)
    system_options = {option: kwargs.pop(option) for option in list(kwargs) if option in system.options}
    if target is not None:
        _write(system, system_options, kwargs, source, target, input_format, output_format)
    else:
        kwargs |= {"convention": convention} if convention else {}
        _score(system, system_options, kwargs, source, measures, draws, input_format, (format, output, digits))


def _write(
    system: Baseline, system_options: dict[str, Any], kwargs: dict[str, Any], source: str, target: str,
    input_format: str | None, output_format: str | None,
) -> None:  # fmt: skip
    from aune import STDIN
    from aune.contract import registry
    from aune.evaluation.plan import check_reader_options
    from aune.reading.corpus import read

    home = registry.task(system.task)
    warn_of_memory("baseline", [str(source)])
    corpus = read(home, source, input_format, **check_reader_options(home, kwargs))
    warn(corpus.warnings)
    form = writable_format(system.task, target, output_format, corpus.format, source)
    text = "".join(form.write(system(corpus.documents, **system_options)) if form.write else ())
    put_text(text, None if target in ("-", STDIN) else Path(target))


def _score(
    system: Baseline,
    system_options: dict[str, Any],
    kwargs: dict[str, Any],
    source: str,
    measures: list[str] | None,
    draws: int,
    input_format: str | None,
    shown: tuple[str | None, Path | None, int],
) -> None:
    from aune.baselines.differential import chance, named_expression
    from aune.contract.registry import task as task_of
    from aune.evaluation.pipeline import evaluate
    from aune.reading.corpus import Corpus, read

    names = measure_names(measures)
    format, output, digits = shown
    if system.is_random:
        levels = chance(
            system.task, source, named_expression(system.name, system_options), draws=draws, measures=names,
            key_format=input_format, **kwargs,
        )  # fmt: skip
        _put_levels(levels, f"{system.task} {system.name}: {draws} draws on {source}", format, output, digits)
        return
    home = task_of(system.task)
    corpus = read(home, source, input_format, **{name: kwargs[name] for name in kwargs if name != "convention"})
    answer = Corpus(system(corpus.documents, **system_options))
    result = evaluate(system.task, corpus, {system.name: answer}, measures=names, **kwargs)
    warn(result.warnings)
    put_result(result, format, output, digits=digits)


def _put_levels(levels: list[Any], title: str, format: str | None, output: Path | None, digits: int) -> None:
    from aune.reports.tabular import Table

    chosen = chosen_format(format, output)
    if chosen == "json":
        put_json({"schema": 1, "levels": [level._asdict() for level in levels]}, output)
        return
    rows = [(level.measure, level.value, *(percent(number, digits) for number in level[2:6])) for level in levels]
    header = ("measure", "value", "mean", "deviation", "lowest", "highest")
    put_tables(Table(title, header, rows, 2, notes=("values × 100",)), chosen, output)


def percent(number: float | None, digits: int) -> str:
    """A value times 100, or a dash where it is undefined."""
    return "–" if number is None else f"{100 * number:.{digits}f}".replace("-", "−")
