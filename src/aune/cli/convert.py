"""`aune convert`: the same documents in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import File, keywords
from aune.cli._output import put_text, tell, warn


def convert(
    task: str,
    source: File,
    target: File,
    /,
    *,
    input_format: Annotated[str | None, Parameter(name=["--from", "--input-format"])] = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
    **options: str,
) -> None:
    """Convert a file between formats, and say what the new format cannot hold.

    Parameters
    ----------
    task
        The task that the file belongs to.
    source
        The file to read, or - for standard input.
    target
        The file to write, or - for standard output. Its name decides the format unless --to does.
    input_format
        The format of the source, when it should not be recognised from the content.
    output_format
        The format to write.
    options
        Any option of the task, its formats or its measures: see `aune list options TASK`.
    """
    from aune import STDIN
    from aune.core import registry
    from aune.core.asked import check_read, reader_options
    from aune.core.corpus import read
    from aune.core.errors import UsageError

    home = registry.task(task)
    given = reader_options(home, keywords(options))
    corpus = read(home, source, input_format, **given)
    check_read(home, given, corpus.options, [corpus.format or ""])
    warn(corpus.warnings)
    writable = [one for one in registry.formats(task) if one.write]
    named = [one for one in writable if target.endswith(one.suffixes or ("\0",))]
    form = registry.format(task, output_format) if output_format else next(iter(named), None)
    if form is None or form.write is None:
        names = ", ".join(one.name for one in writable)
        raise UsageError(f"{target}: expected --to with one of {names}")
    text = "".join(form.write(corpus.documents))
    for what, count in home.holdings(corpus.documents).items():
        if count and what not in form.carries:
            tell(f"warning: {form.name} cannot hold {what}: {count} lost")
    put_text(text, None if target in ("-", STDIN) else Path(target))
