"""Check the arguments of public functions against their annotations, and refuse wrong ones with a clear message.

Internal functions rely on their callers. The functions of `aune` itself are called with any value that a user has at
hand. Wrong values would fail later, or not at all: a string is a list of its characters, and True is 1.
"""

from __future__ import annotations

import builtins
import inspect
import io
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache, wraps
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from aune.errors import AuneError, InputError, UnknownNameError, UsageError
from aune.files import is_possible_path
from aune.reading.python_inputs import describe_value

Function = TypeVar("Function", bound=Callable[..., Any])
OPTION_VALUE = str | float | bool | Path | None | Sequence[str | float | bool | Path]
"""The possible types of an option's value; the option itself checks which one it takes."""
EXPECTED_WORDS = {
    "systems": "a dict such as {'A': response} or a list of paths; aune.score(task, key, response) scores one response",
}
"""The expected types of some arguments, where the annotation is less specific."""
PLAIN_TYPES: frozenset[type] = frozenset({str, int, float, bool, type(None), list, dict, tuple, set, frozenset})
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
UNCHECKED = ("task",)  # the registry checks it, and knows best what else it may be
INTERNAL_OPTIONS = ("keep", "task_p_values", "claims")  # passed by aune itself only
_OPTION_TARGETS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""The function to which a public function passes its other options."""


def forwards_options_to(target: Callable[..., Any]) -> Callable[[Function], Function]:
    """Mark a public function that passes its other options to another function, which defines them."""

    def mark(function: Function) -> Function:
        _OPTION_TARGETS[function] = target
        return function

    return mark


def validate_call(function: Function, name: str = "") -> Function:
    """A public function or method that checks its arguments first; `name` is the name of a function.

    The errors of a function, and the problems of inputs that a method raises, name the arguments of Python.
    """

    @wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        if not _are_plainly_valid(function, arguments, options):
            arguments, options = _to_python(arguments, options)
            validate_arguments(function, arguments, options)
        try:
            return function(*arguments, **options)
        except AuneError as error:
            error.is_for_python = error.is_for_python or bool(name) or isinstance(error, InputError)
            raise

    if name:
        wrapper.__module__, wrapper.__qualname__ = "aune", name  # where pickle, among others, finds it
    return wrapper  # type: ignore[return-value]


def _are_plainly_valid(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Whether arguments of exactly the annotated types are given, as in nearly all calls; False leaves it open."""
    names, required, tests = _plain_tests(function)
    values = {**dict(zip(names, arguments, strict=False)), **options}
    return (
        len(values) == len(arguments) + len(options)
        and required <= values.keys()
        and all(name in tests and tests[name](value) for name, value in values.items())
    )


@cache
def _plain_tests(
    function: Callable[..., Any],
) -> tuple[list[str], frozenset[str], dict[str, _PlainTest]]:
    """The places of a function's arguments, those that it needs, and a test for each argument; see `_PlainTest`."""
    parameters, hints, _ = _accepted_parameters(function)
    places = [entry for entry in parameters.values() if entry.kind in POSITIONAL]
    required = frozenset(entry.name for entry in places if entry.default is entry.empty)
    named = [name for name in parameters if name not in INTERNAL_OPTIONS and name in hints]
    tests = {name: _PlainTest.of(hints[name], is_checked=name not in UNCHECKED) for name in named}
    return [entry.name for entry in places], required, tests


class _PlainTest(NamedTuple):
    """The exact types of values, and of items of lists, that an annotation allows beyond doubt."""

    types: frozenset[type]
    items: frozenset[type] = frozenset()

    @classmethod
    def of(cls, hint: Any, is_checked: bool = True) -> _PlainTest:
        if hint is Any or not is_checked:
            return cls(PLAIN_TYPES)
        choices = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
        simple = {choice for choice in choices if choice in PLAIN_TYPES}
        if Path in choices:  # a string may be an impossible path
            simple -= {str}
        if float in simple:
            simple |= {int}
        lists = [get_args(choice)[0] for choice in choices if get_origin(choice) in (Sequence, list)]
        return cls(frozenset(simple), cls.of(lists[0]).types if len(lists) == 1 else frozenset())

    def __call__(self, value: Any) -> bool:
        return type(value) in self.types or (type(value) is list and self.items.issuperset(map(type, value)))


def _to_python(arguments: Sequence[Any], options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the strings and numbers of numpy replaced by those of Python."""
    items = tuple(_python_scalar(value) for value in arguments)
    return items, {name: _python_scalar(value) for name, value in options.items()}


def _python_scalar(value: Any) -> Any:
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", None) == 0 else value


def validate_arguments(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Refuse arguments that a function does not take, and arguments of a wrong type."""
    name = function.__name__
    parameters, hints, takes_more = _accepted_parameters(function)
    positional_parameters = [parameter for parameter in parameters.values() if parameter.kind in POSITIONAL]
    if len(arguments) > len(positional_parameters) and not any(
        parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values()
    ):
        words = ", ".join(parameter.name for parameter in positional_parameters)
        raise UsageError(f"aune.{name}: found {len(arguments)} arguments, expected {words}: give the others by name")
    positional = dict(zip((parameter.name for parameter in positional_parameters), arguments, strict=False))
    for option in options:
        if option in positional:
            raise UsageError(
                f"aune.{name}: found {option} twice, expected it once: give it by its place or by its name"
            )
        if option in INTERNAL_OPTIONS or (option not in parameters and not takes_more):
            raise UnknownNameError(
                f"option of aune.{name}",
                option,
                [parameter for parameter in parameters if parameter not in INTERNAL_OPTIONS],
            )
    for parameter in positional_parameters:
        if parameter.default is parameter.empty and parameter.name not in positional and parameter.name not in options:
            words = ", ".join(required.name for required in positional_parameters if required.default is required.empty)
            raise UsageError(f"aune.{name}: found no {parameter.name}, expected {words}: give all of them")
    other_hints = dict.fromkeys(set(options) - set(hints), OPTION_VALUE)  # options of tasks, measures and readers
    hints = {**hints, **other_hints}
    for argument, value in {**positional, **options}.items():
        if (
            Path in get_args(hints.get(argument))
            and isinstance(value, str | PathLike)
            and not is_possible_path(str(value))
        ):
            raise UsageError(
                f"{argument}: found {describe_value(str(value))}, expected a path: no file can be called so"
            )
        if argument in hints and argument not in UNCHECKED and not fits(value, hints[argument]):
            expected = EXPECTED_WORDS.get(argument) or describe_hint(hints[argument])
            raise UsageError(f"{argument}: found {describe_value(value)}, expected {expected}")


@cache
def _accepted_parameters(
    function: Callable[..., Any],
) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any], bool]:
    """The arguments of a function and of the functions to which it passes options; and whether others take more."""
    declared = dict(inspect.signature(function).parameters)
    catch_all = next(
        (parameter.name for parameter in declared.values() if parameter.kind is parameter.VAR_KEYWORD), None
    )
    parameters = {name: parameter for name, parameter in declared.items() if name != catch_all}
    hints = {name: hint for name, hint in _type_hints(function).items() if name not in (catch_all, "return")}
    target = _OPTION_TARGETS.get(function)
    if catch_all is None or target is None:
        return parameters, hints, catch_all is not None
    target_parameters = inspect.signature(target).parameters.values()
    forwarded = {
        parameter.name: parameter for parameter in target_parameters if parameter.kind is parameter.KEYWORD_ONLY
    }
    target_hints = _type_hints(target)
    takes_more = any(parameter.kind is parameter.VAR_KEYWORD for parameter in target_parameters)
    return {**forwarded, **parameters}, {**{name: target_hints[name] for name in forwarded}, **hints}, takes_more


def _type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function, localns=_UnloadedTypes(vars(sys.modules[function.__module__])))


class _UnloadedTypes(dict[str, Any]):
    """Placeholders for the types that a module names without importing them."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        super().__init__()
        self.known = known

    def __missing__(self, name: str) -> type:
        if name in self.known or hasattr(builtins, name):
            raise KeyError(name)
        return _StandIn(name, (), {})


class _StandIn(type):
    """A type that is not loaded; a value belongs to it if its class has that name."""

    def __instancecheck__(cls, value: object) -> bool:
        return any(kind.__name__ == cls.__name__ for kind in type(value).__mro__)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the annotated type; a bool is not a number here, and a string is not a list.

    >>> fits(True, int), fits("ab", Sequence[str]), fits(["a", "b"], Sequence[str]), fits(3, float)
    (False, False, True, True)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, choice) for choice in inner)
    if origin is Literal:
        return isinstance(value, str)  # the caller knows which values are possible, and reports the wrong one
    if hint is None or hint is type(None):
        return value is None
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool)
    if hint is Path:
        return isinstance(value, PathLike)
    if origin is IO or hint is IO:
        return isinstance(value, io.IOBase) or hasattr(value, "read")
    if origin is Callable or hint is Callable:
        return callable(value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            fits(key, inner[0]) and fits(entry, inner[1]) for key, entry in value.items()
        )
    if origin is tuple and Ellipsis not in inner:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if origin in (Sequence, Collection, Iterable, list, tuple):
        is_collection = isinstance(value, origin if origin in (list, tuple) else Sequence | Set) and not isinstance(
            value, str | bytes | bytearray
        )
        return is_collection and all(fits(item, inner[0]) for item in value)
    return isinstance(value, origin or hint)


TYPE_WORDS: dict[Any, tuple[str, str]] = {
    str: ("a string", "strings"), int: ("a whole number", "whole numbers"), float: ("a number", "numbers"),
    bool: ("True or False", "truth values"), Path: ("a path", "paths"), type(None): ("None", "None"),
    Any: ("anything", "anything"),
}  # fmt: skip


def describe_hint(hint: Any, several: bool = False) -> str:
    """An annotation in words, for messages.

    >>> describe_hint(str | None), describe_hint(Sequence[str | Path]), describe_hint(Mapping[str, float])
    ('a string or None', 'a list of strings or paths', 'a dict from strings to numbers')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(describe_hint(part, several) for part in inner))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is tuple and Ellipsis not in inner:
        return f"({', '.join(describe_hint(part) for part in inner)})"
    if origin is Mapping:
        return (
            f"{'dicts' if several else 'a dict'} from {describe_hint(inner[0], True)} to "
            f"{describe_hint(inner[1], True)}"
        )
    if origin in (Sequence, Collection, Iterable, list, tuple):
        return f"{'lists' if several else 'a list'} of {describe_hint(inner[0], True)}"
    if origin is IO:
        return "open files" if several else "an open file"
    if origin is Callable or hint is Callable:
        return "functions" if several else "a function"
    kind = origin or hint
    words = TYPE_WORDS.get(kind)
    if words:
        return words[several]
    return f"aune.{kind.__name__}s" if several else f"an aune.{kind.__name__}"
