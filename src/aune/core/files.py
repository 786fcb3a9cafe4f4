"""Files beside the inputs: read within bounds, and the one door through which they are written.

What is written is written whole or not at all, and never over an input. Tables, lexicons, rules and models are read
through `text_of`, and what they hold through `toml_of` and `json_of`, so that a device or a file nested thousands deep
is told as any other mistake.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from aune.core.errors import UsageError

DEEPEST = 100  # levels of tables and lists in a file that a person wrote
TOO_DEEP = "tables or lists nested too deeply"


def text_of(path: str | Path) -> str:
    """The text of a file; an OSError or a UnicodeDecodeError (a ValueError) where there is none."""
    return bytes_of(path).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def bytes_of(path: str | Path) -> bytes:
    """The bytes of a file; an OSError where there is none, or a device, which may never end."""
    with Path(path).open("rb") as opened:
        if stat.S_ISCHR(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a device, not a file", str(path))
        return opened.read()


def toml_of(text: str) -> dict[str, Any]:
    """What a TOML text holds; a ValueError where it is none, or nested too deeply to be one that a person wrote."""
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_depth(found)  # `a.a.a…` is read without recursion, but cannot even be shown
    return found


def json_of(text: str | bytes) -> Any:
    """What a JSON text holds; a ValueError where it is none, or nested too deeply."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_depth(found)
    return found


def _check_depth(found: Any) -> None:
    level = [found]
    for _ in range(DEEPEST):
        inside = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        if not inside:
            return
        level = [item for items in inside for item in items]
    raise ValueError(TOO_DEEP)


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
