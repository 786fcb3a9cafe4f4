"""`aune errors`: the errors behind a score, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import AS_USUAL, File, FileOrStdin, Options, Reading, TaskName
from aune.cli._numbers import Digits, Limit
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, screen, warn

if TYPE_CHECKING:
    from aune.explain.analysis import Study

SHOWN = 20  # errors listed in a table when no limit is given


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
    reading: Reading = AS_USUAL,
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
        What is expected: a file, a folder, or - for standard input.
    response
        What the system gave.
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
    from aune.core import registry
    from aune.explain.analysis import check_listed, study

    check_listed(task)
    responses = [response, versus] if versus else [response]
    found = reading.run(study, task, key, responses, [measure or registry.task(task).ranking], options)
    warn(found.result.warnings)
    chosen = _format(format, output)
    listed = SHOWN if limit is None and chosen == "table" else limit
    put_text(_written(found, kind or [], document or [], chosen, listed, digits, screen(output)), output)
    return 0


def _format(format: str | None, output: Path | None) -> str:
    from aune.core.options import check_known
    from aune.reports import FORMATS

    chosen = chosen_format(format, output)
    check_known([chosen], [name for name in FORMATS if name != "jsonl"], "output format")
    return chosen


def _written(
    study: Study,
    kinds: list[str],
    documents: list[str],
    format: str,
    limit: int | None,
    digits: int,
    seen: dict[str, Any],
) -> str:
    from aune.core.options import check_known
    from aune.explain.analysis import of_kinds, versus
    from aune.reports.errors import kinds_table, versus_table, write

    first, *others = study.result.systems
    measure = study.result.measures[0]
    check_known(documents, study.result.scores[0].rows.attributes["document"] if documents else (), "document")
    wanted = set(documents)
    cases = {
        system: [case for case in of_kinds(study.task, listed, kinds) if not wanted or case.document in wanted]
        for system, listed in study.cases.items()
    }
    head: dict[str, Any] = {"task": study.result.task, "system": first, "score": study.result.scores[0].entry()}
    tables = study.kinds(first, measure.name)
    if not others:
        title = f"{study.result.task}: errors of {first}"
        return write(kinds_table(title, tables, measure, digits), [("", case) for case in cases[first]], head, tables,
                     format, limit, **seen)  # fmt: skip
    split = versus(cases[first], cases[others[0]])
    title = f"{study.result.task}: from {first} to {others[0]}"
    listed = [(status, case) for status, part in split._asdict().items() for case in part]
    head |= {"versus": others[0], "counts": {status: len(part) for status, part in split._asdict().items()}}
    return write(versus_table(title, split), listed, head, tables, format, limit, **seen)
