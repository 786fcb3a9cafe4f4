"""`aune validate`: is a file what the task expects."""

from __future__ import annotations

from aune.cli._inputs import File, FormatOptions, TaskName, keywords
from aune.cli._output import warn

GROUP = "Files"


def validate(
    task: TaskName,
    /,
    *files: File,
    input_format: str | None = None,
    **options: FormatOptions,
) -> None:
    """Check files against the rules of a task, and print every problem with its line and column.

    Parameters
    ----------
    task
        The task whose rules apply.
    files
        Files or folders to check, or - for standard input.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.core import registry
    from aune.core.asked import check_read, reader_options
    from aune.core.corpus import read_with_problems
    from aune.core.errors import InputError, Problem, UsageError

    if not files:
        raise UsageError("expected at least one file to validate")
    home = registry.task(task)
    given = reader_options(home, keywords(options))
    problems: list[Problem] = []
    for file in files:
        try:
            corpus, found = read_with_problems(home, file, input_format, **given)
        except InputError as error:
            problems += error.problems
            continue
        if corpus.format:
            check_read(home, given, corpus.options, [corpus.format])
        warn(corpus.warnings)
        broken = {(one.path, one.line) for one in found}  # more on the same line would only follow from it
        found += [one for one in home.check(corpus.documents) if (one.path, one.line) not in broken]
        warn([str(one) for one in sorted(found) if one.severity == "warning"])
        found = [one for one in found if one.severity == "error"]
        problems += found
        if not found:
            print(
                f"{file}: valid {corpus.format}, {len(corpus.documents)} document{'s' * (len(corpus.documents) != 1)}"
            )
    if problems:
        raise InputError(problems)
