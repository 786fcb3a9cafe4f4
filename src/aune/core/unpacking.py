"""What is behind gzip, xz or Zstandard compression, and never more bytes than an honest input has.

A text is packed to a tenth of its size or so, a file of newlines to a thousandth: what unpacks to more than `RATIO`
times its size is refused before it fills the machine, unless the variable AUNE_RATIO names a larger number. A device
such as /dev/zero never ends, so that only its first bytes are looked at; a pipe may not end either, and gives so many
bytes at most, or as many as the variable AUNE_PIPE names.

>>> import gzip
>>> decompressed(gzip.compress(b"one"), "a.gz")
b'one'
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from aune.core.errors import InputError, Problem, UsageError

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
RATIO = 100
FREE = 1 << 23  # bytes that anything may unpack to
MOST_OF_DEVICE = 1 << 25
PIPE_ON_DISK, PIPE_IN_MEMORY = 10_000_000_000, 1_000_000_000  # bytes of a pipe that are kept
MOST_FOR_XZ = 1 << 28  # bytes of memory: `xz -9` needs a quarter of it
STEP = 1 << 20  # bytes read at once


class Bounded:
    """A stream that refuses to give more than so many bytes."""

    def __init__(self, stream: Any, most: float, refusal: Problem) -> None:
        self._stream, self._left, self._refusal = stream, most, refusal

    def read(self, size: int) -> bytes:
        data: bytes = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise InputError([self._refusal])
        return data


def whole(name: str, stream: Any) -> bytes:
    """All the bytes of an open file, unless it is a device or a pipe that does not end."""
    limited = ending(name, stream, PIPE_IN_MEMORY)
    return stream.read() if limited is stream else b"".join(iter(lambda: limited.read(STEP), b""))


def ending(name: str, stream: Any, most: int = PIPE_ON_DISK) -> Any:
    """A stream as it is; of one that may never end, a device or a pipe, its first bytes, and a refusal of more."""
    try:
        mode, terminal = os.fstat(stream.fileno()).st_mode, stream.isatty()
    except (OSError, ValueError, AttributeError):  # not of the system
        return stream
    data = getattr(stream, "buffer", stream)
    if not terminal and (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
        what = f"found a device that gives more than {MOST_OF_DEVICE:,} bytes, expected a file: check the path"
        return Bounded(data, MOST_OF_DEVICE, Problem(name, 1, 1, what))
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        limit = _named("AUNE_PIPE", most, "how many bytes of a pipe are read")
        what = f"found a pipe that gives more than {limit:,.0f} bytes, expected fewer: set AUNE_PIPE to allow more"
        return Bounded(data, limit, Problem(name, 1, 1, what))
    return stream


def is_packed(head: bytes) -> bool:
    return head.startswith((GZIP, XZ, ZSTANDARD))


def decompressed(data: bytes, name: str) -> bytes:
    """The bytes behind compression, recognised by their first bytes; others as they are."""
    if not is_packed(data):
        return data
    try:
        with decompressor(data, io.BytesIO(data)) as stream:
            limited = within_ratio(stream, len(data), name)
            return unpacked_once(b"".join(iter(lambda: limited.read(STEP), b"")), name)
    except Exception as error:
        if not is_damage(error):
            raise
        raise InputError([damaged(name, error)]) from None


def unpacked_once(data: bytes, name: str) -> bytes:
    """What was unpacked, or its beginning; what is packed again is refused: two ratios would be one, squared."""
    if is_packed(data):
        what = "found a packed file in a packed file, expected it packed once: unpack it"
        raise InputError([Problem(name, 1, 1, what)])
    return data


def packed_like(original: bytes, data: bytes) -> bytes:
    """Bytes behind the compression that a file has; as they are when it has none.

    >>> import lzma
    >>> decompressed(packed_like(lzma.compress(b"one"), b"two"), "a.xz")
    b'two'
    """
    if original.startswith(GZIP):
        import gzip  # noqa: PLC0415 - most inputs are not compressed

        return gzip.compress(data, mtime=0)
    if original.startswith(XZ):
        import lzma  # noqa: PLC0415

        return lzma.compress(data)
    return _zstandard().compress(data) if is_packed(original) else data


@contextmanager
def archive(path: Path) -> Iterator[Any]:
    """A tar archive, packed or not, read from its first file to its last; no more than is plausible for its bytes."""
    import tarfile  # noqa: PLC0415 - few inputs are archives

    with path.open("rb") as file:
        mode = os.fstat(file.fileno())
        if not stat.S_ISREG(mode.st_mode):
            raise InputError([Problem(str(path), 1, 1, "found a device or a pipe, expected a file: check the path")])
        head = file.read(len(XZ))
        file.seek(0)
        stream = _Told(decompressor(head, file), str(path)) if is_packed(head) else file
        limited: Any = within_ratio(stream, mode.st_size, str(path))
        try:
            with tarfile.open(fileobj=limited, mode="r|") as found:
                yield found
        except tarfile.TarError as error:
            what = f"found no archive, or half of one ({error}), expected a whole one: make it again"
            raise InputError([Problem(str(path), 1, 1, what)]) from None


def plain_files(found: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """The files of a backup, each with a stream of its bytes; anything but a file inside it is refused."""
    for member in found:
        if member.isdir():
            continue
        if not member.isreg() or leads_out(member.name):
            what = "found a link, a device or a path that leads out, expected plain files: the backup is damaged"
            raise InputError([Problem(f"{name}!{member.name}", 1, 1, what)])
        yield member, found.extractfile(member)


def leads_out(path: str) -> bool:
    r"""Whether a path of an archive is none inside it, on whatever system.

    >>> leads_out("a/b.txt"), leads_out("../a"), leads_out("/a"), leads_out("c:a"), leads_out("a\\b")
    (False, True, True, True, True)
    """
    parts = PurePosixPath(path).parts
    strange = any(ord(sign) < 32 for sign in path) or "\\" in path or ":" in path[:3]
    return strange or path.startswith("/") or ".." in parts or not parts


class _Told:
    """A stream whose damage is told as a problem of its file."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._name = stream, name

    def read(self, size: int) -> bytes:
        try:
            data: bytes = self._stream.read(size)
        except Exception as error:
            if not is_damage(error):
                raise
            raise InputError([damaged(self._name, error)]) from None
        return data


def within_ratio(stream: Any, packed: int, name: str) -> Bounded:
    """What a stream unpacks to, as long as it is plausible for so many bytes."""
    return Bounded(stream, _most(packed), _implausible(packed, name))


def check_ratio(packed: int, unpacked: int, name: str) -> None:
    """Refuse a file that says it unpacks to more than is plausible for its bytes."""
    if unpacked > _most(packed):
        raise InputError([_implausible(packed, name)])


def _most(packed: int) -> float:
    return max(FREE, packed * _ratio())


def _implausible(packed: int, name: str) -> Problem:
    what = f"found {packed:,} bytes that unpack to more than {_ratio():g} times as many, expected fewer"
    return Problem(name, 1, 1, f"{what}: set AUNE_RATIO to allow more")


def _ratio() -> float:
    return _named("AUNE_RATIO", RATIO, "how many times its size a file unpacks to")


def _named(variable: str, usual: float, meaning: str) -> float:
    """The number that a variable of the environment holds, or the usual one."""
    given = os.environ.get(variable) or str(usual)
    try:
        number = float(given)
    except ValueError:
        number = 0.0
    if not 1 <= number < float("inf"):
        raise UsageError(f"{variable}={given}: expected a number, 1 or more: {meaning}")
    return number


class _Xz:
    """What is behind xz compression, with a limit for the dictionary that a file asks for: `LZMAFile` has none."""

    def __init__(self, file: Any) -> None:
        self._file, self._packed, self._state = file, b"", self._fresh()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass  # whoever opened the file closes it

    def read(self, size: int) -> bytes:
        while True:
            if self._state.eof:  # of one stream: another may follow, and nothing else but zeros
                more = self._state.unused_data or self._file.read(STEP)
                while more and not more.strip(b"\0"):
                    more = self._file.read(STEP)
                if not more:
                    return b""
                self._packed, self._state = more.lstrip(b"\0"), self._fresh()
            if self._state.needs_input and not self._packed:
                self._packed = self._file.read(STEP)
                if not self._packed:
                    raise EOFError("it ends too early")
            data: bytes = self._state.decompress(self._packed, size)
            self._packed = b""
            if data:
                return data

    def _fresh(self) -> Any:
        import lzma  # noqa: PLC0415 - most inputs are not compressed

        return lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_FOR_XZ)


def decompressor(head: bytes, file: Any) -> Any:
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 - most inputs are not compressed

        return gzip.GzipFile(fileobj=file)
    if head.startswith(XZ):
        return _Xz(file)
    return _zstandard().ZstdFile(file)


def _zstandard() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd


def is_damage(error: Exception) -> bool:
    """Whether an error is what a decompressor says of damaged data."""
    damage = (EOFError, OSError, ValueError, RuntimeError, ArithmeticError)
    return isinstance(error, damage) or type(error).__name__ in ("LZMAError", "ZstdError", "error")


def damaged(name: str, error: Exception) -> Problem:
    return Problem(name, 1, 1, f"found damaged compressed data ({error}), expected a whole file: make it again")
