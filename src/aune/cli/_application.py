"""The commands: found by the walk over this folder, put into groups, and what is said to those who type another one.

A file is a command, and so is a folder with an `app`; a folder named for a task contains the commands of that task.
`GROUP` in a file says under which heading of the help its command stands.
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
from aune.cli._inputs import CorpusOptions, EntityOptions, FormatOptions, check_text

PACKAGE = "aune.cli"
HEADINGS = ("Score", "Understand", "Files", "Research", "One task", "Together", "This tool")
"""The groups of commands, in the order of the help."""
GROUPS = {name: Group(name, sort_key=place) for place, name in enumerate(HEADINGS)}
FIRST_COMMANDS = ("score", "compare", "report", "errors", "explain", "validate", "convert")
"""The commands that stand first under their headings."""
DEFAULT_GROUP = "Together"
MEASURE_FLAGS = ("-m", "--measures", "--measure")
EPILOGUE = "Every command takes --quiet or -q (no warnings, no progress), and those that print results --json."


def application(words: Sequence[str] = ()) -> App:
    """The cyclopts application: with the command that the first of the words names, or with every command."""
    first = words[0].replace("-", "_") if words and "_" not in words[0] else ""
    return _application(first if first in _module_names(PACKAGE) else "")


@cache
def _application(only: str) -> App:
    """The application with one command of this package, or with all of them: others are not even imported."""
    app = App(
        name="aune",
        version=f"aune {__version__}",
        help="By the yardstick of: how good a system is, how sure that is, and why.",
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version_flags=["--version"],
        suppress_keyboard_interrupt=False,
        group_commands=GROUPS["This tool"],
        default_parameter=Parameter(show_default=_shown_default, validator=check_text),
    )
    for name in [only] if only else _module_names(PACKAGE):
        module = import_module(f"{PACKAGE}.{name}")
        of_task = _is_task_package(module)
        command = _task_commands(name, module) if of_task else _command(name, module)
        group = GROUPS["One task" if of_task else getattr(module, "GROUP", DEFAULT_GROUP)]
        if isinstance(command, App):
            command.group = group
            command.group_commands = f"Commands of {name}"
            app.command(command)
        else:
            place = FIRST_COMMANDS.index(name) if name in FIRST_COMMANDS else len(FIRST_COMMANDS)
            app.command(command, name=_with_dashes(name), group=group, sort_key=place)
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
    group = application()[command].group
    groups = group if isinstance(group, tuple) else (group,)
    return next(name for name, candidate in GROUPS.items() if candidate in groups)


def _task_commands(task: str, package: Any) -> App:
    """The commands that are about one task alone."""
    app = App(name=task, help=package.__doc__, help_format="plaintext", group_commands=f"Commands of {task}")
    for name, module in _modules(package.__name__):
        command = _command(name, module)
        app.command(command, name=None if isinstance(command, App) else _with_dashes(name))
    return app


@cache
def _module_names(package: str) -> tuple[str, ...]:
    """The modules of a package that are commands: their names begin with no underscore."""
    names = (module.name for module in iter_modules(import_module(package).__path__))
    return tuple(sorted(name for name in names if not name.startswith("_")))


def _modules(package: str) -> Iterator[tuple[str, Any]]:
    """The commands of a package by name, with their modules."""
    return ((name, import_module(f"{package}.{name}")) for name in _module_names(package))


def _is_task_package(module: Any) -> bool:
    """Whether a module is a folder with the commands of one task; a folder with an application is one command."""
    return hasattr(module, "__path__") and not hasattr(module, "app")


def _command(name: str, module: Any) -> Any:
    """What a module offers: an application of several commands, or a function of its own name."""
    return getattr(module, "app", None) or getattr(module, name, None) or getattr(module, f"{name}_")


def _with_dashes(name: str) -> str:
    return name.replace("_", "-")


def option_flag(option: str) -> str:
    """An option as it is typed.

    >>> option_flag("text_field")
    '--text-field'
    """
    return f"--{_with_dashes(option)}"


# Help


def _shown_default(default: Any) -> str | None:
    """What an option is when it is not given; nothing is told where it is off, or nothing."""
    return str(default) if default or (default == 0 and default is not False) else None


def _unwrap(app: App) -> None:
    """Let the terminal break the lines of every docstring, and not us."""
    for inner in app.subapps:
        _unwrap(inner)
    command = app.default_command
    if isinstance(command, FunctionType) and command.__doc__:
        command.__doc__ = unwrap_paragraphs(command.__doc__)


def unwrap_paragraphs(docstring: str) -> str:
    r"""A docstring with its paragraphs on one line each.

    >>> unwrap_paragraphs("One\ntwo.\n\nThree.")
    'One two.\n\nThree.'
    """
    head, heading, parameters = cleandoc(docstring).partition("Parameters\n----------\n")
    prose = "\n\n".join(" ".join(block.split("\n")) for block in head.strip().split("\n\n"))
    listing = re.sub(r"(?m)(?:^ {4}\S.*\n?)+", lambda lines: f"    {' '.join(lines[0].split())}\n", parameters)
    return f"{prose}\n\n{heading}{listing}".rstrip() if heading else prose


# What is said to those who type something else


def refusal(error: CycloptsError, words: Sequence[str]) -> str:
    """Why words are no command of ours, and what to type instead."""
    if isinstance(error, UnknownOptionError):
        return unknown_option_message((error.token.keyword or error.token.value).partition("=")[0], words)
    if isinstance(error, MissingArgumentError) and (lacking := error.argument):
        command = " ".join(["aune", *command_words(words)])
        name = lacking.names[0] if lacking.index is None else lacking.field_info.name.upper()
        return (
            f"expected {name}: {command} {'--help tells more' if lacking.index is None else _positional_usage(words)}"
        )
    error.verbose = False
    message = str(error).strip()
    return message[:1].lower() + message[1:]


OPTION = re.compile(r"--|-[A-Za-z]$")


def unknown_word_message(words: Sequence[str]) -> str:
    """That a command, or one of the options typed, is known to nobody; nothing where all are known to somebody."""
    _, apps, rest = application(words).parse_commands(list(words))
    if rest and not rest[0].startswith("-") and apps[-1].default_command is None:
        return command_suggestion(words) or _unknown_command(words)
    typed_options = [word for word in takewhile(lambda word: word != "--", rest) if OPTION.match(word)]
    option_names = [word.partition("=")[0] for word in typed_options]
    spelt = {name for names in argument_names(words).values() for name in names}
    known = {*spelt, *apps[-1].help_flags, *apps[-1].version_flags}
    foreign = [name for name in option_names if name not in known]
    others = options_of_task(words) if foreign and _options_type(words) else []
    return next((unknown_option_message(name, words, others) for name in foreign if name not in others), "")


def _options_type(words: Sequence[str]) -> Any:
    """The type of the options that a command takes beside its own; None where it takes none."""
    function = application(words).parse_commands(list(words))[1][-1].default_command
    return get_type_hints(function, include_extras=True).get("options") if isinstance(function, FunctionType) else None


def command_suggestion(words: Sequence[str]) -> str:
    """What to type instead of a command that moved, or of a task where a command should be; nothing for other words."""
    first, *rest = words
    tasks = {name: module for name, module in _modules(PACKAGE) if _is_task_package(module)}
    if first in tasks and rest and any(_has_command(module, rest[0]) for module in tasks.values()):
        first, *rest = rest  # of another task
    homes = [name for name, module in tasks.items() if _has_command(module, first)]
    if homes and list(words[:2]) != [homes[0], first]:
        task, arguments = homes[0], [word for word in rest[:1] if word != homes[0]] + list(rest[1:])
        return f"{first} is a command of {task}: type aune {' '.join([task, first, *arguments])}"
    from aune.contract import registry

    task = registry.resolve_task_name(first)
    if task:
        files = " ".join(rest) or "KEY RESPONSE"
        return f"{first} is a task and no command: to score, type aune score {task} {files}"
    return ""


def _unknown_command(words: Sequence[str]) -> str:
    from aune.errors import nearest_name

    known, apps, rest = application(words).parse_commands(list(words))
    typed = " ".join(["aune", *known])
    if rest[0] == "version":
        return f"unknown command version: type {typed} --version"
    near = nearest_name(rest[0], [name for name in apps[-1] if not name.startswith("-")])
    return f"unknown command {rest[0]}: {f'did you mean {typed} {near}?' if near else f'see {typed} --help'}"


def _has_command(package: Any, name: str) -> bool:
    return any(_with_dashes(info.name) == name for info in iter_modules(package.__path__))


def unknown_option_message(name: str, words: Sequence[str], others: Iterable[str] = ()) -> str:
    """That an option is unknown, and the nearest one there is: of the command, or of `others`."""
    from aune.errors import nearest_name
    from aune.reports import FORMATS

    own_flags = flags(words)
    known = [flag.lstrip("-") for flag in (*own_flags, *others)]
    bare = name.lstrip("-")
    if bare == "json":
        return f"unknown option {name}: here nothing is printed that could be JSON; aune score --json prints the scores"
    command = " ".join(["aune", *command_words(words)])
    if bare in FILE_OPTIONS and (places := _positional_usage(words)):
        return f"unknown option {name}: files stand in their places: {command} {places}"
    if "--format" in own_flags and bare in FORMATS:
        return f"unknown option {name}: did you mean --format {bare}?"
    near = nearest_name(bare, known)
    return f"unknown option {name}: {f'did you mean --{near}?' if near else f'see {command} --help'}"


FILE_OPTIONS = {"key", "gold", "reference", "ref", "references", "truth", "response", "responses", "system", "hyp",
                "hypothesis", "pred", "predictions", "prediction", "input", "file"}  # fmt: skip
"""What other tools call the files of ours."""


def _positional_usage(words: Sequence[str]) -> str:
    """What a command takes without an option, in order.

    >>> _positional_usage(["errors"]), _positional_usage(["score"])
    ('TASK KEY RESPONSE', 'TASK KEY RESPONSES…')
    """
    command = application(words).parse_commands(list(words))[1][-1]
    if command.default_command is None:
        return ""
    taken = [argument.field_info for argument in command.assemble_argument_collection() if argument.index is not None]
    return " ".join(
        argument.name.upper() + ("…" if argument.kind is argument.VAR_POSITIONAL else "") for argument in taken
    )


def command_words(words: Sequence[str]) -> list[str]:
    """Those of the words that name the command.

    >>> command_words(["coref", "correspond", "key", "response"])
    ['coref', 'correspond']
    """
    return list(application(words).parse_commands(list(words))[0])


def flags(words: Sequence[str]) -> list[str]:
    """The options of a command itself, as they are typed."""
    return [name for names in argument_names(words).values() for name in names if name.startswith("--")]


def argument_names(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The spellings of each option of a command, by the first of them."""
    return _argument_names(tuple(application(words).parse_commands(list(words))[0]))


@cache
def _argument_names(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    chain, apps, _ = application(words).parse_commands(list(words))
    command = apps[-1]
    if command.default_command is None or any(word.startswith("-") for word in chain):  # --help is a command too
        return {}
    return {
        argument.names[0]: tuple(argument.names)
        for argument in command.assemble_argument_collection()
        if argument.names
    }


def options_of_task(words: Sequence[str]) -> list[str]:
    """The options of the task that words are about, as they are typed: of its readers, and of all that answers and
    compares where the command scores.
    """
    from aune import baselines
    from aune.contract import registry
    from aune.evaluation.plan import RESPONSE_PREFIX, collect_options, reading_functions, scoring_functions

    name = next((task for word in words[:3] if (task := registry.resolve_task_name(word))), "")
    if not name:
        return []
    home = registry.task(name)
    reading = collect_options(reading_functions(home))
    if _options_type(words) == FormatOptions:
        return [option_flag(entry) for entry in reading]
    entities = registry.task("entities")
    if _options_type(words) in (CorpusOptions, EntityOptions):  # the files may be those of entities
        reading |= collect_options(reading_functions(entities))
    if _options_type(words) == EntityOptions:
        scoring = collect_options(scoring_functions(entities, registry.measures(entities.name)))
        return [option_flag(entry) for entry in (*reading, *(RESPONSE_PREFIX + entry for entry in reading), *scoring)]
    systems = [baselines.baseline(name, entry).respond for entry in baselines.names(name)]
    measures = [*registry.measures(name), *_own_measures(words, name)]
    others = collect_options([*scoring_functions(home, measures), *filter(None, (home.reading.describe,)), *systems])
    return [
        option_flag(entry)
        for entry in dict.fromkeys((*others, *reading, *(RESPONSE_PREFIX + entry for entry in reading)))
    ]


def _own_measures(words: Sequence[str], task: str) -> Iterator[Any]:
    """The measures that words name as `module:ATTRIBUTE`, alone or in an expression: they may have options."""
    from aune.contract import registry

    for place, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in MEASURE_FLAGS:
            texts = value if equals else "".join(words[place + 1 : place + 2])
            yield from (registry.measure(text, task) for text in registry.split_names(texts) if ":" in text)
