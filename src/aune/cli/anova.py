"""`aune anova`: whether systems differ more than texts do."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import AS_USUAL, File, Options, Reading, TaskName
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
    reading: Reading = AS_USUAL,
    **options: Options,
) -> None:
    """Analyse the variance of scores over systems and texts (two-way, without replication).

    aune anova coref key.conll a.conll b.conll --measure muc

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        What is expected: a file or a folder.
    responses
        What the systems gave, two at least: files or folders, or name=path to name a system.
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
    from aune.core import registry
    from aune.core.evaluation import evaluate
    from aune.reports.text import aligned
    from aune.statistics.anova import anova as analysed
    from aune.statistics.anova import left_out

    result = reading.run(evaluate, task, key, responses, [measure or registry.task(task).ranking], options)
    warn(result.warnings)
    [analysed_measure] = result.measures
    name = analysed_measure.name
    usual = GRACE if {*GRACE} <= {*analysed_measure.values} else (analysed_measure.headline,)
    wanted = values.split(",") if values else usual
    found = {value: analysed(result, value, measure=name, by=by) for value in wanted}
    for value in found:
        if without := left_out(result, value, measure=name, by=by):
            warn([f"{value}: {len(without)} of the texts left out, a system has no value there: {without[0]} …"])
    if format == "json":
        data = {
            value: {source: line._asdict() for source, line in one._asdict().items()} for value, one in found.items()
        }
        put_json(data, None)
        return
    rows: list[tuple[str, ...]] = [("value", "source", "squares", "freedom", "F", "p")]
    for value, one in found.items():
        for source, line in one._asdict().items():
            numbers = ("" if number is None else f"{number:.4g}" for number in (line.f, line.p))
            rows.append((value, source, f"{line.squares:.6f}", str(line.freedom), *numbers))
            value = ""
    put_text("\n".join(aligned(rows)) + "\n", None)
