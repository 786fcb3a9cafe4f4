"""Files beside the inputs: read within bounds, and the one door through which they are written.

What is written is written whole or not at all, and never over an input. Tables, lexicons, rules and models are read
through `text_of`, and what they hold through `toml_of` and `json_of`, so that a device or a file nested thousands deep
is told as any other mistake.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from aune.core.errors import UsageError
from aune.core.unpacking import whole

DEEPEST = 100  # levels of tables and lists in a file that a person wrote
TOO_DEEP = "tables or lists nested too deeply"
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:\.[ \t]*+{_PART}){{{DEEPEST},}}")
"""A key `a.a.a…`, which is read without recursion, but with memory by the square of its length."""


def text_of(path: str | Path) -> str:
    """The text of a file, without a byte order mark; an OSError or a UnicodeDecodeError (a ValueError) for none."""
    return bytes_of(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def bytes_of(path: str | Path) -> bytes:
    """The bytes of a file; an OSError where there is none, or a device, which may never end."""
    with Path(path).open("rb") as opened:
        if stat.S_ISCHR(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a device, not a file", str(path))
        return whole(str(path), opened)


def toml_of(text: str) -> dict[str, Any]:
    """What a TOML text holds; a ValueError where it is none, or nested too deeply to be one that a person wrote."""
    if LONG_KEY.search(text):
        raise ValueError(TOO_DEEP)
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_depth(found)
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
    """Refuse, before any work is done, a file that cannot be written or is one of the inputs."""
    check_apart(target, inputs)
    with _told(target):
        if target.is_dir():
            raise UsageError(f"{target}: is a folder, expected the name of a file to write")
        if not target.parent.is_dir():
            raise UsageError(f"{_shortened(target)}: there is no folder {_shortened(target.parent)}: make it first")
        target.exists()  # where it can be asked, it can be tried


def check_apart(target: Path, inputs: Iterable[Path]) -> None:
    """Refuse a target that is one of the inputs, under whatever name."""
    for path in inputs:
        with suppress(OSError, ValueError):  # no input, or no target yet: there is nothing to overwrite
            inside = path.is_dir() and Path(os.path.realpath(target)).is_relative_to(os.path.realpath(path))
            if not _is_stream(target) and (inside or target.samefile(path)):
                raise UsageError(f"{target}: is one of the inputs, which would be overwritten: name another file")


def _is_stream(path: Path) -> bool:
    """Whether this is a device, a pipe or a socket: something to write through, not to replace."""
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_whole(target: Path, data: bytes | IO[bytes]) -> None:
    """Bytes in a file, or what another file holds from where it is read: all of it or none.

    A device or a pipe is written through, a link is followed, and a file that is there keeps its mode.
    """
    given = io.BytesIO(data) if isinstance(data, bytes) else data
    with _told(target):
        if target.exists() and _is_stream(target):
            with target.open("wb") as stream:
                shutil.copyfileobj(given, stream)
        else:
            with replacing(target) as partial, partial.open("wb") as file:
                shutil.copyfileobj(given, file)
                file.flush()
                os.fsync(file.fileno())


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A new file beside the target, which takes its place and its mode once it is written, and is gone otherwise."""
    with _told(target):
        real = Path(os.path.realpath(target))
        if real.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=real.parent, prefix=".aune-")
        os.close(handle)
        partial = Path(name)
        try:
            yield partial
            partial.chmod(mode)
            partial.replace(real)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise


def made_once(target: Path, data: bytes) -> bytes:
    """What a file for its owner alone holds: these bytes, all or none, or those of whoever was there first."""
    with _told(target):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".aune-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(name, target)
        finally:
            Path(name).unlink()
        return target.read_bytes()


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """A folder to write files in, made with its parents where there is none; what was made goes if anything fails."""
    with _told(folder):
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield folder.absolute()
        except BaseException:
            if new:
                shutil.rmtree(new[-1], ignore_errors=True)
            raise


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """What the system refuses is told in one line."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise UsageError(f"{_shortened(target)}: cannot be written ({reason})") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _shortened(path: Path, most: int = 120) -> str:
    name = str(path)
    return name if len(name) <= most else f"{name[:most]}…"
