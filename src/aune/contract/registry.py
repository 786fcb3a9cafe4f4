"""Finds every task, format and measure by its path. There is no list to edit: a file in the right folder is enough."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from aune.contract import expressions
from aune.contract.format import Format
from aune.contract.measure import Measure
from aune.contract.options import check_known, format_value
from aune.contract.task import Task
from aune.errors import UnknownNameError, UsageError

PACKAGE = "aune.tasks"


@cache
def _module_names(package: str) -> tuple[str, ...]:
    try:
        paths = importlib.import_module(package).__path__
    except ModuleNotFoundError:
        return ()
    return tuple(sorted(module.name for module in pkgutil.iter_modules(paths) if not module.name.startswith("_")))


def task_names() -> tuple[str, ...]:
    return _module_names(PACKAGE)


def task(name: str) -> Task:
    """The task in `aune/tasks/NAME`, or the one with this alias."""
    if not isinstance(name, str):  # in Python, a caller may confuse the order of arguments
        raise UsageError(
            f"found a {type(name).__name__}, expected the name of a task first: one of {', '.join(task_names())}"
        )
    if not (resolved := resolve_task_name(name)):
        if owners := [task_name for task_name in task_names() if _match_name(name.lower(), measures(task_name))]:
            raise UsageError(f"{name} is a measure of {' and '.join(owners)}: write {owners[0]} here, and -m {name}")
        raise UnknownNameError("task", name, [*task_names(), *task_aliases()])
    return _import_task(resolved)


@cache
def resolve_task_name(name: str) -> str:
    """The name of the task that a word means; empty if it means none.

    >>> resolve_task_name("ner"), resolve_task_name("entities"), resolve_task_name("key.conll")
    ('entities', 'entities', '')
    """
    return name if name in task_names() else task_aliases().get(name.lower(), "")


def task_aliases() -> dict[str, str]:
    """The task that each of the other names of tasks means."""
    aliases: Mapping[str, Sequence[str]] = importlib.import_module(PACKAGE).ALIASES
    return {alias: name for name, others in aliases.items() for alias in others}


def _import_task(folder: str) -> Task:
    definition: Task = importlib.import_module(f"{PACKAGE}.{folder}").TASK
    return definition


@cache
def measures(task_name: str) -> tuple[Measure, ...]:
    """Every measure of a task, by name."""
    owner = task(task_name).name
    return tuple(_import_measure_file(owner, name) for name in _measure_files(owner))


def _measure_files(task_name: str) -> tuple[str, ...]:
    return _module_names(f"{PACKAGE}.{task_name}.measures")


def _import_measure_file(task_name: str, name: str) -> Measure:
    definition: Measure = importlib.import_module(f"{PACKAGE}.{task_name}.measures.{name}").MEASURE
    return definition


@cache
def formats(task_name: str) -> tuple[Format, ...]:
    """Every format of a task, by name."""
    package = f"{PACKAGE}.{task(task_name).name}.formats"
    return tuple(importlib.import_module(f"{package}.{name}").FORMAT for name in _module_names(package))


def format(task_name: str, name: str) -> Format:
    """The format in `aune/tasks/TASK/formats/NAME.py`."""
    known = {form.name: form for form in formats(task_name)}
    check_known([name], known, f"{task_name} format")
    return known[name]


def required_modules(task_name: str, measures: Iterable[Measure]) -> tuple[str, ...]:
    """The modules that a process imports before it counts these measures: a task, its formats, and the measures."""
    home = f"{PACKAGE}.{task_name}"
    formats = (f"{home}.formats.{name}" for name in _module_names(f"{home}.formats"))
    return (
        home,
        *formats,
        *{measure.count.__module__: 0 for measure in measures},
        *task(task_name).comparing.libraries,
    )


def import_modules(names: Iterable[str]) -> None:
    """Import modules, for a process that will need them; a missing one is only reported when it is needed."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)


def engine(name: str) -> Any:
    """The function that opens an engine of `aune/evaluation/engines`, in which chunks are counted."""
    check_known([name], _module_names("aune.evaluation.engines"), "engine")
    return importlib.import_module(f"aune.evaluation.engines.{name}").open_engine


def measure(expression: str, task_name: str = "") -> Measure:
    """The measure that a name or an expression means.

    `muc` and `coref.muc` are the same in the coref task. Options can be fixed in parentheses, `macro` averages a
    measure over the groups of an attribute, `mean` averages values of several measures, and `error` is 1 minus each
    value.

    >>> measure("coref.muc").name, measure("B3", "coref").name
    ('coref.muc', 'coref.b_cubed')
    >>> measure("macro(muc, by=document)", "coref").name
    'macro(coref.muc,by=document)'
    >>> measure("mean(muc.f1, b_cubed.f1)", "coref").name
    'mean(coref.muc.f1,coref.b_cubed.f1)'
    >>> measure("error(muc)", "coref").values
    ('recall_error', 'precision_error', 'f1_error')
    """
    return _import_expression(expression, task_name) if ":" in expression else _known_measure(expression, task_name)


def _import_expression(expression: str, task_name: str) -> Measure:
    """The measure of an expression that names modules of users, which may change."""
    return _build_measure(parse_expression(expression), task_name)


_known_measure = lru_cache(maxsize=256)(_import_expression)


class Expression(NamedTuple):
    """A parsed expression: `name(argument, …, option=value, …).value`."""

    name: str
    arguments: tuple[Expression, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    value: str = ""
    """The name after the parentheses and a point, as in `f_measure(beta=2).recall`."""


def parse_expression(expression: str) -> Expression:
    """`name(argument, …, option=value, …)`, nested."""
    name, parenthesis, rest = expression.strip().partition("(")
    if not parenthesis:
        if ")" in name:
            raise UsageError(f"measure {expression.strip()!r}: found ')' without '('")
        return Expression(name.strip())
    inside, _, after = rest.rpartition(")")
    if not _is_balanced(f"({rest}") or not (after.strip() == "" or after.strip().startswith(".")):
        raise UsageError(f"measure {expression.strip()!r}: expected a closing parenthesis at the end")
    arguments, options = [], []
    for part in split_names(inside):
        option, equals, value = part.partition("=")
        if equals and "(" not in option:
            options.append((option.strip(), value.strip()))
        else:
            arguments.append(parse_expression(part))
    return Expression(name.strip(), tuple(arguments), tuple(options), after.strip().removeprefix("."))


def user_modules(expression: str) -> set[str]:
    """The user's modules that an expression names; `measure` imports them.

    >>> user_modules("mean(muc.f1, mine.measures:LINKS.f1)")
    {'mine.measures'}
    """
    return _named_modules(parse_expression(expression))


def _named_modules(call: Expression) -> set[str]:
    module, colon, _ = call.name.partition(":")
    return ({module} if colon else set()).union(*map(_named_modules, call.arguments))


def _is_balanced(text: str) -> bool:
    """Whether the parentheses are balanced."""
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


def _build_measure(call: Expression, task_name: str) -> Measure:
    if call.value:
        raise UsageError(f"measure {call.name}(…).{call.value}: a value can be named inside mean(…) only")
    if call.name == "macro":
        return _build_macro(call, task_name)
    if call.name == "mean":
        return expressions.mean([_measure_and_value(argument, task_name) for argument in call.arguments])
    if call.name == "error":
        if len(call.arguments) != 1 or call.options:
            raise UsageError("expected error(MEASURE), such as error(muc)")
        return expressions.error(_build_measure(call.arguments[0], task_name))
    if call.arguments:
        raise UsageError(f"measure {call.name!r}: expected option=value inside the parentheses")
    base = _find_measure(call.name, task_name)
    check_known([name for name, _ in call.options], base.options, f"option of {base.name}")
    fixed = {name: base.options[name].convert(value) for name, value in call.options}
    if not fixed:
        return base
    arguments = ",".join(f"{name}={format_value(value)}" for name, value in sorted(fixed.items()))
    return replace(
        base,
        fixed_options={**base.fixed_options, **fixed},
        aliases=(),
        value_names=base.rename_values(fixed),
        label=base.label and f"{base.label}({arguments})",
    )


def _build_macro(call: Expression, task_name: str) -> Measure:
    by = dict(call.options).get("by", "")
    if len(call.arguments) != 1 or not by or len(call.options) > 1:
        raise UsageError("expected macro(MEASURE, by=ATTRIBUTE), such as macro(muc, by=document)")
    averaged = _build_measure(call.arguments[0], task_name)
    if averaged.by:
        raise UsageError(f"{averaged.name} is an average over {averaged.by} already: it has no average over {by}")
    return expressions.macro(averaged, by)


def _measure_and_value(call: Expression, task_name: str) -> tuple[Measure, str]:
    """The measure and the value that `muc.f1`, `f_measure(beta=2).recall` or `muc` means inside `mean`."""
    if call.value:
        base = _build_measure(call._replace(value=""), task_name)
        check_known([call.value], base.values, f"value of {base.name}")
        return base, call.value
    try:
        base = _build_measure(call, task_name)
    except UsageError:
        name, dot, value = call.name.rpartition(".")
        if not dot:
            raise
        base = _build_measure(call._replace(name=name), task_name)
        check_known([value], base.values, f"value of {base.name}")
        return base, value
    return base, base.headline


def chosen_values(task_name: str, names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The measures to score, and the values to show of measures of which only some values were named.

    >>> chosen_values("coref", ["muc.f1", "lea", "muc.recall"])
    (['muc', 'lea'], {'coref.muc': ['f1', 'recall']})
    """
    chosen: dict[str, None] = {}
    values: dict[str, list[str]] = {}
    complete = set()
    for name in names:
        base, _, value = name.rpartition(".")
        try:
            owner = measure(base, task_name) if base else None
        except UsageError:
            owner = None
        if owner and value in owner.values:
            chosen[base] = None
            values.setdefault(owner.name, []).append(value)
        else:
            chosen[name] = None
            complete.add(name)
    full = {measure(name, task_name).name for name in complete} if values else set()
    return list(chosen), {name: value_names for name, value_names in values.items() if name not in full}


@cache
def _by_short_name(task_name: str) -> Mapping[str, Measure]:
    return {entry.name.partition(".")[2]: entry for entry in measures(task_name)}


@cache
def _by_alias(task_name: str) -> Mapping[str, Measure]:
    return {alias: entry for entry in measures(task_name) for alias in entry.aliases}


def _find_measure(name: str, task_name: str) -> Measure:
    """A measure by its name; `module:ATTRIBUTE` is a user-defined measure."""
    if ":" in name:
        return _import_measure(name)
    first, dot, rest = name.partition(".")
    prefix_task = resolve_task_name(first) if dot else ""
    owner, short = (prefix_task, rest) if prefix_task else (task_name, name)
    if not owner:
        raise UsageError(f"measure {name!r}: expected a task in front, such as coref.{name}")
    plain = short.lower().replace("-", "_")
    if plain in _measure_files(owner):  # the others are not even imported
        return _import_measure_file(owner, plain)
    by_name, aliases = _by_short_name(owner), _by_alias(owner)
    if plain not in by_name and plain in aliases:
        return aliases[plain]
    base, _, value = plain.rpartition(".")
    if (value_owner := by_name.get(base) or aliases.get(base)) and value in value_owner.values:
        raise UsageError(f"{name} is a value of the measure {value_owner.short}: here a measure is expected")
    if plain not in by_name and (suggestion := _suggestion(name, plain, owner, by_name)):
        raise UsageError(suggestion)
    check_known([plain if plain in by_name else short], by_name, f"{owner} measure")
    return by_name[plain]


def _suggestion(name: str, plain: str, owner: str, known: Mapping[str, Measure]) -> str:
    """What to write instead of a known name that is no measure of this task; empty if there is nothing."""
    if owning_tasks := [task for task in task_names() if plain in {measure.short for measure in measures(task)}]:
        return f"{name} is a measure of {', '.join(owning_tasks)}: {owner} has {', '.join(known)}"
    if holders := [entry.short for entry in known.values() if plain in entry.values]:
        ranking = task(owner).ranking
        first = ranking if ranking in holders else holders[0]
        return f"{name} is a value of {', '.join(holders)}: write {first}.{plain}"
    average, _, averaged = plain.partition("_")
    if average in ("macro", "micro") and (entry := _match_name(averaged, known.values())):
        advice = f"macro({entry}, by=ATTRIBUTE), such as label" if average == "macro" else f"{entry}, it is that"
        return f"unknown {owner} measure {name!r}: write {advice}"
    weighted = [short for short, entry in known.items() if "beta" in entry.options]
    if weighted and (beta := re.fullmatch(r"f_?(\d+(?:\.\d+)?)", plain)):
        return f"unknown {owner} measure {name!r}: write {weighted[0]}(beta={beta[1]})"
    return ""


def _match_name(plain: str, known: Iterable[Measure]) -> str:
    """The measure that a name or an alias means; empty if it means none."""
    return next((candidate.short for candidate in known if plain == candidate.short or plain in candidate.aliases), "")


@contextmanager
def _working_folder_on_path() -> Iterator[None]:
    """Import from the current folder too, where a user-defined measure may be; nothing else is imported from there."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _import_measure(name: str) -> Measure:
    module, _, attribute = name.partition(":")
    try:
        with _working_folder_on_path():
            value: Any = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the module is user code, so anything can happen in it
        raise UsageError(f"measure {name!r}: {error}") from error
    if not isinstance(value, Measure):
        raise UsageError(f"measure {name!r}: expected an aune Measure, found {type(value).__name__}")
    if not hasattr(get_type_hints(value.score).get("return"), "_fields"):
        raise UsageError(f"measure {name!r}: expected `score` to be annotated with the NamedTuple of values it returns")
    return replace(value, label=value.label or name)
