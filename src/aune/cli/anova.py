"""`aune anova`: whether systems differ more than texts do."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import DEFAULT_READING, File, Options, Reading, TaskName
from aune.cli._output import put_json, put_text, warn

GROUP = "Research"
GRACE = ("p_min", "p_mean", "p_max")


def anova(
    task: TaskName,
    key: File,
    /,
    *responses: File,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    values: str | None = None,
    by: str = "document",
    format: Annotated[Literal["table", "json"], Parameter(name=["--format", "-f"])] = "table",
    reading: Reading = DEFAULT_READING,
    **options: Options,
) -> None:
    """Analyse the variance of scores over systems and texts (two-way, without replication).

    aune anova coref key.conll a.conll b.conll --measure muc

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file or a folder.
    responses
        The responses (predictions, hypotheses), two or more: files or folders, or name=path to name a system.
    measure
        The measure whose values are analysed: the one that ranks, unless named.
    values
        Which of its values, separated by commas: the main one, or GRACE's p_min,p_mean,p_max where the measure has
        them.
    by
        What a text is: document, or another attribute of the units.
    format
        table or json.
    """
    from aune.contract import registry
    from aune.evaluation.pipeline import evaluate
    from aune.reports.text import align_columns
    from aune.statistics.anova import anova as analysed
    from aune.statistics.anova import incomplete_texts

    result = reading.run(evaluate, task, key, responses, [measure or registry.task(task).ranking], options)
    warn(result.warnings)
    [analysed_measure] = result.measures
    name = analysed_measure.name
    usual = GRACE if {*GRACE} <= {*analysed_measure.values} else (analysed_measure.headline,)
    value_names = values.split(",") if values else usual
    analyses = {value: analysed(result, value, measure=name, by=by) for value in value_names}
    for value in analyses:
        if without := incomplete_texts(result, value, measure=name, by=by):
            warn([f"{value}: {len(without)} of the texts left out, a system has no value there: {without[0]} …"])
    if format == "json":
        data = {
            value: {source: line._asdict() for source, line in analysis._asdict().items()}
            for value, analysis in analyses.items()
        }
        put_json(data, None)
        return
    rows: list[tuple[str, ...]] = [("value", "source", "squares", "freedom", "F", "p")]
    for value, analysis in analyses.items():
        for source, line in analysis._asdict().items():
            numbers = ("" if number is None else f"{number:.4g}" for number in (line.f, line.p))
            rows.append((value, source, f"{line.squares:.6f}", str(line.freedom), *numbers))
            value = ""
    put_text("\n".join(align_columns(rows)) + "\n", None)
