"""`aune doubts`: the items of a key that deserve a second look."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    File,
    KeyVersionName,
    Limit,
    Options,
    Reading,
    TaskName,
    warn_of_memory,
)
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, screen, warn

GROUP = "Understand"

TABLE_LIMIT = 20  # items in a table when no limit is given


def doubts(
    task: TaskName,
    key: File,
    /,
    *responses: File,
    keys: Annotated[list[str] | None, Parameter(negative=())] = None,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    limit: Limit = None,
    key_version: KeyVersionName = None,
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> None:
    """Rank the items of a key that deserve a second look, with what speaks against each.

    Systems that agree with each other against the key, the same string labelled otherwise elsewhere, annotators who
    disagree, and labels that a simple model finds unlikely that was trained on other parts of the key. For each item:
    its context, what it may have to be, and what this correction would do to the systems. `-o doubts.json` is what the
    workbench opens as questions.

    aune doubts ner gold.conll a.conll b.conll --limit 5

    Parameters
    ----------
    task
        What is annotated: see `aune list tasks`.
    key
        The key (gold, reference): a file or a folder.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system; none at all leaves
        the evidence of the key itself.
    keys
        Files of single annotators of the same texts, separated by commas or repeated.
    measure
        The measure that effects are about: the one that ranks systems, unless another is named.
    limit
        How many items to list: 20 in a table, 100 in the other formats.
    key_version
        The name of the version of the key, such as 2.1, stored with the list in JSON.
    format
        table, json, csv, tsv, markdown, latex or html.
    output
        A file for the list, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from functools import partial

    from aune.contract.options import check_known
    from aune.doubtful_items.ranking import LIMIT, rank_doubts
    from aune.reading.system_names import name_runs, system_names
    from aune.reports import FORMATS
    from aune.reports.doubts import doubts_written

    chosen = chosen_format(format, output)
    check_known([chosen], [name for name in FORMATS if name != "jsonl"], "output format")
    annotators = system_names([path for text in keys or () for path in text.split(",")]) if keys else {}
    files = [*name_runs(system_names(responses, with_runs=True))[0].values(), *annotators.values()]
    warn_of_memory("doubts", [key, *files])
    usual = TABLE_LIMIT if chosen == "table" else LIMIT
    rank = partial(rank_doubts, keys=annotators, limit=usual if limit is None else limit)
    measures = [measure] if measure else []
    ranked = reading.run(rank, task, key, responses, measures, options, key_version=key_version)
    warn(ranked.result.warnings)
    put_text(doubts_written(ranked, chosen, digits, **screen(output)), output)
