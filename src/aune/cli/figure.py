"""`aune figure`: a figure for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._output import progress, put_bytes, put_text, tell


def figure(
    name: str,
    task: str,
    key: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *responses: Annotated[str, Parameter(allow_leading_hyphen=False)],
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    measures: Annotated[list[str] | None, Parameter(name=["--measures", "-m"], negative=())] = None,
    level: float = 0.95,
    draws: int = 2_000,
    seed: int = 1,
    convention: str | None = None,
    input_format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: str = "empty",
    extra: str = "ignore",
    **options: str,
) -> int:
    """Draw a figure of an evaluation, as SVG, PDF or PNG.

    `aune list figures` names them. PDF and PNG need the extra `figures`: pip install 'aune[figures]'. Further options
    are those of the task, its formats and its measures: see `aune list options TASK`.

    Parameters
    ----------
    name
        Which figure: see `aune list figures`.
    task
        What is scored: see `aune list tasks`.
    key
        What is expected: a file, a folder, or - for standard input.
    responses
        What the systems gave: files or folders, or name=path to name a system.
    output
        A file ending in .svg, .pdf or .png, written whole or not at all; SVG on standard output otherwise.
    measures
        Names or expressions, separated by commas or repeated; the task's usual ones when left out.
    level
        How often the intervals should hold the true value.
    draws
        Bootstrap replicates for the intervals.
    seed
        Where the random draws start.
    convention
        A named set of options of the task, such as conll or partition.
    input_format
        The format of key and responses, when it should not be recognised from the content.
    key_format
        The format of the key alone.
    response_format
        The format of the responses alone.
    missing
        Documents that a response lacks: empty (scored as empty), skip or error.
    extra
        Documents that the key lacks: ignore, count (against an empty key) or error.
    """
    from aune.analysis import study
    from aune.cli.score import split_names
    from aune.corpus import system_names
    from aune.options import check_known
    from aune.reports.certainty import with_certainty
    from aune.reports.figures import drawing, names
    from aune.reports.figures.export import exported, ready

    check_known([name.replace("-", "_")], names(), "figure")
    ready(output)
    with progress() as told:
        found = study(
            task,
            key,
            system_names(responses),
            measures=[name for given in measures or () for name in split_names(given)],
            convention=convention,
            key_format=key_format or input_format,
            response_format=response_format or input_format,
            missing=missing,
            extra=extra,
            progress=told,
            **{name.replace("-", "_"): value for name, value in options.items()},
        )
    found, _ = with_certainty(found, level=level, draws=draws, seed=seed)
    for warning in found.result.warnings:
        tell(f"warning: {warning}")
    drawn = drawing(name.replace("-", "_"), found)
    if output is None or output.suffix == ".svg":
        put_text(drawn.figure.svg() + "\n", output)
    else:
        put_bytes(exported(drawn.figure.svg(), output.suffix), output)
    return 0
