"""`aune errors`: the errors behind a score, one by one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    File,
    FileOrStdin,
    Limit,
    Options,
    Reading,
    TaskName,
    warn_of_memory,
)
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, screen, warn

if TYPE_CHECKING:
    from aune.explain.analysis import ErrorSummary, Study

TABLE_LIMIT = 20  # errors listed in a table when no limit is given


GROUP = "Understand"


def errors(
    task: TaskName,
    key: FileOrStdin,
    response: FileOrStdin,
    /,
    *,
    versus: File | None = None,
    kind: Annotated[list[str] | None, Parameter(negative=())] = None,
    document: Annotated[list[str] | None, Parameter(negative=())] = None,
    limit: Limit = None,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """List the errors of a response: how many of each kind, what they cost, and each of them in its context.

    aune errors coref key.conll system.conll --limit 5

    Parameters
    ----------
    task
        What is compared: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    response
        The response (prediction, hypothesis).
    versus
        Another response: split the errors into those it fixed, those it broke, and those that both make.
    kind
        Only errors of this kind, such as span-error; can be repeated.
    document
        Only errors in this document; can be repeated.
    limit
        How many errors to list: 20 in a table, all in the other formats.
    measure
        The measure whose gains are shown, for tasks that can tell what each kind of error costs.
    format
        table, json, csv, tsv, markdown, latex or html.
    output
        A file for the list, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.contract import registry
    from aune.explain.analysis import require_error_list, study, summarise_errors
    from aune.reading.system_names import system_names

    require_error_list(task)
    chosen = _format(format, output)
    listed = TABLE_LIMIT if limit is None and chosen == "table" else limit
    measures = [measure or registry.task(task).ranking]
    if versus:
        warn_of_memory("errors --versus", [key, *system_names([response, versus]).values()])
        analysis = reading.run(study, task, key, [response, versus], measures, options)
        warn(analysis.result.warnings)
        text = _render_versus(analysis, kind or [], document or [], chosen, listed, digits, screen(output))
    else:
        summarise = partial(summarise_errors, kinds=kind or [], documents=document or [], limit=listed)
        summary = reading.run(summarise, task, key, [response], measures, options)
        warn(summary.result.warnings)
        text = _render(summary, chosen, listed, digits, screen(output))
    put_text(text, output)
    return 0


def _format(format: str | None, output: Path | None) -> str:
    from aune.contract.options import check_known
    from aune.reports import FORMATS

    chosen = chosen_format(format, output)
    check_known([chosen], [name for name in FORMATS if name != "jsonl"], "output format")
    return chosen


def _render(summary: ErrorSummary, format: str, limit: int | None, digits: int, screen_options: dict[str, Any]) -> str:
    from aune.reports.errors import kinds_table, write

    score = summary.result.scores[0]
    head = {"task": summary.result.task, "system": score.system, "score": score.entry()}
    table = kinds_table(f"{summary.result.task}: errors of {score.system}", summary.kinds, score.measure, digits)
    cases = [("", case) for case in summary.cases]
    return write(table, cases, head, summary.kinds, format, limit, total=summary.chosen, **screen_options)


def _render_versus(
    study: Study,
    kinds: list[str],
    documents: list[str],
    format: str,
    limit: int | None,
    digits: int,
    screen_options: dict[str, Any],
) -> str:
    from aune.contract.options import check_known
    from aune.explain.analysis import select_kinds, split_errors
    from aune.reports.errors import versus_table, write

    first, other = study.result.systems
    measure = study.result.measures[0]
    check_known(documents, study.result.scores[0].rows.attributes["document"] if documents else (), "document")
    chosen_documents = set(documents)
    cases = {
        system: [
            case
            for case in select_kinds(study.task, listed, kinds)
            if not chosen_documents or case.document in chosen_documents
        ]
        for system, listed in study.cases.items()
    }
    head: dict[str, Any] = {"task": study.result.task, "system": first, "score": study.result.scores[0].entry()}
    tables = study.kinds(first, measure.name)
    split = split_errors(cases[first], cases[other])
    title = f"{study.result.task}: from {first} to {other}"
    listed = [(status, case) for status, part in split._asdict().items() for case in part]
    head |= {"versus": other, "counts": {status: len(part) for status, part in split._asdict().items()}}
    return write(versus_table(title, split), listed, head, tables, format, limit, **screen_options)
