"""`aune coref sweep`: which parameters of a simple system serve best."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import Count, Digits, File, Measures, OptionalDraws, Seed, keywords, measure_names
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_json, put_tables

TASK = "coref"


def sweep(
    training: File,
    held_out: File,
    /,
    *,
    parameter: Annotated[list[str], Parameter(name=["--parameter"], negative=())],
    baseline: str = "activation",
    measures: Measures = None,
    draws: OptionalDraws = None,
    seed: Seed = 0,
    shown: Count = 10,
    format: OutputFormat = None,
    output: OutputFile = None,
    input_format: str | None = None,
    digits: Digits = 2,
    **options: str,
) -> None:
    """Try parameters of a simple system on training texts, and score the best ones on other texts.

    Every combination of the values given is tried, or --draws of them drawn at random. Trials are ordered by the mean
    of the measures on the training texts; the last two lines are what the best trial and the system as it is get on
    the other texts.

    Parameters
    ----------
    training
        The key whose mentions the system is tried on.
    held_out
        The key that the best parameters are scored on.
    parameter
        A parameter and its values, such as kept=0.3,0.5,0.7; once for each parameter.
    baseline
        The system, with options in parentheses: `activation(language=french)`.
    measures
        Names or expressions; the mean of several measures of quality when not given.
    draws
        How many combinations to try, drawn at random; all of them when not given.
    seed
        Which random draw.
    shown
        How many trials the table shows.
    format
        table, json, csv, tsv, markdown or latex.
    output
        A file for the table.
    input_format
        The format of the keys, when it should not be recognised from the content.
    digits
        Decimals shown in tables.
    """
    from aune.baselines.differential import sweep as swept
    from aune.cli.baseline import percent
    from aune.reports.tabular import Table

    grid = dict(map(_values, parameter))
    outcome = swept(
        TASK, training, held_out, baseline, grid, draws=draws, seed=seed, measures=measure_names(measures) or (),
        key_format=input_format, **keywords(options),
    )  # fmt: skip
    chosen = chosen_format(format, output)
    if chosen == "json":
        trials = [trial._asdict() for trial in outcome.trials]
        put_json({"schema": 1, "task": TASK, "baseline": baseline, **outcome._asdict(), "trials": trials}, output)
        return
    names = tuple(name.removeprefix(f"{TASK}.") for name in outcome.chosen)
    blank = ("",) * len(names)
    rows = [
        (*(f"{entry.parameters[name]:g}" for name in grid), percent(entry.mean, digits), *blank)
        for entry in outcome.trials[:shown]
    ]
    for label, scores in (("best, other texts", outcome.chosen), ("as it is, other texts", outcome.default)):
        rows.append((label, *[""] * len(grid), *(percent(number, digits) for number in scores.values())))
    title = f"{TASK} {baseline}: {len(outcome.trials)} trials on {training}, scored on {held_out}"
    notes = ("values × 100", f"seed {seed}") if draws else ("values × 100",)
    put_tables(Table(title, (*grid, "mean", *names), rows, len(grid), notes=notes), chosen, output)


def _values(text: str) -> tuple[str, list[float]]:
    """A parameter and the values to try."""
    from aune.errors import UsageError

    name, _, values = text.partition("=")
    try:
        return name, [float(value) for value in values.split(",")]
    except ValueError:
        raise UsageError(f"--parameter {text}: expected a name and values, such as kept=0.3,0.5,0.7") from None
