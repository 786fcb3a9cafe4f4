"""`aune list`: what there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from aune.cli._inputs import TaskName
from aune.cli._output import OutputFormat, put_json, put_tables

if TYPE_CHECKING:
    from aune.core.measure import Measure

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
    from aune.core import registry
    from aune.reports.tabular import Table

    names = [task] if task else registry.task_names()
    header, rows_of = LISTS[what]
    rows = [row for name in (names[:1] if what == "figures" else names) for row in rows_of(name)]
    if format == "json":
        put_json([dict(zip(header, row, strict=True)) for row in rows], None)
    else:
        put_tables(Table("", header, rows), format, None)


def task_rows(task: str) -> list[Row]:
    from aune.core import registry

    return [(task, first_line(registry.task(task).documentation))]


def measure_rows(task: str) -> list[Row]:
    from aune.core import registry

    measures = registry.measures(task)
    return [(one.name, ", ".join(one.values), first_line(one.documentation), source(one)) for one in measures]


def format_rows(task: str) -> list[Row]:
    from aune.core import registry

    return [
        (f"{task}.{one.name}", "yes", "yes" if one.write else "no", first_line(one.documentation))
        for one in registry.formats(task)
    ]


def figure_rows(task: str) -> list[Row]:
    """The figures, which are of no one task."""
    from aune.reports.figures import caption, names

    return [(one.replace("_", "-"), caption(one)) for one in names()]


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def source(measure: Measure) -> str:
    """Where a measure comes from, up to the first year named."""
    from aune.core.sources import told_source

    told = told_source(measure)
    named = re.match(r".*?\b\d{4}\b", told)
    return named[0] if named else told.partition(". ")[0].rstrip(".")


def baseline_rows(task: str) -> list[Row]:
    """The simple systems of a task."""
    from aune import baselines
    from aune.core.options import dashed

    found = [baselines.baseline(task, name) for name in baselines.names(task)]
    options = [", ".join(f"--{dashed(option)}" for option in one.options) for one in found]
    return [
        (f"{task}.{one.name}", given, first_line(one.documentation)) for one, given in zip(found, options, strict=True)
    ]


def option_rows(name: str) -> list[Row]:
    """The options of a task: of its comparison, its measures and its formats."""
    from aune.core import registry
    from aune.core.options import dashed, options_of, shown

    found: dict[str, tuple[str, ...]] = {}
    named = registry.task(name).conventions
    if named:
        told = "; ".join(
            f"{one}: " + ", ".join(f"{k} {shown(v)}" for k, v in given.items()) for one, given in named.items()
        )
        found["convention"] = (
            name,
            "--convention",
            next(iter(named)),
            " | ".join(named),
            f"sets options at once ({told})",
        )
    functions = [registry.task(name).compare]
    functions += [part for measure in registry.measures(name) for part in (measure.count, measure.score)]
    functions += [one.read for one in registry.formats(name)]
    for function in functions:
        for option in options_of(function).values():
            row = (name, f"--{dashed(option.name)}", shown(option.default), option.domain, option.help)
            if option.name not in found or len(option.domain) > len(found[option.name][3]):
                found[option.name] = row
    return [*found.values()]


LISTS: Mapping[str, tuple[Row, Callable[[str], list[Row]]]] = {
    "tasks": (("task", "what it is"), task_rows),
    "measures": (("measure", "values", "what it measures", "source"), measure_rows),
    "formats": (("format", "read", "written", "what it is"), format_rows),
    "options": (("task", "option", "default", "values", "what it does"), option_rows),
    "baselines": (("baseline", "options", "what it is"), baseline_rows),
    "figures": (("figure", "what it shows"), figure_rows),
}
