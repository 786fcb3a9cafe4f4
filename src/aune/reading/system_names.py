"""Names of systems, from paths or `name=path`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aune import STDIN
from aune.compression import uncompressed_name
from aune.errors import UsageError


def system_names(responses: Sequence[str | Path]) -> dict[str, str]:
    """Names for responses given as `path` or `name=path`; a path's own name where none is given.

    >>> system_names(["out/a.conll.gz", "best=out/b.conll"])
    {'a': 'out/a.conll.gz', 'best': 'out/b.conll'}
    """
    paths = [str(entry) if isinstance(entry, Path) else entry for entry in responses]
    if not all(isinstance(entry, str) for entry in paths):
        raise UsageError(
            "found systems without names, expected a dict such as {'A': response} or a list of paths; "
            "aune.score(task, key, response) scores one response"
        )
    systems: dict[str, str] = {}
    for entry in paths:
        name, equals, path = entry.partition("=")
        is_named = bool(equals) and "/" not in name and not Path(entry).exists()
        candidates = [_printable_name(name)] if is_named else _possible_names(entry)
        free = [name for name in candidates if name not in systems]
        if not free:
            raise UsageError(f"two systems are called {candidates[0]!r}: name them with name=path")
        if not free[0]:
            raise UsageError(f"{entry}: expected a name before '=', or a path without it")
        systems[free[0]] = path if is_named else entry
    return systems


def _possible_names(path: str) -> list[str]:
    """What a system can be called after its file: the first of these that is free."""
    folder = Path(path).parent.name
    return [path_stem(path), f"{folder}/{path_stem(path)}", path] if folder else [path_stem(path), path]


def _printable_name(name: str) -> str:
    """A name as it can be printed: bytes of it that are no text are shown."""
    return name.encode(errors="backslashreplace").decode()


def path_stem(path: str) -> str:
    name = "stdin" if path in ("-", STDIN) else Path(path).name
    name = _printable_name(name)
    return Path(uncompressed_name(name)).stem or name
