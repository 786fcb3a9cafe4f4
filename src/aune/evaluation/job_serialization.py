"""Jobs as bytes: names, options, and small files by content, for processes that may see other files than this one.

A file that an option names is looked for under its original path first. If another process finds no file there, or one
with another content, it writes the content from the job to a temporary folder and reports problems under the
original name.
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
from aune.contract.notes import Note
from aune.contract.options import NameList, OptionFile
from aune.errors import Problem, UsageError
from aune.evaluation.counting import Chunk, ChunkCounts, Job, count_chunk
from aune.files import write_atomically

LARGEST_SENT = 1 << 25  # bytes of a file that is sent; a larger file must have the same path on every machine
_ORIGINAL_PATHS: dict[str, str] = {}
"""The original names of files, by the path at which this process stored them."""


def pack_job(job: Job) -> bytes:
    """A job as bytes, or the reason why it cannot be sent."""
    buffer = io.BytesIO()
    buffer.write(f"{__version__}\n".encode())
    try:
        _JobPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"this cannot be sent to another process ({error}): give measures of your own as module:ATTRIBUTE"
        ) from None
    return buffer.getvalue()


def count_parcel(parcel: bytes, *chunks: Chunk) -> bytes:
    """The counts of some chunks, as bytes: runs in another process."""
    job = unpack_job(parcel)
    return pickle.dumps([_restore_names(count_chunk(job, chunk)) for chunk in chunks], pickle.HIGHEST_PROTOCOL)


@lru_cache(2)
def unpack_job(parcel: bytes) -> Job:
    version, _, rest = parcel.partition(b"\n")
    if version.decode() != __version__:
        raise UsageError(
            f"a worker has aune {__version__}, the job is from {version.decode()}: install the same version everywhere"
        )
    job: Job = pickle.loads(rest)
    return job


class _JobPickler(pickle.Pickler):
    """Pickles the files that options name with their content."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, OptionFile | NameList):
            return NotImplemented
        paths = value.files if isinstance(value, NameList) else {str(value): str(value)}
        files = {
            part: (path, content) for part, path in paths.items() if (content := _small_content(Path(path))) is not None
        }
        return _unpack_option, (type(value), str(value), files)


def _small_content(path: Path) -> bytes | None:
    """The content of a file that is small enough to send."""
    return path.read_bytes() if path.is_file() and path.stat().st_size <= LARGEST_SENT else None


def _unpack_option(kind: type[str], text: str, files: Mapping[str, tuple[str, bytes]]) -> str:
    """The value of an option with the paths that its files have in this process."""
    parts = [text] if text in files else [part.strip() for part in text.split(",")]
    return kind(",".join(_relocate(part, *files[part]) if part in files else part for part in parts))


def _relocate(part: str, path: str, content: bytes) -> str:
    return _place_copy(path, content) + part.removeprefix(path)


def _place_copy(original: str, content: bytes) -> str:
    """The path of an option's file in this process: the original one if its content is the same, or a copy's."""
    path = Path(original)
    if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return original
    folder = Path(_copies_folder().name, sha256(content).hexdigest())
    folder.mkdir(exist_ok=True)
    copy = folder / path.name
    write_atomically(copy, content)  # another thread may read it
    _ORIGINAL_PATHS[str(copy)] = original
    return str(copy)


@lru_cache(1)
def _copies_folder() -> tempfile.TemporaryDirectory[str]:
    """The folder for files of this process; it is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="aune-")


def _restore_names(chunk: ChunkCounts) -> ChunkCounts:
    """Counts whose notes and problems show the original names of copied files."""
    for share in chunk.shares.values() if _ORIGINAL_PATHS else ():
        for name in ("notes", "facts", "problems", "refused", "signed"):
            setattr(share, name, _with_original_paths(getattr(share, name)))
    return chunk


def _with_original_paths(value: Any) -> Any:
    """A value whose strings contain the original names of files."""
    match value:
        case str():
            return reduce(lambda text, copy: text.replace(*copy), _ORIGINAL_PATHS.items(), value)
        case Problem():
            return replace(
                value,
                place=value.place._replace(path=_with_original_paths(value.place.path)),
                found=_with_original_paths(value.found),
                expected=_with_original_paths(value.expected),
                remedies=tuple(remedy._replace(text=_with_original_paths(remedy.text)) for remedy in value.remedies),
            )
        case Note():
            return Note(*map(_with_original_paths, value))
        case tuple() | list():
            return type(value)(map(_with_original_paths, value))
        case dict():
            return {_with_original_paths(key): _with_original_paths(item) for key, item in value.items()}
        case partial():
            return partial(value.func, *map(_with_original_paths, value.args), **_with_original_paths(value.keywords))
    return value
