"""`aune validate`: is a file what the task expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aune.cli._inputs import File, FormatOptions, TaskName, keywords
from aune.cli._output import AsJson, problem_fields, progress, put_json, put_text, warn

if TYPE_CHECKING:
    from aune.contract.task import Task
    from aune.errors import Problem
    from aune.reading.corpus import OpenedFiles

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
        Print the result for each file as JSON, with all problems and warnings.
    """
    from aune.contract import registry
    from aune.errors import InputError, UsageError, make_visible
    from aune.evaluation.plan import check_reader_options

    if not files:
        raise UsageError("expected at least one file to validate")
    home = registry.task(task)
    reader_kwargs = check_reader_options(home, keywords(options))
    records, errors, warning_lines = [], [], []
    for file in files:
        record, problems = _check_file(home, file, input_format, reader_kwargs)
        file_errors = [problem for problem in problems if problem.severity == "error"]
        warning_lines += [
            *record["warnings"],
            *(str(problem) for problem in sorted(problems) if problem.severity == "warning"),
        ]
        errors += file_errors
        records.append(
            {"path": file, "valid": not file_errors, **record, "problems": list(map(problem_fields, sorted(problems)))}
        )
        if not file_errors and not json:
            count = record["documents"]
            put_text(
                make_visible(f"{file}: valid {record['format']}, {count:,} document{'s' * (count != 1)}") + "\n", None
            )
    if json:
        put_json({"schema": 1, "task": task, "files": records}, None)
        return InputError.exit_code if errors else 0
    warn(warning_lines)
    if errors:
        raise InputError(errors)
    return 0


def _check_file(
    home: Task, file: str, form: str | None, reader_kwargs: dict[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """What a file is, and all that is wrong with it."""
    from aune.errors import InputError
    from aune.evaluation.plan import check_options_used
    from aune.reading.corpus import open_files, read_opened_files

    try:
        files = open_files(home, file, form, reader_kwargs)
        if record := _check_in_pieces(home, files, reader_kwargs):
            check_options_used(home, reader_kwargs, files.options, list(files.formats))
            return record, []
        corpus, problems = read_opened_files(home, files, reader_kwargs)
    except InputError as error:
        return {"format": form, "documents": 0, "warnings": []}, list(error.problems)
    if corpus.format:
        check_options_used(home, reader_kwargs, corpus.options, [corpus.format])
    broken = {
        (problem.place.path, problem.place.line) for problem in problems
    }  # more on the same line would only follow from it
    problems += [
        issue for issue in home.reading.check(corpus.documents) if (issue.place.path, issue.place.line) not in broken
    ]
    record = {"format": corpus.format, "documents": len(corpus.documents), "warnings": list(corpus.warnings)}
    return record, problems


def _check_in_pieces(home: Task, files: OpenedFiles, reader_kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """What a long file is in which nothing is wrong; None for any other, which is read as a whole."""
    from aune.evaluation.corpus_pieces import read_in_pieces

    with progress() as update:
        summary = read_in_pieces(
            home, files, reader_kwargs, lambda documents: not home.reading.check(documents), update
        )
    if summary is None:
        return None
    return {"format": "+".join(files.formats), "documents": summary.documents, "warnings": list(summary.warnings)}
