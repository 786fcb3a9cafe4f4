"""The front door: what people give to the public functions is what their annotations say, or is refused in plain words.

Functions inside the house trust each other. Those that `aune` itself offers are called with whatever somebody has at
hand, and would otherwise fail somewhere deep inside, or not at all: a string is a list of its characters, True is 1.
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
from typing import IO, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from aune.core.errors import UnknownNameError, UsageError
from aune.core.shapes import can_be_a_path, described

Function = TypeVar("Function", bound=Callable[..., Any])
PLAIN = str | float | bool | Path | None | Sequence[str | float | bool | Path]
"""What the value of any option can be; which one it takes, it says itself."""
EXPECTED = {
    "systems": "a dict such as {'A': response} or a list of paths; aune.score(task, key, response) scores one response",
}
"""What some arguments are expected to be, where the annotation says less."""
LOOKED_UP = ("task",)  # whoever looks for a task knows best what else this may be
INSIDE = ("keep", "told")  # what only the house itself asks for
_ONWARD: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Where the options go that a public function only hands on."""


def hands_on_to(other: Callable[..., Any]) -> Callable[[Function], Function]:
    """Mark a public function whose other options go to another one, which says what they are."""

    def marked(function: Function) -> Function:
        _ONWARD[function] = other
        return function

    return marked


def guarded(function: Function, name: str = "") -> Function:
    """A public function or method that looks at its arguments before it begins; `name` is that of a function."""

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        arguments, options = _python(arguments, options)
        check(function, arguments, options)
        return function(*arguments, **options)

    if name:
        checked.__module__, checked.__qualname__ = "aune", name  # where it can be found again, by pickle among others
    return checked  # type: ignore[return-value]


def _python(arguments: Sequence[Any], options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with Python's own strings and numbers in the place of numpy's."""
    items = tuple(_item(value) for value in arguments)
    return items, {name: _item(value) for name, value in options.items()}


def _item(value: Any) -> Any:
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", None) == 0 else value


def check(function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Refuse arguments that a function does not take, or that are not what its annotations say."""
    name = function.__name__
    parameters, hints, takes_more = _taken(function)
    places = [one for one in parameters.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(arguments) > len(places) and not any(one.kind is one.VAR_POSITIONAL for one in parameters.values()):
        words = ", ".join(one.name for one in places)
        raise UsageError(f"aune.{name}: found {len(arguments)} arguments, expected {words}: give the others by name")
    given = dict(zip((one.name for one in places), arguments, strict=False))
    for option in options:
        if option in given:
            raise UsageError(
                f"aune.{name}: found {option} twice, expected it once: give it by its place or by its name"
            )
        if option in INSIDE or (option not in parameters and not takes_more):
            raise UnknownNameError(f"option of aune.{name}", option, [one for one in parameters if one not in INSIDE])
    for one in places:
        if one.default is one.empty and one.name not in given and one.name not in options:
            words = ", ".join(place.name for place in places if place.default is place.empty)
            raise UsageError(f"aune.{name}: found no {one.name}, expected {words}: give all of them")
    others = dict.fromkeys(set(options) - set(hints), PLAIN)  # options of tasks, measures and readers
    hints = {**hints, **others}
    for argument, value in {**given, **options}.items():
        if (
            Path in get_args(hints.get(argument))
            and isinstance(value, str | PathLike)
            and not can_be_a_path(str(value))
        ):
            raise UsageError(f"{argument}: found {described(str(value))}, expected a path: no file can be called so")
        if argument in hints and argument not in LOOKED_UP and not fits(value, hints[argument]):
            expected = EXPECTED.get(argument) or worded(hints[argument])
            raise UsageError(f"{argument}: found {described(value)}, expected {expected}")


@cache
def _taken(function: Callable[..., Any]) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any], bool]:
    """What a function takes, itself or through whom it hands options on to; and whether others take more."""
    own = dict(inspect.signature(function).parameters)
    last = next((one.name for one in own.values() if one.kind is one.VAR_KEYWORD), None)
    parameters = {name: one for name, one in own.items() if name != last}
    hints = {name: hint for name, hint in _hints(function).items() if name not in (last, "return")}
    other = _ONWARD.get(function)
    if last is None or other is None:
        return parameters, hints, last is not None
    onward = inspect.signature(other).parameters.values()
    more = {one.name: one for one in onward if one.kind is one.KEYWORD_ONLY}
    others = _hints(other)
    takes_more = any(one.kind is one.VAR_KEYWORD for one in onward)
    return {**more, **parameters}, {**{name: others[name] for name in more}, **hints}, takes_more


def _hints(thing: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(thing, localns=_Unloaded(vars(sys.modules[thing.__module__])))


class _Unloaded(dict[str, Any]):
    """Stand-ins for the types that a module names without importing them."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        super().__init__()
        self.known = known

    def __missing__(self, name: str) -> type:
        if name in self.known or hasattr(builtins, name):
            raise KeyError(name)
        return _StandIn(name, (), {})


class _StandIn(type):
    """A type that is not loaded: whatever has a class of that name is of it."""

    def __instancecheck__(cls, value: object) -> bool:
        return any(kind.__name__ == cls.__name__ for kind in type(value).__mro__)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says; a truth value is no number, and a string no list.

    >>> fits(True, int), fits("ab", Sequence[str]), fits(["a", "b"], Sequence[str]), fits(3, float)
    (False, False, True, True)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str)  # which of them it is, and which were possible, is said where it is known
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
            fits(key, inner[0]) and fits(held, inner[1]) for key, held in value.items()
        )
    if origin is tuple and Ellipsis not in inner:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if origin in (Sequence, Collection, Iterable, list, tuple):
        several = isinstance(value, origin if origin in (list, tuple) else Sequence | Set) and not isinstance(
            value, str | bytes | bytearray
        )
        return several and all(fits(item, inner[0]) for item in value)
    return isinstance(value, origin or hint)


WORDS: dict[Any, tuple[str, str]] = {
    str: ("a string", "strings"), int: ("a whole number", "whole numbers"), float: ("a number", "numbers"),
    bool: ("True or False", "truth values"), Path: ("a path", "paths"), type(None): ("None", "None"),
    Any: ("anything", "anything"),
}  # fmt: skip


def worded(hint: Any, several: bool = False) -> str:
    """An annotation in words.

    >>> worded(str | None), worded(Sequence[str | Path]), worded(Mapping[str, float])
    ('a string or None', 'a list of strings or paths', 'a dict from strings to numbers')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(worded(one, several) for one in inner))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is tuple and Ellipsis not in inner:
        return f"({', '.join(worded(one) for one in inner)})"
    if origin is Mapping:
        return f"{'dicts' if several else 'a dict'} from {worded(inner[0], True)} to {worded(inner[1], True)}"
    if origin in (Sequence, Collection, Iterable, list, tuple):
        return f"{'lists' if several else 'a list'} of {worded(inner[0], True)}"
    if origin is IO:
        return "open files" if several else "an open file"
    if origin is Callable or hint is Callable:
        return "functions" if several else "a function"
    kind = origin or hint
    known = WORDS.get(kind)
    if known:
        return known[several]
    return f"aune.{kind.__name__}s" if several else f"an aune.{kind.__name__}"
