"""The one door through which files are written: whole or not at all, and never over an input."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from aune.core.errors import UsageError


def check_target(target: Path, inputs: Iterable[Path]) -> None:
    """Refuse, before any work is done, a target that cannot be written or is one of the inputs."""
    try:
        if target.is_dir():
            raise UsageError(f"{target}: is a folder, expected the name of a file to write")
        if not target.parent.is_dir():
            raise UsageError(f"{target}: there is no folder {target.parent}: make it first")
        for path in inputs:
            if target.exists() and path.exists() and not _is_stream(target) and target.samefile(path):
                raise UsageError(f"{target}: is one of the inputs, which would be overwritten: name another file")
    except OSError as error:
        raise UsageError(f"{_shortened(target)}: cannot be written ({error.strerror})") from None


def _is_stream(path: Path) -> bool:
    """Whether this is a device, a pipe or a socket: something to write through, not to replace."""
    return not stat.S_ISREG(path.stat().st_mode)


def write_whole(target: Path, data: bytes) -> None:
    """Bytes in a file, all of them or none.

    A device or a pipe is written through, a link is followed, and a file that is there keeps its mode.
    """
    try:
        real = Path(os.path.realpath(target))
        if real.exists() and _is_stream(real):
            with real.open("wb", buffering=0) as stream:
                stream.write(data)
        else:
            _replace(real, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{_shortened(target)}: cannot be written ({reason})") from None


def _replace(target: Path, data: bytes) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=".aune-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(partial).chmod(mode)
        Path(partial).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(partial).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _shortened(path: Path, most: int = 120) -> str:
    name = str(path)
    return name if len(name) <= most else f"{name[:most]}…"
