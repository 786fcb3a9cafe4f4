"""`aune coref ablate`: what each group of rules brings."""

from __future__ import annotations

from aune.cli._inputs import FileOrStdin, Measures, Options, keywords, measure_names
from aune.cli._numbers import Count, Digits
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_json, put_tables

TASK = "coref"


def ablate(
    key: FileOrStdin,
    /,
    *,
    baseline: str = "activation",
    measures: Measures = None,
    most: Count = 2,
    format: OutputFormat = None,
    output: OutputFile = None,
    input_format: str | None = None,
    digits: Digits = 2,
    **options: Options,
) -> None:
    """Switch off the groups of rules of a simple system, one and two at a time, and show what is lost.

    The loss is that of the mean over the measures.

    Parameters
    ----------
    key
        What is expected, and what the system is given the mentions of.
    baseline
        The system, with options in parentheses: `activation(language=french)`.
    measures
        Names or expressions; the mean of several measures of quality when not given.
    most
        How many groups are off at once, at most.
    format
        table, json, csv, tsv, markdown or latex.
    output
        A file for the table.
    input_format
        The format of the key, when it should not be recognised from the content.
    digits
        Decimals shown in tables.
    """
    from aune.baselines.differential import ablations
    from aune.cli.baseline import percent
    from aune.reports.tabular import Table

    names = measure_names(measures)
    given = keywords(options)
    found = ablations(TASK, key, baseline, most=most, measures=names, key_format=input_format, **given)
    chosen = chosen_format(format, output)
    if chosen == "json":
        rows = {"schema": 1, "task": TASK, "baseline": baseline, "ablations": [one._asdict() for one in found]}
        put_json(rows, output)
        return
    header = ("off", *(name.removeprefix(f"{TASK}.") for name in found[0].scores), "mean", "loss")
    cells = [
        (
            " + ".join(one.off) or "nothing",
            *(percent(number, digits) for number in (*one.scores.values(), one.mean, one.loss)),
        )
        for one in found
    ]
    title = f"{TASK} {baseline} without groups of its rules: {key}"
    put_tables(Table(title, header, cells, notes=("values × 100",)), chosen, output)
