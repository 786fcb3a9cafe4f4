"""Decompress gzip, xz and Zstandard, within bounds that honest inputs respect.

Text is compressed to about a tenth of its size, a file of newlines to a thousandth. An input that decompresses to more
than `DEFAULT_RATIO` times its size is refused before it fills the machine; AUNE_RATIO allows another ratio. A device
such as /dev/zero never ends, so only its first bytes are read. A pipe may not end either: it may give a limited
number of bytes, which the variable AUNE_PIPE changes.

>>> import gzip
>>> decompress(gzip.compress(b"one"), "a.gz")
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

from aune.errors import InputError, Problem, UsageError

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
DEFAULT_RATIO = 100
ALWAYS_ALLOWED = 1 << 23  # bytes that any input may decompress to
MOST_OF_DEVICE = 1 << 25
PIPE_ON_DISK, PIPE_IN_MEMORY = 10_000_000_000, 1_000_000_000  # bytes of a pipe that are kept
MOST_FOR_XZ = 1 << 28  # bytes of memory: `xz -9` needs a quarter of it
READ_SIZE = 1 << 20  # bytes read at once
COMPRESSION_SUFFIXES = (".gz", ".xz", ".zst")


class BoundedStream:
    """A stream that refuses to give more than so many bytes."""

    def __init__(self, stream: Any, most: float, refusal: Problem) -> None:
        self._stream, self._left, self._refusal = stream, most, refusal

    def read(self, size: int) -> bytes:
        data: bytes = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise InputError([self._refusal])
        return data


def read_bounded(name: str, stream: Any) -> bytes:
    """All bytes of an open file, within bounds if it is a device or a pipe."""
    limited = bound_stream(name, stream, PIPE_IN_MEMORY)
    return stream.read() if limited is stream else b"".join(iter(lambda: limited.read(READ_SIZE), b""))


def bound_stream(name: str, stream: Any, most: int = PIPE_ON_DISK) -> Any:
    """A stream that cannot give too much: of a device only the first bytes, of a pipe up to its limit."""
    try:
        mode, terminal = os.fstat(stream.fileno()).st_mode, stream.isatty()
    except (OSError, ValueError, AttributeError):  # the object is no file of the system
        return stream
    data = getattr(stream, "buffer", stream)
    if not terminal and (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
        excess = f"a device that gives more than {MOST_OF_DEVICE:,} bytes"
        refusal = Problem.in_file("file.device", name, found=excess, expected="a file", remedies=["check the path"])
        return BoundedStream(data, MOST_OF_DEVICE, refusal)
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        limit = _environment_number("AUNE_PIPE", most, "how many bytes of a pipe are read")
        excess, remedies = f"a pipe that gives more than {limit:,.0f} bytes", ["set AUNE_PIPE to allow more"]
        refusal = Problem.in_file("file.too-large", name, found=excess, expected="fewer", remedies=remedies)
        return BoundedStream(data, limit, refusal)
    return stream


def is_compressed(head: bytes) -> bool:
    return head.startswith((GZIP, XZ, ZSTANDARD))


def decompress(data: bytes, name: str) -> bytes:
    """The decompressed bytes, recognised by their first bytes; other bytes are returned unchanged."""
    if not is_compressed(data):
        return data
    try:
        with open_decompressor(data, io.BytesIO(data)) as stream:
            limited = bound_ratio(stream, len(data), name)
            return refuse_double_packing(b"".join(iter(lambda: limited.read(READ_SIZE), b"")), name)
    except Exception as error:
        if not is_damage(error):
            raise
        raise InputError([damage_problem(name, error)]) from None


def refuse_double_packing(data: bytes, name: str) -> bytes:
    """The decompressed bytes, or their beginning; what is compressed twice is refused, since its ratios multiply."""
    if is_compressed(data):
        nested, once = "a packed file in a packed file", "it packed once"
        raise InputError(
            [Problem.in_file("file.packed-twice", name, found=nested, expected=once, remedies=["unpack it"])]
        )
    return data


def compress_like(original: bytes, data: bytes) -> bytes:
    """Compress `data` as `original` is compressed; return it unchanged where `original` is not.

    >>> import lzma
    >>> decompress(compress_like(lzma.compress(b"one"), b"two"), "a.xz")
    b'two'
    """
    if original.startswith(GZIP):
        import gzip  # noqa: PLC0415 - most inputs are not compressed

        return gzip.compress(data, mtime=0)
    if original.startswith(XZ):
        import lzma  # noqa: PLC0415

        return lzma.compress(data)
    return _zstandard().compress(data) if is_compressed(original) else data


@contextmanager
def open_archive(path: Path) -> Iterator[Any]:
    """Read a tar archive, compressed or not, from the first file to the last, within the bounds of its size."""
    import tarfile  # noqa: PLC0415 - few inputs are archives

    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            remedies = ["check the path"]
            device = "a device or a pipe"
            raise InputError(
                [Problem.in_file("file.device", str(path), found=device, expected="a file", remedies=remedies)]
            )
        head = file.read(len(XZ))
        file.seek(0)
        stream = _DamageReporter(open_decompressor(head, file), str(path)) if is_compressed(head) else file
        limited: Any = bound_ratio(stream, status.st_size, str(path))
        try:
            with tarfile.open(fileobj=limited, mode="r|") as tar:
                yield tar
        except tarfile.TarError as error:
            actual, whole = f"no archive, or half of one ({error})", "a whole one"
            raise InputError(
                [
                    Problem.in_file(
                        "archive.damaged", str(path), found=actual, expected=whole, remedies=["make it again"]
                    )
                ]
            ) from None


def archive_files(members: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """The files of a backup, each with a stream of its bytes; anything but a file inside the archive is refused."""
    for member in members:
        if member.isdir():
            continue
        if not member.isreg() or leads_outside(member.name):
            actual, remedies = "a link, a device or a path that leads out", ["the backup is damaged"]
            path = f"{name}!{member.name}"
            raise InputError(
                [Problem.in_file("archive.unsafe", path, found=actual, expected="plain files", remedies=remedies)]
            )
        yield member, members.extractfile(member)


def leads_outside(path: str) -> bool:
    r"""Whether a path of an archive would lead outside it, on any operating system.

    >>> leads_outside("a/b.txt"), leads_outside("../a"), leads_outside("/a"), leads_outside("c:a")
    (False, True, True, True)
    """
    parts = PurePosixPath(path).parts
    strange = any(ord(sign) < 32 for sign in path) or "\\" in path or ":" in path[:3]
    return strange or path.startswith("/") or ".." in parts or not parts


class _DamageReporter:
    """A stream that reports damage as a problem of its file."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._name = stream, name

    def read(self, size: int) -> bytes:
        try:
            data: bytes = self._stream.read(size)
        except Exception as error:
            if not is_damage(error):
                raise
            raise InputError([damage_problem(self._name, error)]) from None
        return data


def bound_ratio(stream: Any, packed: int, name: str) -> BoundedStream:
    """The decompressed stream, while its size is plausible for so many compressed bytes."""
    return BoundedStream(stream, _most_unpacked(packed), _implausible_problem(packed, name))


def check_ratio(packed: int, unpacked: int, name: str) -> None:
    """Refuse a file that declares a size that is not plausible for its bytes."""
    if unpacked > _most_unpacked(packed):
        raise InputError([_implausible_problem(packed, name)])


def _most_unpacked(packed: int) -> float:
    return max(ALWAYS_ALLOWED, packed * _allowed_ratio())


def _implausible_problem(packed: int, name: str) -> Problem:
    excess = f"{packed:,} bytes that unpack to more than {_allowed_ratio():g} times as many"
    remedies = ["set AUNE_RATIO to allow more"]
    return Problem.in_file("file.too-large", name, found=excess, expected="fewer", remedies=remedies)


def _allowed_ratio() -> float:
    return _environment_number("AUNE_RATIO", DEFAULT_RATIO, "how many times its size a file unpacks to")


def _environment_number(variable: str, usual: float, meaning: str) -> float:
    """The number in an environment variable, or the default."""
    text = os.environ.get(variable) or str(usual)
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number < float("inf"):
        raise UsageError(f"{variable}={text}: expected a number, 1 or more: {meaning}")
    return number


class _XzStream:
    """An xz decompressor with a limit on the dictionary that a file requests, which `LZMAFile` lacks."""

    def __init__(self, file: Any) -> None:
        self._file, self._packed, self._state = file, b"", self._new_decompressor()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass  # the caller opened the file and closes it

    def read(self, size: int) -> bytes:
        while True:
            if self._state.eof:  # the end of one stream: another may follow, or zeros
                more = self._state.unused_data or self._file.read(READ_SIZE)
                while more and not more.strip(b"\0"):
                    more = self._file.read(READ_SIZE)
                if not more:
                    return b""
                self._packed, self._state = more.lstrip(b"\0"), self._new_decompressor()
            if self._state.needs_input and not self._packed:
                self._packed = self._file.read(READ_SIZE)
                if not self._packed:
                    raise EOFError("it ends too early")
            data: bytes = self._state.decompress(self._packed, size)
            self._packed = b""
            if data:
                return data

    def _new_decompressor(self) -> Any:
        import lzma  # noqa: PLC0415 - most inputs are not compressed

        return lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_FOR_XZ)


def open_decompressor(head: bytes, file: Any) -> Any:
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 - most inputs are not compressed

        return gzip.GzipFile(fileobj=file)
    if head.startswith(XZ):
        return _XzStream(file)
    return _zstandard().ZstdFile(file)


def _zstandard() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd


def is_damage(error: Exception) -> bool:
    """Whether an error is how a decompressor reports damaged data."""
    damage = (EOFError, OSError, ValueError, RuntimeError, ArithmeticError)
    return isinstance(error, damage) or type(error).__name__ in ("LZMAError", "ZstdError", "error")


def damage_problem(name: str, error: Exception) -> Problem:
    damage = f"damaged compressed data ({error})"
    return Problem.in_file("file.damaged", name, found=damage, expected="a whole file", remedies=["make it again"])


def uncompressed_name(name: str) -> str:
    """A file's name without the suffix of its compression.

    >>> uncompressed_name("data/gold.conll.gz"), uncompressed_name("GOLD.CONLL.GZ")
    ('data/gold.conll', 'GOLD.CONLL')
    """
    for ending in COMPRESSION_SUFFIXES:
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name
