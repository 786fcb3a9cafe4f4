"""`aune describe`: the profile of a corpus."""

from __future__ import annotations

from aune.cli._inputs import File, Options, TaskName, keywords
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_json, put_tables, warn

GROUP = "Files"


def describe(
    task: TaskName,
    /,
    *files: File,
    format: OutputFormat = None,
    output: OutputFile = None,
    input_format: str | None = None,
    **options: Options,
) -> None:
    """Describe corpora: how much there is of what, a column per file.

    aune describe ner gold.conll system.conll

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
    """
    from aune.core import registry
    from aune.core.asked import check_read, reader_options
    from aune.core.corpus import read, system_names
    from aune.core.errors import UsageError
    from aune.core.options import options_of
    from aune.reports.tabular import profile_table

    home = registry.task(task)
    if home.describe is None:
        raise UsageError(f"{task} has no description")
    asked, known = keywords(options), options_of(home.describe)
    own = {name: known[name].checked(asked.pop(name)) for name in list(asked) if name in known}
    given = reader_options(home, asked)
    if not files:
        raise UsageError("expected at least one file to describe")
    profiles = {}
    for name, path in system_names(files).items():
        corpus = read(home, path, input_format, **given)
        check_read(home, given, corpus.options, [corpus.format or ""])
        warn(corpus.warnings)
        profiles[name] = home.describe(corpus.documents, **own)
    chosen = chosen_format(format, output)
    if chosen == "json":
        put_json({"schema": 1, "task": task, "profiles": profiles}, output)
    else:
        put_tables(profile_table(task, profiles), chosen, output)
