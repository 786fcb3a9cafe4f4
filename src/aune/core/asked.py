"""The one check of the options a user gave: each is known to somebody, and has a value that somebody accepts.

Every command and every function that takes options by name comes here first, before anything is read. A command that
scores asks `asked_options`, one that only reads asks `reader_options`; once the files are read, `check_read` refuses
what only other formats would have understood.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from aune.core import registry
from aune.core.errors import UnknownNameError, UsageError
from aune.core.groups import grouped
from aune.core.measure import Measure
from aune.core.options import Option, check_known, options_of
from aune.core.task import Task

RESPONSE = "response_"  # before the name of a reader's option: for the responses alone

Takers = dict[str, list[Option]]
"""By the name of an option, those who take it: namesakes may accept different values."""


OTHERS = ("measures", "convention", "key_format", "response_format", "missing", "extra", "workers", "engine")
"""What else an evaluation is given by name."""


def chosen_measures(task: Task, names: str | Sequence[str | Measure] | None) -> list[Measure]:
    """The measures that names and expressions mean: the task's usual ones for none, every one for `all`."""
    given = registry.split_names(names) if isinstance(names, str) else names
    wanted: list[str | Measure] = list(given) if given else list(task.measures)
    found: dict[str, Measure] = {}
    for name in wanted:
        if name == "all":
            found |= {measure.name: measure for measure in registry.measures(task.name)}
        else:
            one = registry.measure(name, task.name) if isinstance(name, str) else name
            if one.task != task.name and one.task in registry.task_names():
                raise UsageError(f"{one.name} is a measure of {one.task}, not of {task.name}")
            found[one.name] = one
    return list(found.values())


class Asked:
    """The options a user gave, and the convention that fills in for those not given."""

    def __init__(self, given: Mapping[str, Any], preset: Mapping[str, Any]) -> None:
        self.given = given
        self.preset = preset

    def of(self, known: Mapping[str, Option]) -> dict[str, Any]:
        """A value for each of these options: the one given, else the convention's, else the default.

        An option with fewer choices than its namesakes (a measure that always completes the mention sets, say) keeps
        its own default when the value given is not among them.
        """
        values = {}
        for name, option in known.items():
            value = self.given.get(name, self.preset.get(name, option.default))
            values[name] = option.checked(value) if option.accepts(value) or not option.choices else option.default
        return values


def asked_options(task: Task, measures: Sequence[Measure], convention: str | None, given: Mapping[str, Any]) -> Asked:
    """The options of a call that scores: those of the task, its readers and these measures, and a convention."""
    if convention is not None:
        check_known([convention], task.conventions, f"convention of {task.name}")
    named = convention or next(iter(task.conventions), None)
    takers = takers_of([*readers(task), *scorers(task, measures)])
    for form in registry.formats(task.name):
        for name, option in options_of(form.read).items():
            takers.setdefault(RESPONSE + name, []).append(option)
    for name in given:
        owners = [measure.name for measure in registry.measures(task.name) if name in measure.options]
        if name not in takers and owners:
            raise UsageError(f"option {name!r} is one of {', '.join(owners)}, not of the measures scored")
        if name not in takers:
            raise UnknownNameError(f"option of {task.name}", name, [*takers, *OTHERS])
    return Asked(accepted(given, takers, f"option of {task.name}"), task.conventions[named] if named else {})


def reader_options(task: Task, given: Mapping[str, Any], what: str = "option") -> dict[str, Any]:
    """The options of a call that reads and does not score."""
    return accepted(given, takers_of(readers(task)), what)


def accepted(given: Mapping[str, Any], takers: Mapping[str, Sequence[Option]], what: str) -> dict[str, Any]:
    """The values in the types of those who take them, or a `UsageError`."""
    check_known(given, takers, what)
    return {name: _accepted(takers[name], value) for name, value in given.items()}


def takers_of(functions: Iterable[Callable[..., Any]]) -> Takers:
    """Who takes each option of some functions."""
    return grouped(named for function in functions for named in options_of(function).items())


def check_read(
    task: Task,
    given: Mapping[str, Any],
    used: Collection[str],
    formats: Collection[str],
    others: Iterable[Callable[..., Any]] = (),
) -> None:
    """Refuse an option that only formats which were not read would understand.

    `used` are the options of the readers that were at work, `formats` what they read; `others` may take options too.
    """
    taken = {*used, *takers_of(others)}
    for name in given:
        own = name.removeprefix(RESPONSE)
        if own not in taken:
            owners = [form.name for form in registry.formats(task.name) if own in options_of(form.read)]
            whose = f"one of the formats {', '.join(owners)}" if owners else "for plain Python"
            raise UsageError(f"option {name!r} is {whose}, not of {', '.join(sorted(formats))}, which was read")


def scorers(task: Task, measures: Sequence[Measure]) -> list[Callable[..., Any]]:
    """What takes options apart from readers."""
    listing = [task.errors] if task.errors else []
    return [task.compare, *listing, *(part for measure in measures for part in (measure.count, measure.score))]


def readers(task: Task) -> list[Callable[..., Any]]:
    return [task.documents, *(form.read for form in registry.formats(task.name))]


def _accepted(takers: Sequence[Option], value: Any) -> Any:
    for option in takers:
        try:
            return option.checked(value)
        except UsageError as error:
            refusal = error
    raise refusal


def for_responses(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the responses' readers see them.

    >>> for_responses({"text_field": "text", "response_text_field": "pred_text"})["text_field"]
    'pred_text'
    """
    own = {name.removeprefix(RESPONSE): value for name, value in given.items() if name.startswith(RESPONSE)}
    return {**given, **own}
