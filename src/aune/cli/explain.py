"""`aune explain`: what a measure is, straight from its own file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aune.cli._output import AsJson

if TYPE_CHECKING:
    from aune.contract.measure import Measure

GROUP = "Understand"
VALUES = ("value", "better", "perfect response")
OPTIONS = ("option", "default", "values", "what it does")


def explain(name: str, /, *, json: AsJson = False) -> None:
    """Explain a measure: definition, formula, source, conventions and a worked example.

    aune explain coref.lea

    Parameters
    ----------
    name
        A measure such as coref.muc, a format such as coref.conll2012, or a task.
    json
        As JSON.
    """
    from aune.cli._output import put_json, put_text, screen

    matches = entries(name)
    if json:
        put_json([entry.record() for entry in matches], None)
        return
    width = screen(None).get("width")
    put_text("\n\n".join("\n".join(entry.lines(width)) for entry in matches) + "\n", None)


class Entry(NamedTuple):
    """What there is to say about one thing."""

    kind: str
    name: str
    text: str
    title: str = ""
    aliases: Sequence[str] = ()
    values: Sequence[tuple[str, ...]] = ()
    options: Sequence[tuple[str, ...]] = ()

    def record(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "name": self.name,
            "text": self.text,
            "aliases": list(self.aliases),
            "values": [dict(zip(VALUES, row, strict=True)) for row in self.values],
            "options": [dict(zip(OPTIONS, row, strict=True)) for row in self.options],
        }

    def lines(self, width: int | None) -> Iterator[str]:
        """Its text, then tables that fit a width."""
        from aune.reports.tabular import Table
        from aune.reports.text import fit_lines

        if self.title:
            yield from (self.title, "=" * len(self.title), "")
        yield self.text
        if self.aliases:
            yield from ("", f"Also called {', '.join(self.aliases)}.")
        for header, rows in ((VALUES, self.values), (OPTIONS, self.options)):
            if rows:
                yield from ("", *fit_lines(Table("", header, [tuple(row) for row in rows]), width))


def entries(name: str) -> list[Entry]:
    """What a name means: a task, a measure, a format, or a measure and a format that are called the same."""
    from aune.contract import registry

    if task := registry.resolve_task_name(name):
        from aune.cli.list import option_rows

        return [Entry("task", task, registry.task(task).documentation, options=[row[1:] for row in option_rows(task)])]
    first, _, short = name.partition(".")
    task = registry.resolve_task_name(first)
    if not task or short not in {form.name for form in registry.formats(task)}:
        return [_measure_entry(_measure(name))]
    full, text = f"{task}.{short}", registry.format(task, short).documentation
    if full not in {measure.name for measure in registry.measures(task)}:
        return [Entry("format", full, text)]
    return [_measure_entry(_measure(name)), Entry("format", full, text, f"{full}, the format")]


def _measure(name: str) -> Measure:
    """The measure of a name: a full name, one that a single task has, or an expression."""
    from aune.contract import registry
    from aune.errors import UsageError, nearest_name

    if "(" in name or ":" in name or registry.resolve_task_name(name.partition(".")[0]):
        return registry.measure(name)
    every = [measure for task in reversed(registry.task_names()) for measure in reversed(registry.measures(task))]
    known = {alias: candidate for candidate in every for alias in candidate.aliases} | {
        candidate.short: candidate for candidate in every
    }
    plain = name.lower().replace("-", "_")
    if plain not in known:
        near = nearest_name(plain, list(known))
        raise UsageError(f"unknown name {name!r}: " + (f"did you mean {near!r}?" if near else "see aune list measures"))
    return known[plain]


def _measure_entry(measure: Measure) -> Entry:
    from aune.contract.options import dashed_name, format_value

    return Entry(
        "measure",
        measure.name,
        measure.documentation,
        measure.name,
        measure.aliases,
        [(value, measure.better_of(value), f"{measure.perfect_of(value):g}") for value in measure.values],
        [(f"--{dashed_name(o.name)}", format_value(o.default), o.domain, o.help) for o in measure.options.values()],
    )
