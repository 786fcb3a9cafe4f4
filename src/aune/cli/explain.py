"""`aune explain`: what a measure is, straight from its own file."""

from __future__ import annotations


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
    from aune import registry
    from aune.reports.text import aligned

    if name in registry.task_names():
        one = registry.task(name)
        from aune.cli.list import option_rows

        rows = [row[1:] for row in option_rows(name)]
        return "\n".join([one.documentation, "", *aligned([("option", "default", "values", "what it does"), *rows])])
    task, _, short = name.partition(".")
    if task in registry.task_names() and short in {one.name for one in registry.formats(task)}:
        return registry.format(task, short).documentation
    return _measure(name)


def _measure(name: str) -> str:
    from aune import registry
    from aune.errors import UsageError
    from aune.options import dashed, shown
    from aune.reports.text import aligned

    try:
        measure = registry.measure(name)
    except UsageError:
        owners = [
            task for task in registry.task_names() for one in registry.measures(task) if one.name == f"{task}.{name}"
        ]
        if not owners:
            raise
        measure = registry.measure(f"{owners[0]}.{name}")
    values = [(value, measure.better_of(value), f"{measure.perfect_of(value):g}") for value in measure.values]
    lines = [measure.name, "=" * len(measure.name), "", measure.documentation, ""]
    lines += aligned([("value", "better", "perfect response"), *values])
    options = [(f"--{dashed(o.name)}", shown(o.default), o.domain, o.help) for o in measure.options.values()]
    if options:
        lines += ["", *aligned([("option", "default", "values", "what it does"), *options])]
    return "\n".join(lines)
