"""`aune describe`: the profile of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._output import OutputFormat


def describe(
    task: str,
    /,
    *files: Annotated[str, Parameter(allow_leading_hyphen=False)],
    format: OutputFormat = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    input_format: str | None = None,
    **options: str,
) -> None:
    """Describe corpora: how much there is of what, a column per file.

    Parameters
    ----------
    task
        The task that the files belong to.
    files
        Files or folders, or name=path to name a column.
    format
        table, json, csv, tsv, markdown or latex.
    output
        A file for the description; standard output otherwise.
    input_format
        The format, when it should not be recognised from the content.
    options
        Any option of the task, its formats or its measures: see `aune list options TASK`.
    """
    from aune import registry
    from aune.cli._output import put_text, tell
    from aune.corpus import read, system_names
    from aune.errors import UsageError
    from aune.reports import format_of, table_written
    from aune.reports.tabular import profile_table

    home = registry.task(task)
    if home.describe is None:
        raise UsageError(f"{task} has no description")
    if not files:
        raise UsageError("expected at least one file to describe")
    profiles = {}
    for name, path in system_names(files).items():
        corpus = read(home, path, input_format, **{key.replace("-", "_"): value for key, value in options.items()})
        for warning in corpus.warnings:
            tell(f"warning: {warning}")
        profiles[name] = home.describe(corpus.documents)
    chosen = format or format_of(output)
    if chosen == "json":
        import json

        put_text(
            json.dumps({"schema": 1, "task": task, "profiles": profiles}, ensure_ascii=False, indent=1) + "\n", output
        )
    else:
        put_text(table_written(profile_table(task, profiles), chosen), output)
