"""The commands: found by the walk over this folder, put into groups, and what is said to those who type another one.

A file is a command, a folder named for a task holds the commands of that task alone. `GROUP` in a file says under which
heading of the help its command stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from inspect import cleandoc
from itertools import takewhile
from pkgutil import iter_modules
from types import FunctionType
from typing import Any, get_type_hints

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.exceptions import MissingArgumentError, UnknownOptionError

from aune import __version__
from aune.cli._inputs import EntityOptions, FormatOptions, is_text

HOME = "aune.cli"
HEADINGS = ("Score", "Understand", "Files", "Research", "One task", "Together", "This tool")
"""The groups of commands, in the order of the help."""
GROUPS = {name: Group(name, sort_key=place) for place, name in enumerate(HEADINGS)}
BEGUN_WITH = ("score", "compare", "report", "errors", "explain", "validate", "convert")
"""The commands that stand first under their headings."""
USUAL = "Together"
EVERYWHERE = "Every command takes --quiet or -q (no warnings, no progress), and those that print results --json."


@cache
def application() -> App:
    """The cyclopts application with every command of this package."""
    app = App(
        name="aune",
        version=f"aune {__version__}",
        help="By the yardstick of: how good a system is, how sure that is, and why.",
        help_epilogue=EVERYWHERE,
        help_format="plaintext",
        version_flags=["--version"],
        suppress_keyboard_interrupt=False,
        group_commands=GROUPS["This tool"],
        default_parameter=Parameter(show_default=_worth_telling, validator=is_text),
    )
    for name, module in _modules(HOME):
        of_task = hasattr(module, "__path__")
        command = _of_task(name, module) if of_task else _command(name, module)
        group = GROUPS["One task" if of_task else getattr(module, "GROUP", USUAL)]
        if isinstance(command, App):
            command.group = group
            command.group_commands = f"Commands of {name}"
            app.command(command)
        else:
            place = BEGUN_WITH.index(name) if name in BEGUN_WITH else len(BEGUN_WITH)
            app.command(command, name=_typed(name), group=group, sort_key=place)
    _unwrap(app)
    return app


def commands(app: App | None = None, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """Every command there is: the words that name it, and its application."""
    app = app or application()
    for name in [name for name in app if not name.startswith("-")]:
        inner = app[name]
        if inner.default_command is None:
            yield from commands(inner, (*before, name))
        else:
            yield (*before, name), inner


def heading(command: str) -> str:
    """The heading of the help under which a command stands, by the first of its words."""
    found = application()[command].group
    groups = found if isinstance(found, tuple) else (found,)
    return next(name for name, one in GROUPS.items() if one in groups)


def _of_task(task: str, package: Any) -> App:
    """The commands that are about one task alone."""
    app = App(name=task, help=package.__doc__, help_format="plaintext", group_commands=f"Commands of {task}")
    for name, module in _modules(package.__name__):
        command = _command(name, module)
        app.command(command, name=None if isinstance(command, App) else _typed(name))
    return app


def _modules(package: str) -> Iterator[tuple[str, Any]]:
    """The modules of a package by name, those apart whose name says that they are no commands."""
    for found in sorted(iter_modules(import_module(package).__path__), key=lambda one: one.name):
        if not found.name.startswith("_"):
            yield found.name, import_module(f"{package}.{found.name}")


def _command(name: str, module: Any) -> Any:
    """What a module offers: an application of several commands, or a function of its own name."""
    return getattr(module, "app", None) or getattr(module, name, None) or getattr(module, f"{name}_")


def _typed(name: str) -> str:
    return name.replace("_", "-")


def typed(option: str) -> str:
    """An option as it is typed.

    >>> typed("text_field")
    '--text-field'
    """
    return f"--{_typed(option)}"


# Help


def _worth_telling(default: Any) -> str | None:
    """What an option is when it is not given; nothing is told where it is off, or nothing."""
    return str(default) if default or (default == 0 and default is not False) else None


def _unwrap(app: App) -> None:
    """Let the terminal break the lines of every docstring, and not us."""
    for inner in app.subapps:
        _unwrap(inner)
    command = app.default_command
    if isinstance(command, FunctionType) and command.__doc__:
        command.__doc__ = unwrapped(command.__doc__)


def unwrapped(docstring: str) -> str:
    r"""A docstring with its paragraphs on one line each.

    >>> unwrapped("One\ntwo.\n\nThree.")
    'One two.\n\nThree.'
    """
    head, heading, parameters = cleandoc(docstring).partition("Parameters\n----------\n")
    prose = "\n\n".join(" ".join(block.split("\n")) for block in head.strip().split("\n\n"))
    told = re.sub(r"(?m)(?:^ {4}\S.*\n?)+", lambda lines: f"    {' '.join(lines[0].split())}\n", parameters)
    return f"{prose}\n\n{heading}{told}".rstrip() if heading else prose


# What is said to those who type something else


def refusal(error: CycloptsError, words: Sequence[str]) -> str:
    """Why words are no command of ours, and what to type instead."""
    if isinstance(error, UnknownOptionError):
        return unknown_option((error.token.keyword or error.token.value).partition("=")[0], words)
    if isinstance(error, MissingArgumentError) and (lacking := error.argument):
        command = " ".join(["aune", *command_words(words)])
        name = lacking.names[0] if lacking.index is None else lacking.field_info.name.upper()
        return f"expected {name}: {command} {'--help tells more' if lacking.index is None else _places(words)}"
    error.verbose = False
    message = str(error).strip()
    return message[:1].lower() + message[1:]


OPTION = re.compile(r"--|-[A-Za-z]$")


def unknown_among(words: Sequence[str]) -> str:
    """That a command, or one of the options typed, is known to nobody; nothing where all are known to somebody."""
    _, apps, rest = application().parse_commands(list(words))
    if rest and not rest[0].startswith("-") and apps[-1].default_command is None:
        return command_meant(words) or _unknown_command(words)
    typed_options = [word for word in takewhile(lambda word: word != "--", rest) if OPTION.match(word)]
    given = [word.partition("=")[0] for word in typed_options]
    spelt = {name for names in argument_names(words).values() for name in names}
    own = {*spelt, *apps[-1].help_flags, *apps[-1].version_flags}
    foreign = [name for name in given if name not in own]
    others = options_of_task(words) if foreign and _hint(words) else []
    return next((unknown_option(name, words, others) for name in foreign if name not in others), "")


def _hint(words: Sequence[str]) -> Any:
    """The type of the options that a command takes beside its own; None where it takes none."""
    function = application().parse_commands(list(words))[1][-1].default_command
    return get_type_hints(function, include_extras=True).get("options") if isinstance(function, FunctionType) else None


def command_meant(words: Sequence[str]) -> str:
    """What to type instead of a command that moved, or of a task where a command should be; nothing for other words."""
    first, *rest = words
    tasks = {name: module for name, module in _modules(HOME) if hasattr(module, "__path__")}
    if first in tasks and rest and any(_holds(module, rest[0]) for module in tasks.values()):
        first, *rest = rest  # of another task
    homes = [name for name, module in tasks.items() if _holds(module, first)]
    if homes and list(words[:2]) != [homes[0], first]:
        task, given = homes[0], [word for word in rest[:1] if word != homes[0]] + list(rest[1:])
        return f"{first} is a command of {task}: type aune {' '.join([task, first, *given])}"
    from aune.core import registry

    task = registry.named_task(first)
    if task:
        files = " ".join(rest) or "KEY RESPONSE"
        return f"{first} is a task and no command: to score, type aune score {task} {files}"
    return ""


def _unknown_command(words: Sequence[str]) -> str:
    from aune.core.errors import nearest

    known, apps, rest = application().parse_commands(list(words))
    typed = " ".join(["aune", *known])
    if rest[0] == "version":
        return f"unknown command version: type {typed} --version"
    near = nearest(rest[0], [name for name in apps[-1] if not name.startswith("-")])
    return f"unknown command {rest[0]}: {f'did you mean {typed} {near}?' if near else f'see {typed} --help'}"


def _holds(package: Any, name: str) -> bool:
    return any(_typed(found.name) == name for found in iter_modules(package.__path__))


def unknown_option(name: str, words: Sequence[str], others: Iterable[str] = ()) -> str:
    """That an option is unknown, and the nearest one there is: of the command, or of `others`."""
    from aune.core.errors import nearest
    from aune.reports import FORMATS

    own = flags(words)
    known = [one.lstrip("-") for one in (*own, *others)]
    bare = name.lstrip("-")
    if bare == "json":
        return f"unknown option {name}: here nothing is printed that could be JSON; aune score --json prints the scores"
    command = " ".join(["aune", *command_words(words)])
    if bare in FILE_OPTIONS and (places := _places(words)):
        return f"unknown option {name}: files stand in their places: {command} {places}"
    if "--format" in own and bare in FORMATS:
        return f"unknown option {name}: did you mean --format {bare}?"
    near = nearest(bare, known)
    return f"unknown option {name}: {f'did you mean --{near}?' if near else f'see {command} --help'}"


FILE_OPTIONS = {"key", "gold", "reference", "ref", "references", "truth", "response", "responses", "system", "hyp",
                "hypothesis", "pred", "predictions", "prediction", "input", "file"}  # fmt: skip
"""What other tools call the files of ours."""


def _places(words: Sequence[str]) -> str:
    """What a command takes without an option, in order.

    >>> _places(["errors"]), _places(["score"])
    ('TASK KEY RESPONSE', 'TASK KEY RESPONSES…')
    """
    command = application().parse_commands(list(words))[1][-1]
    if command.default_command is None:
        return ""
    taken = [one.field_info for one in command.assemble_argument_collection() if one.index is not None]
    return " ".join(one.name.upper() + ("…" if one.kind is one.VAR_POSITIONAL else "") for one in taken)


def command_words(words: Sequence[str]) -> list[str]:
    """Those of the words that name the command.

    >>> command_words(["coref", "correspond", "key", "response"])
    ['coref', 'correspond']
    """
    return list(application().parse_commands(list(words))[0])


def flags(words: Sequence[str]) -> list[str]:
    """The options of a command itself, as they are typed."""
    return [name for names in argument_names(words).values() for name in names if name.startswith("--")]


def argument_names(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The spellings of each option of a command, by the first of them."""
    return _argument_names(tuple(application().parse_commands(list(words))[0]))


@cache
def _argument_names(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    chain, apps, _ = application().parse_commands(list(words))
    command = apps[-1]
    if command.default_command is None or any(word.startswith("-") for word in chain):  # --help is a command too
        return {}
    return {one.names[0]: tuple(one.names) for one in command.assemble_argument_collection() if one.names}


def options_of_task(words: Sequence[str]) -> list[str]:
    """The options of the task that words are about, as they are typed: of its readers, and of all that answers and
    compares where the command scores.
    """
    from aune import baselines
    from aune.core import registry
    from aune.core.asked import RESPONSE, readers, scorers, takers_of

    name = next((task for word in words[:3] if (task := registry.named_task(word))), "")
    if not name:
        return []
    home = registry.task(name)
    reading = takers_of(readers(home))
    if _hint(words) == FormatOptions:
        return [typed(one) for one in reading]
    if _hint(words) == EntityOptions:
        return [
            typed(one)
            for one in (*reading, *takers_of(scorers(registry.task("entities"), registry.measures("entities"))))
        ]
    systems = [baselines.baseline(name, one).respond for one in baselines.names(name)]
    others = takers_of([*scorers(home, registry.measures(name)), *filter(None, (home.describe,)), *systems])
    return [typed(one) for one in dict.fromkeys((*others, *reading, *(RESPONSE + one for one in reading)))]
