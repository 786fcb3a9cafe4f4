"""`aune coref ablate`: what each group of rules brings."""

from __future__ import annotations

from aune.cli._inputs import Count, Digits, FileOrStdin, Measures, Options, keywords, measure_names
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
    kwargs = keywords(options)
    results = ablations(TASK, key, baseline, most=most, measures=names, key_format=input_format, **kwargs)
    chosen = chosen_format(format, output)
    if chosen == "json":
        rows = {
            "schema": 1,
            "task": TASK,
            "baseline": baseline,
            "ablations": [ablation._asdict() for ablation in results],
        }
        put_json(rows, output)
        return
    header = ("off", *(name.removeprefix(f"{TASK}.") for name in results[0].scores), "mean", "loss")
    cells = [
        (
            " + ".join(ablation.off) or "nothing",
            *(percent(number, digits) for number in (*ablation.scores.values(), ablation.mean, ablation.loss)),
        )
        for ablation in results
    ]
    title = f"{TASK} {baseline} without groups of its rules: {key}"
    put_tables(Table(title, header, cells, notes=("values × 100",)), chosen, output)
