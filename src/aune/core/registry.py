"""Finds every task, format and measure by its path. There is no list to edit: a file in the right folder is enough."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from aune.core.errors import UnknownNameError, UsageError
from aune.core.expressions import error, macro, mean
from aune.core.measure import Measure
from aune.core.options import check_known, shown
from aune.core.task import Format, Task

PACKAGE = "aune.tasks"


@cache
def _names(package: str) -> tuple[str, ...]:
    try:
        paths = importlib.import_module(package).__path__
    except ModuleNotFoundError:
        return ()
    return tuple(sorted(module.name for module in pkgutil.iter_modules(paths) if not module.name.startswith("_")))


def task_names() -> tuple[str, ...]:
    return _names(PACKAGE)


def task(name: str) -> Task:
    """The task in `aune/tasks/NAME`, or the one that people also call so."""
    if not isinstance(name, str):  # whoever calls from Python may have another order in mind
        raise UsageError(
            f"found a {type(name).__name__}, expected the name of a task first: one of {', '.join(task_names())}"
        )
    if not (found := named_task(name)):
        if homes := [one for one in task_names() if _by_any_name(name.lower(), measures(one))]:
            raise UsageError(f"{name} is a measure of {' and '.join(homes)}: write {homes[0]} here, and -m {name}")
        others = [also for one in task_names() for also in _task_in(one).aliases]
        raise UnknownNameError("task", name, [*task_names(), *others])
    return _task_in(found)


@cache
def named_task(name: str) -> str:
    """The name of the task that a word means; empty where it means none.

    >>> named_task("ner"), named_task("entities"), named_task("key.conll")
    ('entities', 'entities', '')
    """
    if name in task_names():
        return name
    return next((one for one in task_names() if name.lower() in _task_in(one).aliases), "")


def _task_in(folder: str) -> Task:
    found: Task = importlib.import_module(f"{PACKAGE}.{folder}").TASK
    return found


@cache
def measures(task_name: str) -> tuple[Measure, ...]:
    """Every measure of a task, by name."""
    package = f"{PACKAGE}.{task(task_name).name}.measures"
    return tuple(importlib.import_module(f"{package}.{name}").MEASURE for name in _names(package))


@cache
def formats(task_name: str) -> tuple[Format, ...]:
    """Every format of a task, by name."""
    package = f"{PACKAGE}.{task(task_name).name}.formats"
    return tuple(importlib.import_module(f"{package}.{name}").FORMAT for name in _names(package))


def format(task_name: str, name: str) -> Format:
    """The format in `aune/tasks/TASK/formats/NAME.py`."""
    known = {form.name: form for form in formats(task_name)}
    check_known([name], known, f"{task_name} format")
    return known[name]


def modules(task_name: str, measures: Iterable[Measure]) -> tuple[str, ...]:
    """What a process that counts these measures imports: a task, its formats, and where the measures are."""
    home = f"{PACKAGE}.{task_name}"
    formats = (f"{home}.formats.{name}" for name in _names(f"{home}.formats"))
    return (home, *formats, *{measure.count.__module__: 0 for measure in measures}, *task(task_name).libraries)


def load(names: Iterable[str]) -> None:
    """Import modules, for a process that will need them; one that is lacking is told when it is needed."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)


def engine(name: str) -> Any:
    """What `aune/engines/NAME.py` opens: `opened(workers, address, modules)`, in which chunks are counted."""
    check_known([name], _names("aune.engines"), "engine")
    return importlib.import_module(f"aune.engines.{name}").opened


def measure(expression: str, task_name: str = "") -> Measure:
    """The measure that a name or an expression means.

    `muc` and `coref.muc` are the same in the coref task. Options can be fixed in parentheses, `macro` averages a
    measure over the groups of an attribute, `mean` averages values of several measures, and `error` is what each value
    lacks to 1.

    >>> measure("coref.muc").name, measure("B3", "coref").name
    ('coref.muc', 'coref.b_cubed')
    >>> measure("macro(muc, by=document)", "coref").name
    'macro(coref.muc,by=document)'
    >>> measure("mean(muc.f1, b_cubed.f1)", "coref").name
    'mean(coref.muc.f1,coref.b_cubed.f1)'
    >>> measure("error(muc)", "coref").values
    ('recall_error', 'precision_error', 'f1_error')
    """
    return _made(parsed(expression), task_name)


class Call(NamedTuple):
    """An expression, taken apart: `name(argument, …, option=value, …).value`."""

    name: str
    arguments: tuple[Call, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    value: str = ""
    """What follows the parentheses after a point, as in `f_measure(beta=2).recall`."""


def parsed(expression: str) -> Call:
    """`name(argument, …, option=value, …)`, nested."""
    name, opened, rest = expression.strip().partition("(")
    if not opened:
        if ")" in name:
            raise UsageError(f"measure {expression.strip()!r}: found ')' without '('")
        return Call(name.strip())
    inside, _, after = rest.rpartition(")")
    if not _is_balanced(f"({rest}") or not (after.strip() == "" or after.strip().startswith(".")):
        raise UsageError(f"measure {expression.strip()!r}: expected a closing parenthesis at the end")
    arguments, options = [], []
    for part in split_names(inside):
        option, equals, value = part.partition("=")
        if equals and "(" not in option:
            options.append((option.strip(), value.strip()))
        else:
            arguments.append(parsed(part))
    return Call(name.strip(), tuple(arguments), tuple(options), after.strip().removeprefix("."))


def own_modules(expression: str) -> set[str]:
    """The user's modules that an expression names; `measure` imports them.

    >>> own_modules("mean(muc.f1, mine.measures:LINKS.f1)")
    {'mine.measures'}
    """
    return _modules(parsed(expression))


def _modules(call: Call) -> set[str]:
    module, colon, _ = call.name.partition(":")
    return ({module} if colon else set()).union(*map(_modules, call.arguments))


def _is_balanced(text: str) -> bool:
    """Whether every parenthesis closes one that is open."""
    depths = list(accumulate((character == "(") - (character == ")") for character in text))
    return min(depths) >= 0 and depths[-1] == 0


def split_names(text: str) -> list[str]:
    """The parts between commas outside parentheses."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in (*parts, current) if part.strip()]


def _made(call: Call, task_name: str) -> Measure:
    if call.value:
        raise UsageError(f"measure {call.name}(…).{call.value}: a value can be named inside mean(…) only")
    if call.name == "macro":
        return _macro(call, task_name)
    if call.name == "mean":
        return mean([_with_value(argument, task_name) for argument in call.arguments])
    if call.name == "error":
        if len(call.arguments) != 1 or call.options:
            raise UsageError("expected error(MEASURE), such as error(muc)")
        return error(_made(call.arguments[0], task_name))
    if call.arguments:
        raise UsageError(f"measure {call.name!r}: expected option=value inside the parentheses")
    found = _named(call.name, task_name)
    check_known([name for name, _ in call.options], found.options, f"option of {found.name}")
    given = {name: found.options[name].checked(value) for name, value in call.options}
    if not given:
        return found
    chosen = ",".join(f"{name}={shown(value)}" for name, value in sorted(given.items()))
    return replace(
        found,
        given={**found.given, **given},
        aliases=(),
        called=found.renamed(given),
        label=found.label and f"{found.label}({chosen})",
    )


def _macro(call: Call, task_name: str) -> Measure:
    by = dict(call.options).get("by", "")
    if len(call.arguments) != 1 or not by or len(call.options) > 1:
        raise UsageError("expected macro(MEASURE, by=ATTRIBUTE), such as macro(muc, by=document)")
    averaged = _made(call.arguments[0], task_name)
    if averaged.by:
        raise UsageError(f"{averaged.name} is an average over {averaged.by} already: it has no average over {by}")
    return macro(averaged, by)


def _with_value(call: Call, task_name: str) -> tuple[Measure, str]:
    """The measure and the value that `muc.f1` or `f_measure(beta=2).recall` or `muc` means inside `mean`."""
    if call.value:
        found = _made(call._replace(value=""), task_name)
        check_known([call.value], found.values, f"value of {found.name}")
        return found, call.value
    try:
        found = _made(call, task_name)
    except UsageError:
        name, dot, value = call.name.rpartition(".")
        if not dot:
            raise
        found = _made(call._replace(name=name), task_name)
        check_known([value], found.values, f"value of {found.name}")
        return found, value
    return found, found.headline


@cache
def _by_short_name(task_name: str) -> Mapping[str, Measure]:
    return {one.name.partition(".")[2]: one for one in measures(task_name)}


@cache
def _by_alias(task_name: str) -> Mapping[str, Measure]:
    return {alias: one for one in measures(task_name) for alias in one.aliases}


def _named(name: str, task_name: str) -> Measure:
    """A measure by its name; `module:ATTRIBUTE` is a measure of the user's own."""
    if ":" in name:
        return _imported(name)
    first, dot, rest = name.partition(".")
    home = named_task(first) if dot else ""
    owner, short = (home, rest) if home else (task_name, name)
    if not owner:
        raise UsageError(f"measure {name!r}: expected a task in front, such as coref.{name}")
    known, also = _by_short_name(owner), _by_alias(owner)
    plain = short.lower().replace("-", "_")
    if plain not in known and plain in also:
        return also[plain]
    base, _, value = plain.rpartition(".")
    if (one := known.get(base) or also.get(base)) and value in one.values:
        raise UsageError(f"{name} is a value of the measure {one.short}: here a measure is expected")
    if plain not in known and (meant := _meant(name, plain, owner, known)):
        raise UsageError(meant)
    check_known([plain if plain in known else short], known, f"{owner} measure")
    return known[plain]


def _meant(name: str, plain: str, owner: str, known: Mapping[str, Measure]) -> str:
    """What to write instead of a name that means something, but no measure of this task; else nothing."""
    if homes := [task for task in task_names() if plain in {measure.short for measure in measures(task)}]:
        return f"{name} is a measure of {', '.join(homes)}: {owner} has {', '.join(known)}"
    if holders := [one.short for one in known.values() if plain in one.values]:
        ranking = task(owner).ranking
        first = ranking if ranking in holders else holders[0]
        return f"{name} is a value of {', '.join(holders)}: write {first}.{plain}"
    average, _, averaged = plain.partition("_")
    if average in ("macro", "micro") and (one := _by_any_name(averaged, known.values())):
        meant = f"macro({one}, by=ATTRIBUTE), such as label" if average == "macro" else f"{one}, it is that"
        return f"unknown {owner} measure {name!r}: write {meant}"
    weighted = [short for short, one in known.items() if "beta" in one.options]
    if weighted and (beta := re.fullmatch(r"f_?(\d+(?:\.\d+)?)", plain)):
        return f"unknown {owner} measure {name!r}: write {weighted[0]}(beta={beta[1]})"
    return ""


def _by_any_name(plain: str, known: Iterable[Measure]) -> str:
    """The measure that a name, or a name that people give it, means; empty where it means none."""
    return next((one.short for one in known if plain == one.short or plain in one.aliases), "")


@contextmanager
def _working_folder_searched() -> Iterator[None]:
    """A measure of one's own may lie in the folder where one works; nothing else is ever taken from there."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _imported(name: str) -> Measure:
    module, _, attribute = name.partition(":")
    try:
        with _working_folder_searched():
            found: Any = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the module is the user's: anything can happen in it
        raise UsageError(f"measure {name!r}: {error}") from error
    if not isinstance(found, Measure):
        raise UsageError(f"measure {name!r}: expected an aune Measure, found {type(found).__name__}")
    if not hasattr(get_type_hints(found.score).get("return"), "_fields"):
        raise UsageError(f"measure {name!r}: expected `score` to be annotated with the NamedTuple of values it returns")
    return replace(found, label=found.label or name)
