"""`aune describe`: the profile of a corpus."""

from __future__ import annotations

from aune.cli._inputs import File, Options, TaskName, keywords, warn_of_memory
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
    """Describe corpora: the number of documents, items and labels, one column per file.

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
    from aune.contract import registry
    from aune.contract.options import options_of
    from aune.errors import UsageError
    from aune.evaluation.plan import check_options_used, check_reader_options
    from aune.reading.corpus import read
    from aune.reading.system_names import system_names
    from aune.reports.tabular import profile_table

    home = registry.task(task)
    if home.reading.describe is None:
        raise UsageError(f"{task} has no description")
    kwargs, known = keywords(options), options_of(home.reading.describe)
    describe_kwargs = {name: known[name].convert(kwargs.pop(name)) for name in list(kwargs) if name in known}
    reader_kwargs = check_reader_options(home, kwargs)
    if not files:
        raise UsageError("expected at least one file to describe")
    profiles = {}
    warn_of_memory("describe", system_names(files).values())
    for name, path in system_names(files).items():
        corpus = read(home, path, input_format, **reader_kwargs)
        check_options_used(home, reader_kwargs, corpus.options, [corpus.format or ""])
        warn(corpus.warnings)
        profiles[name] = home.reading.describe(corpus.documents, **describe_kwargs)
    chosen = chosen_format(format, output)
    if chosen == "json":
        put_json({"schema": 1, "task": task, "profiles": profiles}, output)
    else:
        put_tables(profile_table(task, profiles), chosen, output)
