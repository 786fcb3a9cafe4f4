"""Names of systems, from paths or `name=path`, and the runs of systems that have several, from `name=path,path`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from aune import STDIN
from aune.compression import uncompressed_name
from aune.errors import UsageError


class Runs(tuple[Any, ...]):
    """The responses of several runs of one system.

    >>> Runs(["seed-1.conll", "seed-2.conll"])
    Runs('seed-1.conll', 'seed-2.conll')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Runs({', '.join(map(repr, self))})"


def system_names(responses: Sequence[str | Path], *, with_runs: bool = False) -> dict[str, Any]:
    """Names for responses given as `path` or `name=path`; by default the name comes from the path.

    With `with_runs`, `name=path,path` and `name=pattern` are several runs of one system.

    >>> system_names(["out/a.conll.gz", "best=out/b.conll"])
    {'a': 'out/a.conll.gz', 'best': 'out/b.conll'}
    >>> system_names(["tuned=seed-1.conll,seed-2.conll"], with_runs=True)
    {'tuned': Runs('seed-1.conll', 'seed-2.conll')}
    """
    paths = [str(entry) if isinstance(entry, Path) else entry for entry in responses]
    if not all(isinstance(entry, str) for entry in paths):
        raise UsageError(
            "found systems without names, expected a dict such as {'A': response} or a list of paths; "
            "aune.score(task, key, response) scores one response"
        )
    systems: dict[str, Any] = {}
    for entry in paths:
        name, equals, path = entry.partition("=")
        is_named = bool(equals) and not {"/", os.sep, "\\"} & set(name) and not Path(entry).exists()
        candidates = [_printable_name(name)] if is_named else _possible_names(entry)
        free = [name for name in candidates if name not in systems]
        if not free:
            raise UsageError(f"two systems are called {candidates[0]!r}: name them with name=path")
        if not free[0]:
            raise UsageError(f"{entry}: expected a name before '=', or a path without it")
        systems[free[0]] = (_runs_in(path) if with_runs else path) if is_named else entry
    return systems


def _runs_in(text: str) -> str | Runs:
    """The runs in `path,path` or in a pattern such as `runs/*.conll`; a single path is returned unchanged."""
    if Path(text).exists() or "://" in text:
        return text
    paths: list[str] = []
    for part in text.split(","):
        is_pattern = has_magic(part) and not Path(part).exists()
        matches = sorted(glob(part)) if is_pattern else [part]  # noqa: PTH207 - patterns may be absolute
        if not matches:
            raise UsageError(f"{part}: no file has a name like this")
        paths += matches
    if "" in paths:
        raise UsageError(f"{text}: expected a path on either side of each comma")
    return Runs(paths) if len(paths) > 1 else paths[0]


def name_runs(systems: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A response per run, named after its system with a number, and the system of each run.

    Runs are given as `Runs`, or as a list of files.

    >>> name_runs({"tuned": Runs(["a.conll", "b.conll"]), "plain": "c.conll"})
    ({'tuned/1': 'a.conll', 'tuned/2': 'b.conll', 'plain': 'c.conll'}, {'tuned/1': 'tuned', 'tuned/2': 'tuned'})
    """
    named: dict[str, Any] = {}
    run_of: dict[str, str] = {}
    for system, response in systems.items():
        runs = list(response) if _is_several(response) else [response]
        for number, run in enumerate(runs, 1):
            name = f"{system}/{number}" if len(runs) > 1 else system
            if name in named:
                raise UsageError(f"two systems are called {name!r}: runs are numbered, so give systems other names")
            named[name] = run
            if len(runs) > 1:
                run_of[name] = system
    return named, run_of


def _is_several(response: Any) -> bool:
    """Whether a response consists of several runs: `Runs`, or a list of paths; strings in it must be paths of files."""
    if isinstance(response, Runs) or not isinstance(response, list | tuple):
        return isinstance(response, Runs)
    return len(response) > 0 and all(isinstance(item, Path) or _is_file_name(item) for item in response)


def _is_file_name(item: Any) -> bool:
    return isinstance(item, str) and os.path.isfile(item)  # noqa: PTH113 - takes any string, also long ones


def _possible_names(path: str) -> list[str]:
    """A name for a system, from the name of its file: the first of these candidates that is not taken."""
    folder = Path(path).parent.name
    return [path_stem(path), f"{folder}/{path_stem(path)}", path] if folder else [path_stem(path), path]


def _printable_name(name: str) -> str:
    """A name that can be printed: bytes that are no text are shown as escapes."""
    return name.encode(errors="backslashreplace").decode()


def path_stem(path: str) -> str:
    name = "stdin" if path in ("-", STDIN) else Path(path).name
    name = _printable_name(name)
    return Path(uncompressed_name(name)).stem or name
