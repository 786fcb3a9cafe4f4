"""`aune compare`: which system is better, and how sure that is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from aune.cli._output import OutputFormat, progress, put_text, tell


def compare(
    task: str,
    key: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *responses: Annotated[str, Parameter(allow_leading_hyphen=False)],
    measures: Annotated[list[str] | None, Parameter(name=["--measures", "-m"], negative=())] = None,
    test: str = "randomisation",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    unit: str = "document",
    format: OutputFormat = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    convention: str | None = None,
    input_format: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: str = "empty",
    extra: str = "ignore",
    digits: int = 2,
    **options: str,
) -> int:
    """Compare systems on the same key, pair by pair.

    For every measure and every pair: the difference, its confidence interval, the p-value of a two-sided paired test
    (also corrected for the number of pairs, after Holm), and the size of the effect in standard deviations. Further
    options are those of the task, its formats and its measures: see `aune list options TASK`.

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        What is expected: a file, a folder, or - for standard input.
    responses
        What the systems gave, two or more: files or folders, or name=path to name a system.
    measures
        Names or expressions, separated by commas or repeated.
    test
        randomisation (exchange the systems on random units), bootstrap (centred), sign or wilcoxon (on the values of
        single units); for speech also mapsswe and mcnemar, on segments between words that both systems have right.
    level
        How often the intervals should hold the true difference; systems with p (Holm) ≤ 1 − level are told apart.
    draws
        Random exchanges, and bootstrap replicates for the intervals.
    seed
        Where the random draws start.
    unit
        What is exchanged or drawn: document, or another attribute of the task's units, such as speaker.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
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
    digits
        Decimals shown in tables.
    """
    from aune.cli.score import split_names
    from aune.corpus import system_names
    from aune.errors import UsageError
    from aune.evaluation import evaluate
    from aune.reports import format_of
    from aune.reports.comparison import write
    from aune.statistics.comparison import ON_SEGMENTS, compare_systems
    from aune.statistics.slots import SLOTS

    if len(responses) < 2:
        raise UsageError("expected at least two responses to compare: aune compare TASK KEY A B")
    names: list[Any] = [name for given in measures or () for name in split_names(given)]
    if test in ON_SEGMENTS:
        if task != "speech" or names not in ([], ["wer"], ["speech.wer"]):
            raise UsageError(f"{test} is a test of the word error rate of speech: use it with aune compare speech")
        names = ["wer", SLOTS]
    with progress() as told:
        result = evaluate(
            task,
            key,
            system_names(responses),
            measures=names,
            convention=convention,
            key_format=key_format or input_format,
            response_format=response_format or input_format,
            missing=missing,  # type: ignore[arg-type]
            extra=extra,  # type: ignore[arg-type]
            progress=told,
            **{name.replace("-", "_"): value for name, value in options.items()},
        )
    found = compare_systems(result, test, level=level, draws=draws, seed=seed, unit=unit)  # type: ignore[arg-type]
    for warning in [*result.warnings, *found.warnings]:
        tell(f"warning: {warning}")
    colour = output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    put_text(write(found, format or format_of(output), digits, colour), output)
    return 0
