"""What is behind gzip, xz or Zstandard compression, and never more bytes than an honest input has.

A text is packed to a tenth of its size or so, a file of newlines to a thousandth: what unpacks to more than `RATIO`
times its size is refused before it fills the machine, unless the variable AUNE_RATIO names a larger number. A device
such as /dev/zero never ends, so that only its first bytes are looked at.

>>> import gzip
>>> decompressed(gzip.compress(b"one"), "a.gz")
b'one'
"""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import Any

from aune.core.errors import InputError, Problem, UsageError

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
RATIO = 100
FREE = 1 << 23  # bytes that anything may unpack to
MOST_OF_DEVICE = 1 << 25
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
    """All the bytes of an open file, unless it is a device that does not end."""
    limited = ending(name, stream)
    return stream.read() if limited is stream else b"".join(iter(lambda: limited.read(STEP), b""))


def ending(name: str, stream: Any) -> Any:
    """A stream as it is, unless it is a device, which may never end: then its first bytes, and a refusal of more."""
    try:
        mode, terminal = os.fstat(stream.fileno()).st_mode, stream.isatty()
    except (OSError, ValueError, AttributeError):  # not of the system
        return stream
    if terminal or not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
        return stream
    what = f"found a device that gives more than {MOST_OF_DEVICE:,} bytes, expected a file: check the path"
    return Bounded(getattr(stream, "buffer", stream), MOST_OF_DEVICE, Problem(name, 1, 1, what))


def is_packed(head: bytes) -> bool:
    return head.startswith((GZIP, XZ, ZSTANDARD))


def decompressed(data: bytes, name: str) -> bytes:
    """The bytes behind compression, recognised by their first bytes; others as they are."""
    if not is_packed(data):
        return data
    try:
        with decompressor(data, io.BytesIO(data)) as stream:
            limited = within_ratio(stream, len(data), name)
            return b"".join(iter(lambda: limited.read(STEP), b""))
    except Exception as error:
        if not is_damage(error):
            raise
        raise InputError([damaged(name, error)]) from None


def within_ratio(stream: Any, packed: int, name: str) -> Bounded:
    """What a stream unpacks to, as long as it is plausible for so many bytes."""
    ratio = _ratio()
    what = f"found {packed:,} bytes that unpack to more than {ratio:g} times as many, expected fewer"
    return Bounded(stream, max(FREE, packed * ratio), Problem(name, 1, 1, f"{what}: set AUNE_RATIO to allow more"))


def _ratio() -> float:
    given = os.environ.get("AUNE_RATIO") or str(RATIO)
    try:
        ratio = float(given)
    except ValueError:
        ratio = 0.0
    if not 1 <= ratio < float("inf"):
        raise UsageError(f"AUNE_RATIO={given}: expected a number, 1 or more: how many times its size a file unpacks to")
    return ratio


def decompressor(head: bytes, file: Any) -> Any:
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 - most inputs are not compressed

        return gzip.GzipFile(fileobj=file)
    if head.startswith(XZ):
        import lzma  # noqa: PLC0415

        return lzma.LZMAFile(file)
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd.ZstdFile(file)


def is_damage(error: Exception) -> bool:
    """Whether an error is what a decompressor says of damaged data."""
    damage = (EOFError, OSError, ValueError, RuntimeError, ArithmeticError)
    return isinstance(error, damage) or type(error).__name__ in ("LZMAError", "ZstdError", "error")


def damaged(name: str, error: Exception) -> Problem:
    return Problem(name, 1, 1, f"found damaged compressed data ({error}), expected a whole file: make it again")
