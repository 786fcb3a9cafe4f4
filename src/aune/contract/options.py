"""Options are declared where they are used: as keyword-only arguments of readers, `compare`, `count` and `score`.

This module reads them from a function, checks given values, and selects the values that a function takes.
"""

from __future__ import annotations

import inspect
import math
import re
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, lru_cache, wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from aune.errors import UnknownNameError, UsageError
from aune.files import sha256_hex


class OptionFile(str):
    """The type of an option that names a file: the signature shows a digest of its content."""

    @cached_property
    def digest(self) -> str:
        """The beginning of the SHA-256 of the file's content; empty if there is no file."""
        path = Path(self)
        return sha256_hex(path.read_bytes())[:8] if path.is_file() else ""

    @property
    def by_system(self) -> dict[str, OptionFile]:
        """The file of each system, if systems are named; empty if one file applies to all.

        >>> OptionFile("one=a.tsv,two=b.tsv").by_system, OptionFile("a.tsv").by_system
        ({'one': 'a.tsv', 'two': 'b.tsv'}, {})
        """
        parts = [part.partition("=") for part in self.split(",")]
        if not all(equals for _, equals, _ in parts) or Path(self).is_file():
            return {}
        return {name: OptionFile(path) for name, _, path in parts}


NO_FILE = OptionFile()
MOST_DIGITS = 15  # after the point: a float has no more
MOST_DRAWS = 1_000_000  # random draws: enough for six digits of a p-value
DIGEST_SUFFIX = re.compile(r"@[0-9a-f]{8}$")


class NameList(str):
    """The value of an option that takes built-in names and also paths of files."""

    files: Mapping[str, str] = types.MappingProxyType({})
    """The paths in the value, recognised by their form; a digest may follow them."""


class NamesOrFiles(NamedTuple):
    """In an `Annotated` text: the value is one of these names, several separated by commas, or paths of files."""

    names: tuple[str, ...]

    def __call__(self, text: str) -> NameList:
        value = NameList(text)
        others = [part for part in map(str.strip, text.split(",")) if part not in self.names]
        paths = {text: text} if others and Path(text).is_file() else {part: split_digest(part)[0] for part in others}
        value.files = {part: path for part, path in paths.items() if Path(path).is_file()}
        return value


def split_digest(name: str) -> tuple[str, str]:
    """The path of a file, and the beginning of the digest that it should have, if any (`path@digest`)."""
    path, _, digest = name.rpartition("@")
    return (path, digest) if path and not Path(name).is_file() else (name, "")


Content = TypeVar("Content")


def cache_while_unchanged(read: Callable[[str], Content]) -> Callable[[str], Content]:
    """A reader of files that caches their content and reads a file again after it has changed."""

    @lru_cache(maxsize=8)
    def read_version(path: str, version: tuple[int, int]) -> Content:
        return read(path)

    @wraps(read)
    def read_current(path: str) -> Content:
        return read_version(path, file_version(path))

    return read_current


def file_version(path: str) -> tuple[int, int]:
    """A key for caches that changes with a file; zeros without a file."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


class Range(NamedTuple):
    """The finite numbers of a closed interval: what an option takes, or what a value can be.

    >>> 0.5 in Range(0, 1), math.inf in Range(0), str(Range(0, 1)), str(Range(0)), str(Range())
    (True, False, '0 to 1', '0 or more', '')
    """

    low: float = -math.inf
    high: float = math.inf

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int | float) and math.isfinite(number) and self.low <= number <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low):
            return "" if math.isinf(self.high) else f"{self.high:,.10g} or less"
        return f"{self.low:,.10g} or more" if math.isinf(self.high) else f"{self.low:,.10g} to {self.high:,.10g}"


class HiddenAtDefault:
    """In an `Annotated`: with the default the option has no effect, and signatures leave it out."""


class Option(NamedTuple):
    """A keyword-only argument: its name, default, type and description (the text of its `Annotated`)."""

    name: str
    default: Any
    type: Any
    help: str
    range: Range = Range()
    """The allowed numbers, from the `Annotated` too; never infinite."""
    hidden_at_default: bool = False
    """Whether signatures leave it out if it has its default."""
    names_or_files: NamesOrFiles | None = None
    """The names that a text may be, if other texts are paths."""

    @property
    def choices(self) -> tuple[Any, ...]:
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def domain(self) -> str:
        """The allowed values, as text for users."""
        return " ".join(filter(None, (_describe_type(self.type), str(self.range))))

    def accepts(self, value: Any) -> bool:
        return not self.choices or value in self.choices

    def convert(self, value: Any) -> Any:
        """The value in the option's type; raises a `UsageError` that lists the allowed values.

        `none` is the text for an option that is empty by default.
        """
        try:
            typed = convert_value("" if self.default == "" and value == "none" else value, self.type)
        except (TypeError, ValueError, OverflowError):
            raise self._refusal(value) from None
        if isinstance(typed, int | float) and typed not in self.range:
            raise self._refusal(value)
        return self.names_or_files(typed) if self.names_or_files and isinstance(typed, str) else typed

    def _refusal(self, value: Any) -> UsageError:
        return UsageError(f"--{dashed_name(self.name)} {value}: expected {self.domain}")


def _describe_type(kind: Any) -> str:
    """The values of a type, as text for users.

    >>> _describe_type(Literal["zero", "one"]), _describe_type(float | None), _describe_type(tuple[str, ...])
    ('zero | one', 'number | none', 'text,…')
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(map(str, arguments))
    if origin in (Union, types.UnionType):
        return " | ".join(map(_describe_type, arguments))
    if origin is tuple:
        return f"{_describe_type(arguments[0])},…"
    words = {
        str: "text",
        OptionFile: "file",
        int: "whole number",
        float: "number",
        bool: "yes | no",
        type(None): "none",
    }
    return words.get(kind, str(getattr(kind, "__name__", kind)))


@cache
def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """The options of a function, by name, in order.

    >>> def score(counts, *, beta: Annotated[float, "weight of recall"] = 1.0): ...
    >>> options_of(score)["beta"].help
    'weight of recall'
    """
    options = {}
    parameters = inspect.signature(function).parameters.values()
    hints = getattr(function, "option_types", None) or get_type_hints(function, include_extras=True)
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY:
            hint = hints.get(parameter.name, str)
            kind, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            text = next((extra for extra in extras if isinstance(extra, str)), "")
            limits = next((extra for extra in extras if isinstance(extra, Range)), Range())
            names = next((extra for extra in extras if isinstance(extra, NamesOrFiles)), None)
            options[parameter.name] = Option(
                parameter.name, parameter.default, kind, text, limits, HiddenAtDefault in extras, names
            )
    return options


def select_options(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a function takes, of those given."""
    known = options_of(function)
    return {name: value for name, value in options.items() if name in known}


def signed_options(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a function's options that a signature shows."""
    known = options_of(function)
    return {
        name: value
        for name, value in values.items()
        if not (known[name].hidden_at_default and value == known[name].default)
    }


def signed_defaults(options: Mapping[str, Option], preset: Mapping[str, Any]) -> dict[str, str]:
    """The options that a signature shows, each with its default: that of the convention, if it accepts this."""
    return {
        name: format_value(preset[name] if name in preset and option.accepts(preset[name]) else option.default)
        for name, option in options.items()
        if not option.hidden_at_default
    }


def all_signed_defaults(functions: Iterable[Callable[..., Any]], preset: Mapping[str, Any]) -> list[dict[str, str]]:
    """The same for the options of each of some functions."""
    return [signed_defaults(options_of(function), preset) for function in functions]


def convert_value(value: Any, kind: Any) -> Any:
    """A value, perhaps a string from the command line, in the annotated type; raises ValueError if it does not fit.

    >>> convert_value("0.5", float), convert_value("a,b", tuple[str, ...]), convert_value("yes", bool)
    (0.5, ('a', 'b'), True)
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _match_literal(value, arguments)
    if origin in (Union, types.UnionType):
        return _convert_union(value, arguments)
    if origin is tuple:
        items = ([] if value == "-" else value.split(",")) if isinstance(value, str) else tuple(value)
        return tuple(convert_value(item, arguments[0]) for item in items if item != "")
    if kind is bool:
        return value if isinstance(value, bool) else _parse_bool(value)
    if kind is OptionFile:
        return value if isinstance(value, OptionFile) else OptionFile(DIGEST_SUFFIX.sub("", str(value)))
    if kind in NUMBER_TYPES:
        return kind(_check_kind(value, (str, NUMBER_TYPES[kind])))
    return str(_check_kind(value, (str, Real))) if kind is str else value


NUMBER_TYPES: dict[Any, type] = {int: Integral, float: Real}


def _check_kind(value: Any, kinds: tuple[type, ...]) -> Any:
    """A value of one of the types, without the conversions of Python from bool to number and from anything to str."""
    if isinstance(value, kinds) and not isinstance(value, bool):
        return value
    raise ValueError(value)


def _parse_bool(value: Any) -> bool:
    words = _check_kind(value, (str,)).lower()
    return _match_literal(words, ("true", "yes", "1", "false", "no", "0")) in ("true", "yes", "1")


def _match_literal(value: Any, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if value == choice or str(value) == str(choice):
            return choice
    raise ValueError(value)


def _convert_union(value: Any, kinds: tuple[Any, ...]) -> Any:
    if (value is None or value in ("", "none")) and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is not type(None):
            try:
                return convert_value(value, kind)
            except (TypeError, ValueError):
                continue
    raise ValueError(value)


def format_value(value: Any) -> str:
    """An option's value as the signature prints it; `Option.convert` reads it back.

    >>> format_value(True), format_value(0.5), format_value(("a", "b")), format_value(None), format_value("")
    ('yes', '0.5', 'a,b', 'none', 'none')
    """
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ",".join(map(format_value, value)) or "-"
    if isinstance(value, OptionFile) and (digest := value.digest):
        return f"{value}@{digest}"
    return repr(value) if isinstance(value, float) else str(value)


def dashed_name(name: str) -> str:
    return name.replace("_", "-")


def parse_named_numbers(text: str) -> list[tuple[str, float]]:
    """Names with numbers, in their order; raises `ValueError` for anything else.

    >>> parse_named_numbers("name=3, noun=0.5")
    [('name', 3.0), ('noun', 0.5)]
    """
    pairs = [item.partition("=") for item in text.replace(";", ",").split(",") if item.strip()]
    return [(name.strip(), float(number)) for name, _, number in pairs]


def check_known(requested: Iterable[str], known: Mapping[str, Any] | Iterable[str], what: str = "option") -> None:
    """Refuse unknown names, and show the most similar known one."""
    names = list(known)
    for name in requested:
        if name not in names:
            raise UnknownNameError(what, name, names)
