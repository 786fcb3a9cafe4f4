"""`aune explain`: what a measure is, straight from its own file."""

from __future__ import annotations

from difflib import get_close_matches

GROUP = "Understand"


def explain(name: str, /) -> None:
    """Explain a measure: definition, formula, source, conventions and a worked example.

    Parameters
    ----------
    name
        A measure such as coref.muc, a format such as coref.conll2012, or a task.
    """
    print(explanation(name))


def explanation(name: str) -> str:
    """The documentation of what a name means, with its values and options."""
    from aune.core import registry
    from aune.reports.text import aligned

    if name in registry.task_names():
        one = registry.task(name)
        from aune.cli.list import option_rows

        rows = [row[1:] for row in option_rows(name)]
        return "\n".join([one.documentation, "", *aligned([("option", "default", "values", "what it does"), *rows])])
    task, _, short = name.partition(".")
    form = task in registry.task_names() and short in {one.name for one in registry.formats(task)}
    if not form:
        return _measure(name)
    text = registry.format(task, short).documentation
    if short not in {one.name.partition(".")[2] for one in registry.measures(task)}:
        return text
    title = f"{name}, the format"
    return "\n".join([_measure(name), "", title, "=" * len(title), "", text])


def _measure(name: str) -> str:
    from aune.core import registry
    from aune.core.errors import UsageError
    from aune.core.options import dashed, shown
    from aune.reports.text import aligned

    every = {one.name: one for task in registry.task_names() for one in registry.measures(task)}
    owned = {full.partition(".")[2]: one for full, one in reversed(every.items())}
    plain = "(" not in name and ":" not in name
    if plain and name not in every and name not in owned:
        near = get_close_matches(name, [*owned, *every], 1)
        raise UsageError(
            f"unknown name {name!r}: " + (f"did you mean {near[0]!r}?" if near else "see aune list measures")
        )
    measure = (every.get(name) or owned[name]) if plain else registry.measure(name)
    values = [(value, measure.better_of(value), f"{measure.perfect_of(value):g}") for value in measure.values]
    lines = [measure.name, "=" * len(measure.name), "", measure.documentation, ""]
    lines += aligned([("value", "better", "perfect response"), *values])
    options = [(f"--{dashed(o.name)}", shown(o.default), o.domain, o.help) for o in measure.options.values()]
    if options:
        lines += ["", *aligned([("option", "default", "values", "what it does"), *options])]
    return "\n".join(lines)
