"""`aune explain`: what a measure is, straight from its own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aune.core.measure import Measure

GROUP = "Understand"
OPTIONS = ("option", "default", "values", "what it does")


def explain(name: str, /) -> None:
    """Explain a measure: definition, formula, source, conventions and a worked example.

    aune explain coref.lea

    Parameters
    ----------
    name
        A measure such as coref.muc, a format such as coref.conll2012, or a task.
    """
    from aune.cli._output import put_text, screen

    put_text(explanation(name, screen(None).get("width")) + "\n", None)


def explanation(name: str, width: int | None = None) -> str:
    """The documentation of what a name means, with its values and options in tables that fit a width."""
    from aune.core import registry
    from aune.reports.tabular import Table
    from aune.reports.text import fitted

    if named := registry.named_task(name):
        one = registry.task(named)
        from aune.cli.list import option_rows

        rows = [row[1:] for row in option_rows(named)]
        return "\n".join([one.documentation, "", *fitted(Table("", OPTIONS, rows), width)])
    task, _, short = name.partition(".")
    form = task in registry.task_names() and short in {one.name for one in registry.formats(task)}
    if not form:
        return _measure(name, width)
    text = registry.format(task, short).documentation
    if short not in {one.name.partition(".")[2] for one in registry.measures(task)}:
        return text
    title = f"{name}, the format"
    return "\n".join([_measure(name, width), "", title, "=" * len(title), "", text])


def _measure(name: str, width: int | None) -> str:
    """What the measure of a name is: a full name, one that a single task has, or an expression."""
    from aune.core import registry
    from aune.core.errors import UsageError, nearest

    if "(" in name or ":" in name or registry.named_task(name.partition(".")[0]):
        return _told(registry.measure(name), width)
    every = [one for task in reversed(registry.task_names()) for one in reversed(registry.measures(task))]
    known = {alias: one for one in every for alias in one.aliases} | {one.short: one for one in every}
    plain = name.lower().replace("-", "_")
    if plain not in known:
        near = nearest(plain, list(known))
        raise UsageError(f"unknown name {name!r}: " + (f"did you mean {near!r}?" if near else "see aune list measures"))
    return _told(known[plain], width)


def _told(measure: Measure, width: int | None) -> str:
    from aune.core.options import dashed, shown
    from aune.reports.tabular import Table
    from aune.reports.text import fitted

    values = [(value, measure.better_of(value), f"{measure.perfect_of(value):g}") for value in measure.values]
    lines = [measure.name, "=" * len(measure.name), "", measure.documentation, ""]
    if measure.aliases:
        lines += [f"Also called {', '.join(measure.aliases)}.", ""]
    lines += fitted(Table("", ("value", "better", "perfect response"), values), width)
    options = [(f"--{dashed(o.name)}", shown(o.default), o.domain, o.help) for o in measure.options.values()]
    if options:
        lines += ["", *fitted(Table("", OPTIONS, options), width)]
    return "\n".join(lines)
