"""`aune report`: a page that explains the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Count,
    Draws,
    File,
    FileOrStdin,
    KeyVersionName,
    Level,
    Measures,
    Options,
    Reading,
    Seed,
    TaskName,
    measure_names,
    warn_of_memory,
)
from aune.cli._output import note, put_text, warn

GROUP = "Understand"


def report(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("report.html"),
    measures: Measures = None,
    title: str = "",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    baselines: Annotated[list[str] | None, Parameter(negative=())] = None,
    most_errors: Count = 10_000,
    plain: Annotated[bool, Parameter(negative=())] = False,
    key_version: KeyVersionName = None,
    reading: Reading = DEFAULT_READING,
    **options: Options,
) -> int:
    """Write a page that explains the scores: ranking, texts, confusions, errors, documents and figures.

    The page is one file that needs no network.

    aune report asr key.jsonl north.jsonl south.jsonl --output report.html

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system.
    output
        The file to write, whole or not at all.
    measures
        Names or expressions, separated by commas or repeated; the task's usual ones when left out.
    title
        The heading of the page.
    level
        Confidence level of the intervals; systems with p (Holm) ≤ 1 − level differ significantly.
    draws
        Bootstrap replicates for the intervals, and random exchanges for the tests.
    seed
        Random seed.
    baselines
        Systems shown separately below the others, separated by commas or repeated.
    most_errors
        How many errors of each system are shown in context; all of them are counted and listed.
    plain
        Leave the texts uncompressed, for browsers from before 2023.
    key_version
        The name of the version of the key, such as 2.1, which the page shows beside its file.
    """
    from aune.errors import UsageError
    from aune.explain.analysis import study
    from aune.reading.system_names import system_names
    from aune.reports import format_of
    from aune.reports.evaluation_report import page_of

    if format_of(output) != "html":
        raise UsageError(f"{output}: the page is HTML: name a file that ends in .html")
    baseline_names = measure_names(baselines)
    warn_of_memory("report", [key, *system_names(responses).values()])
    analysis = reading.run(study, task, key, responses, measure_names(measures), options, key_version=key_version)
    page, sure = page_of(analysis, title, baseline_names, level, draws, seed, plain, most_errors)
    warn(sure.result.warnings)
    put_text(page, output)
    note(f"{output}: {len(page.encode()) / 1e6:.1f} MB, open it in a browser")
    return 0
