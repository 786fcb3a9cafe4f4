"""`aune list`: the tasks, measures, formats, options, baselines and figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from aune.cli._inputs import TaskName
from aune.cli._output import OutputFormat, put_json, put_tables

if TYPE_CHECKING:
    from aune.contract.measure import Measure

GROUP = "Understand"
Row: TypeAlias = tuple[str, ...]


def list_(
    what: Literal["tasks", "measures", "formats", "options", "baselines", "figures"] = "tasks",
    task: TaskName | None = None,
    /,
    *,
    format: OutputFormat = None,
) -> None:
    """List the tasks, measures, formats, options, baselines or figures, one line each.

    aune list measures coref

    Parameters
    ----------
    what
        tasks, measures, formats, options, baselines or figures.
    task
        Only those of this task.
    format
        table, json, csv, tsv, markdown, latex or html.
    """
    from aune.contract import registry
    from aune.reports.tabular import Table

    names = [task] if task else registry.task_names()
    header, rows_of = LISTS[what]
    rows = [row for name in (names[:1] if what == "figures" else names) for row in rows_of(name)]
    if format == "json":
        put_json([dict(zip(header, row, strict=True)) for row in rows], None)
    else:
        put_tables(Table("", header, rows), format, None)


def task_rows(task: str) -> list[Row]:
    from aune.contract import registry

    return [(task, first_line(registry.task(task).documentation))]


def measure_rows(task: str) -> list[Row]:
    from aune.contract import registry

    measures = registry.measures(task)
    return [
        (measure.name, ", ".join(measure.values), first_line(measure.documentation), source(measure))
        for measure in measures
    ]


def format_rows(task: str) -> list[Row]:
    from aune.contract import registry

    return [
        (f"{task}.{form.name}", "yes", "yes" if form.write else "no", first_line(form.documentation))
        for form in registry.formats(task)
    ]


def figure_rows(task: str) -> list[Row]:
    """The figures, which are of no one task."""
    from aune.reports.figures import caption, names

    return [(name.replace("_", "-"), caption(name)) for name in names()]


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def source(measure: Measure) -> str:
    """Where a measure comes from, up to the first year named."""
    from aune.contract.bibliography import source_text

    text = source_text(measure)
    named = re.match(r".*?\b\d{4}\b", text)
    return named[0] if named else text.partition(". ")[0].rstrip(".")


def baseline_rows(task: str) -> list[Row]:
    """The simple systems of a task."""
    from aune import baselines
    from aune.contract.options import dashed_name

    systems = [baselines.baseline(task, name) for name in baselines.names(task)]
    options = [", ".join(f"--{dashed_name(option)}" for option in system.options) for system in systems]
    return [
        (f"{task}.{system.name}", flags, first_line(system.documentation))
        for system, flags in zip(systems, options, strict=True)
    ]


def option_rows(name: str) -> list[Row]:
    """The options of a task: of its comparison, its measures and its formats."""
    from aune.contract import registry
    from aune.contract.options import dashed_name, format_value, options_of

    rows: dict[str, tuple[str, ...]] = {}
    named = registry.task(name).comparing.conventions
    if named:
        summary = "; ".join(
            f"{entry}: " + ", ".join(f"{k} {format_value(v)}" for k, v in settings.items())
            for entry, settings in named.items()
        )
        rows["convention"] = (
            name,
            "--convention",
            next(iter(named)),
            " | ".join(named),
            f"sets options at once ({summary})",
        )
    functions = [registry.task(name).comparing.compare]
    functions += [part for measure in registry.measures(name) for part in (measure.count, measure.score)]
    functions += [entry.read for entry in registry.formats(name)]
    for function in functions:
        for option in options_of(function).values():
            row = (name, f"--{dashed_name(option.name)}", format_value(option.default), option.domain, option.help)
            if option.name not in rows or len(option.domain) > len(rows[option.name][3]):
                rows[option.name] = row
    return [*rows.values()]


LISTS: Mapping[str, tuple[Row, Callable[[str], list[Row]]]] = {
    "tasks": (("task", "what it is"), task_rows),
    "measures": (("measure", "values", "what it measures", "source"), measure_rows),
    "formats": (("format", "read", "written", "what it is"), format_rows),
    "options": (("task", "option", "default", "values", "what it does"), option_rows),
    "baselines": (("baseline", "options", "what it is"), baseline_rows),
    "figures": (("figure", "what it shows"), figure_rows),
}
