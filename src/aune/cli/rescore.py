"""`aune rescore`: runs by a new version of their key, and the corrections responsible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    Draws,
    File,
    Level,
    Limit,
    Options,
    Reading,
    Seed,
    TaskName,
    warn_of_memory,
)
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, screen, warn

if TYPE_CHECKING:
    from aune.explain.rescoring import Rescored

GROUP = "Score"


def rescore(
    task: TaskName,
    key: File,
    new: File,
    /,
    *responses: File,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    unit: str = "auto",
    limit: Limit = None,
    old_version: str | None = None,
    new_version: str | None = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> None:
    """Score runs again by a new version of their key: before and after, ranks, and the corrections responsible.

    Every value has its interval, and so has its change, from the same texts by both versions. Each correction is what
    differs between the two keys in one item, with what it alone does to the systems.

    aune rescore ner gold.conll gold.conll a.conll b.conll --draws 100

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key of before; or a stored result (JSON, or a folder of --rows), whose responses are then scored again from
        where it says that they are.
    new
        The new version of the key.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system. They need not be named
        with a stored result.
    measure
        The measure: the one that ranks systems, unless another is named.
    level
        Confidence level of the intervals.
    draws
        Bootstrap replicates.
    seed
        Random seed.
    unit
        What is drawn: document, sentence, speaker…; auto: documents or speakers that the data names, else its parts.
    limit
        How many corrections a table lists (20).
    old_version
        The name of the version of the key of before; a stored result has its own.
    new_version
        The name of the new version.
    format
        table, json, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.contract.options import check_known
    from aune.explain.rescoring import score_again
    from aune.reading.system_names import name_runs, system_names
    from aune.reports import FORMATS
    from aune.reports.rescoring import TABLE_LIMIT, rescored_written

    chosen = chosen_format(format, output)
    check_known([chosen], [name for name in FORMATS if name != "jsonl"], "output format")
    warn_of_memory("rescore", [key, new, *name_runs(system_names(responses, with_runs=True))[0].values()])

    def evaluate(task: str, key: str, systems: Any, **settings: Any) -> Rescored:
        return score_again(
            task,
            key,
            new,
            systems,
            level=level,
            draws=draws,
            seed=seed,
            unit=unit,
            old_version=old_version,
            new_version=new_version,
            **settings,
        )

    measures = [measure] if measure else []
    rescored = reading.run(evaluate, task, key, responses, measures, options)
    warn([*rescored.before.warnings, *rescored.after.warnings])
    shown = TABLE_LIMIT if limit is None else limit
    put_text(rescored_written(rescored, chosen, digits, shown, **screen(output)), output)
