"""Jobs as bytes: names, options, and small files by content, for processes that may see other files than this one.

A file that an option names is looked for under its own path first. Where another process finds nothing there, or
something else, it puts what came with the job into a folder of its own, and says what it has to say of it under the
name that was given.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial, reduce
from hashlib import sha256
from pathlib import Path
from typing import Any

from aune import __version__
from aune.core.counting import Counted, Job, Recipe, counted
from aune.core.errors import Problem, UsageError
from aune.core.files import write_whole
from aune.core.notes import Note
from aune.core.options import File, Names

SMALL = 1 << 25  # bytes of a file that travels; one that is larger must be where its path says on every machine
_GIVEN: dict[str, str] = {}
"""The names that files were given by, by where this process put them."""


def packed(job: Job) -> bytes:
    """A job as bytes, or why it cannot be sent."""
    parcel = io.BytesIO()
    parcel.write(f"{__version__}\n".encode())
    try:
        _Packer(parcel, pickle.HIGHEST_PROTOCOL).dump(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"this cannot be sent to another process ({error}): give measures of your own as module:ATTRIBUTE"
        ) from None
    return parcel.getvalue()


def done(parcel: bytes, *recipes: Recipe) -> bytes:
    """What some chunks count, as bytes: runs in another process."""
    job = job_in(parcel)
    return pickle.dumps([_told(counted(job, recipe)) for recipe in recipes], pickle.HIGHEST_PROTOCOL)


@lru_cache(2)
def job_in(parcel: bytes) -> Job:
    version, _, rest = parcel.partition(b"\n")
    if version.decode() != __version__:
        raise UsageError(
            f"a worker has aune {__version__}, and aune {version.decode()} was asked: install the same everywhere"
        )
    job: Job = pickle.loads(rest)
    return job


class _Packer(pickle.Pickler):
    """Pickles files of options with what they hold."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, File | Names):
            return NotImplemented
        paths = value.files if isinstance(value, Names) else {str(value): str(value)}
        files = {part: (path, content) for part, path in paths.items() if (content := _content(Path(path))) is not None}
        return _unpacked, (type(value), str(value), files)


def _content(path: Path) -> bytes | None:
    """What a file holds, if it is small enough to travel."""
    return path.read_bytes() if path.is_file() and path.stat().st_size <= SMALL else None


def _unpacked(kind: type[str], text: str, files: Mapping[str, tuple[str, bytes]]) -> str:
    """The value of an option with the paths that its files have in this process."""
    parts = [text] if text in files else [part.strip() for part in text.split(",")]
    return kind(",".join(_moved(part, *files[part]) if part in files else part for part in parts))


def _moved(part: str, path: str, content: bytes) -> str:
    return _put_down(path, content) + part.removeprefix(path)


def _put_down(given: str, content: bytes) -> str:
    """A file of an option in this process: the one of its name where it holds the same, else a copy."""
    path = Path(given)
    if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return given
    folder = Path(_folder().name, sha256(content).hexdigest())
    folder.mkdir(exist_ok=True)
    copy = folder / path.name
    write_whole(copy, content)  # another thread may read it
    _GIVEN[str(copy)] = given
    return str(copy)


@lru_cache(1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where this process puts files; gone when it ends."""
    return tempfile.TemporaryDirectory(prefix="aune-")


def _told(chunk: Counted) -> Counted:
    """What was counted, with whatever it says of copied files said under the names that were given."""
    for share in chunk.shares.values() if _GIVEN else ():
        for name in ("notes", "facts", "problems", "refused", "signed"):
            setattr(share, name, _as_given(getattr(share, name)))
    return chunk


def _as_given(value: Any) -> Any:
    """A value whose strings name files as they were given."""
    match value:
        case str():
            return reduce(lambda text, copy: text.replace(*copy), _GIVEN.items(), value)
        case Problem():
            return replace(value, path=_as_given(value.path), message=_as_given(value.message))
        case Note():
            return Note(*map(_as_given, value))
        case tuple() | list():
            return type(value)(map(_as_given, value))
        case dict():
            return {_as_given(key): _as_given(held) for key, held in value.items()}
        case partial():
            return partial(value.func, *map(_as_given, value.args), **_as_given(value.keywords))
    return value
