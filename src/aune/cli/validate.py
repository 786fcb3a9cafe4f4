"""`aune validate`: is a file what the task expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aune.cli._inputs import File, FormatOptions, TaskName, keywords
from aune.cli._output import AsJson, put_json, put_text, warn

if TYPE_CHECKING:
    from aune.core.errors import Problem
    from aune.core.task import Task

GROUP = "Files"


def validate(
    task: TaskName,
    /,
    *files: File,
    input_format: str | None = None,
    json: AsJson = False,
    **options: FormatOptions,
) -> int:
    """Check files against the rules of a task, and print every problem with its line and column.

    aune validate coref key.conll system.conll

    Parameters
    ----------
    task
        The task whose rules apply.
    files
        Files or folders to check, or - for standard input.
    input_format
        The format, when it should not be recognised from the content.
    json
        Print what was found in each file as JSON, all problems and warnings with it.
    """
    from aune.core import registry
    from aune.core.asked import reader_options
    from aune.core.errors import InputError, UsageError, visible

    if not files:
        raise UsageError("expected at least one file to validate")
    home = registry.task(task)
    given = reader_options(home, keywords(options))
    records, errors, told = [], [], []
    for file in files:
        record, problems = _checked(home, file, input_format, given)
        found = [problem for problem in problems if problem.severity == "error"]
        told += [*record["warnings"], *(str(problem) for problem in sorted(problems) if problem.severity == "warning")]
        errors += found
        records.append({"path": file, "valid": not found, **record, "problems": list(map(_plain, sorted(problems)))})
        if not found and not json:
            count = record["documents"]
            put_text(visible(f"{file}: valid {record['format']}, {count:,} document{'s' * (count != 1)}") + "\n", None)
    if json:
        put_json({"schema": 1, "task": task, "files": records}, None)
        return InputError.exit_code if errors else 0
    warn(told)
    if errors:
        raise InputError(errors)
    return 0


def _checked(home: Task, file: str, form: str | None, given: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """What a file is, and all that is wrong with it."""
    from aune.core.asked import check_read
    from aune.core.corpus import read_with_problems
    from aune.core.errors import InputError

    try:
        corpus, problems = read_with_problems(home, file, form, **given)
    except InputError as error:
        return {"format": form, "documents": 0, "warnings": []}, list(error.problems)
    if corpus.format:
        check_read(home, given, corpus.options, [corpus.format])
    broken = {(problem.path, problem.line) for problem in problems}  # more on the same line would only follow from it
    problems += [one for one in home.check(corpus.documents) if (one.path, one.line) not in broken]
    record = {"format": corpus.format, "documents": len(corpus.documents), "warnings": list(corpus.warnings)}
    return record, problems


def _plain(problem: Problem) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(problem)
