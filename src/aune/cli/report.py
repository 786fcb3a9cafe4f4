"""`aune report`: a page that explains the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._output import progress, put_text, tell


def report(
    task: str,
    key: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *responses: Annotated[str, Parameter(allow_leading_hyphen=False)],
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("report.html"),
    measures: Annotated[list[str] | None, Parameter(name=["--measures", "-m"], negative=())] = None,
    title: str = "",
    level: float = 0.95,
    draws: int = 2_000,
    seed: int = 1,
    most_errors: int = 10_000,
    plain: Annotated[bool, Parameter(negative=())] = False,
    convention: str | None = None,
    input_format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: str = "empty",
    extra: str = "ignore",
    **options: str,
) -> int:
    """Write a page that explains the scores: ranking, texts, confusions, errors, documents and figures.

    The page is one file that needs no network. Further options are those of the task, its formats and its measures:
    see `aune list options TASK`.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        What is expected: a file, a folder, or - for standard input.
    responses
        What the systems gave: files or folders, or name=path to name a system.
    output
        The file to write, whole or not at all.
    measures
        Names or expressions, separated by commas or repeated; the task's usual ones when left out.
    title
        The heading of the page.
    level
        How often the intervals should hold the true value; systems with p (Holm) ≤ 1 − level are told apart.
    draws
        Bootstrap replicates for the intervals, and random exchanges for the tests.
    seed
        Where the random draws start.
    most_errors
        How many errors of each system the page lists one by one; all are counted.
    plain
        Leave the texts uncompressed, for browsers from before 2023.
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
    from aune.reports.certainty import with_certainty
    from aune.reports.figures import drawings
    from aune.reports.page import write

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
    found, test = with_certainty(found, level=level, draws=draws, seed=seed)
    for warning in found.result.warnings:
        tell(f"warning: {warning}")
    page = write(found, title=title, test=test, figures=list(drawings(found)), plain=plain, most_errors=most_errors)
    put_text(page, output)
    tell(f"{output}: {len(page.encode()) / 1e6:.1f} MB, open it in a browser")
    return 0
