"""Options that a project gives for everyone who works in it: `aune.toml`, or `[tool.aune]` in `pyproject.toml`.

    digits = 1                     # for every command that has the option

    [coref]                        # a table holds where its name stands among the words: a task, or a command
    convention = "partition"
    measures = ["muc", "lea"]

They become words of the command line, so that they are checked like typed ones, stand in signatures, and lose against
what is typed. A file of a project is no program: it loads no code, names no other machine, and writes no file. Sites
and campaigns, which open doors to others, take nothing from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aune.cli._application import argument_names, commands, flags, option_flag, options_of_task
from aune.errors import UnknownNameError, UsageError
from aune.files import parse_toml, read_text

TYPED_ONLY = {
    "--output", "--rows", "--from-rows", "--engine", "--projected", "--disagreements", "--onto", "--key", "--raw-cells",
}  # fmt: skip
"""Options that name what is written or read, or another machine, or that take a guard away: these are typed."""
PRIVILEGED = {"campaign", "serve", "site"}
"""Commands that let others in, send letters and decide who may do what."""


CODE = re.compile(r"[\w.]:[^\W\d]")
"""A measure of one's own, `module:ATTRIBUTE`, alone or in an expression, in whatever option."""


class Project(NamedTuple):
    """A file with options, and the options."""

    path: Path
    options: Mapping[str, Any]


def project(folder: Path) -> Project | None:
    """The nearest file with options, in a folder or in those that it lies in."""
    for place in (folder, *folder.parents):
        for name, tables in (("aune.toml", ()), ("pyproject.toml", ("tool", "aune"))):
            path = place / name
            if path.is_file() and (options := _table(path, tables)) is not None:
                return Project(path, options)
    return None


def _table(path: Path, names: Sequence[str]) -> Mapping[str, Any] | None:
    try:
        table: Any = parse_toml(read_text(path))
    except (ValueError, OSError) as error:
        if names:
            return None  # somebody else's file
        raise UsageError(f"{path}: {error}, expected TOML: mend it, or move it away") from error
    for name in names:
        table = table.get(name) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else None


def project_options(project: Project, words: Sequence[str]) -> list[str]:
    """The options of a project for a command, as they would be typed; without those that were typed."""
    from aune.contract import registry

    about = {*words[:3], *(registry.resolve_task_name(word) for word in words[:3])}
    tables = [value for name, value in project.options.items() if isinstance(value, Mapping) and name in about]
    if words[0] in PRIVILEGED:
        if tables:
            raise UsageError(f"{project.path}: a project gives {words[0]} no options: type them")
        return []
    plain = {name: value for name, value in project.options.items() if not isinstance(value, Mapping)}
    settings: dict[str, Any] = {}
    for table in (plain, *tables):
        settings |= {option_flag(name): value for name, value in table.items()}
    own_flags, spellings = flags(words), argument_names(words)
    known = [*own_flags, *options_of_task(words)]
    typed_names = {word.partition("=")[0] for word in words}
    _check(project.path, settings, known)
    return [
        word
        for name, value in settings.items()
        if name in known and not typed_names & {name, *spellings.get(name, ())}
        for word in _words(project.path, name, value, name in own_flags)
    ]


def _check(path: Path, settings: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse what no command knows, and what a project does not decide."""
    from aune.contract import registry

    unknown = [name for name in settings if name not in known]
    privileged: set[str] = set()
    everywhere: set[str] = set()
    if unknown:
        for words, _ in commands():
            (privileged if words[0] in PRIVILEGED else everywhere).update(flags(words))
        everywhere |= {name for task in registry.task_names() for name in options_of_task([task])}
    for name in unknown:
        if name not in everywhere | privileged:
            raise UsageError(f"{path}: {UnknownNameError('option', name.lstrip('-'), [n.lstrip('-') for n in known])}")
    for name in settings:
        if name in TYPED_ONLY | (privileged - everywhere):
            raise UsageError(f"{path}: {name} is typed on the command line, and not given by a project")


def _words(path: Path, name: str, value: Any, repeated: bool) -> Iterator[str]:
    """An option as it would be typed; lists of commands' own options one by one."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if not isinstance(part, str | int | float):
            raise UsageError(f"{path}: {name}: found {part!r}, expected text, a number, true, false or a list of these")
        if isinstance(part, str) and ("://" in part or CODE.search(part)):
            raise UsageError(f"{path}: {name} {part}: a project names neither code nor addresses: type it")
    texts = [str(part) for part in parts if not isinstance(part, bool)]
    if value is True:
        yield name if repeated else f"{name}=yes"
    elif value is False:
        yield from () if repeated else (f"{name}=no",)
    elif repeated:
        yield from (f"{name}={text}" for text in texts)
    else:
        yield f"{name}={','.join(texts)}"
