"""Remote files, only read if the user gives an address: `http(s)://`, `s3://`, `gs://`, `hf://`.

All access uses fsspec, which supports many kinds of addresses; `http` is tested, the others are passed on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

from aune.errors import InputError, Problem, UsageError

CHUNK_SIZE = 1 << 23  # bytes per request


def digest_and_size(address: str) -> tuple[str, int] | None:
    """The digest and the size of a remote file; None if its server gives no parts of it.

    A server may hide the length of a file, or refuse to return parts of it: then the file is read as a stream.
    """
    system, path = _file_system(address)
    try:
        size = system.size(path)
        if size is None or len(system.cat_file(path, start=0, end=1)) != min(size, 1):
            return None
        digest = hashlib.sha256()
        for start in range(0, size, CHUNK_SIZE):
            digest.update(system.cat_file(path, start=start, end=min(start + CHUNK_SIZE, size)))
    except Exception as error:  # any error of a network or a service
        raise InputError([_unreachable_problem(address, error)]) from None
    return digest.hexdigest(), size


@contextmanager
def open_stream(address: str) -> Iterator[Any]:
    """A remote file as a stream that is read once from its beginning."""
    system, path = _file_system(address)
    try:
        with system.open(path, "rb", block_size=0) as stream:
            yield stream
    except InputError:
        raise
    except Exception as error:
        raise InputError([_unreachable_problem(address, error)]) from None


def fetch_range(address: str, start: int, end: int) -> bytes:
    """A range of bytes of a remote file."""
    system, path = _file_system(address)
    try:
        return bytes(system.cat_file(path, start=start, end=end))
    except Exception as error:
        raise InputError([_unreachable_problem(address, error)]) from None


@lru_cache(8)
def _file_system(address: str) -> tuple[Any, str]:
    try:
        system, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        raise UsageError(
            f"{address}: a remote address needs fsspec and what it uses for such addresses ({error}): install them "
            "(pip install 'aune[remote]' does for http and https)"
        ) from None
    return system, path


def _unreachable_problem(address: str, error: BaseException) -> Problem:
    while str(error).strip() in ("", address) and error.__cause__ is not None:  # the error only contains the address
        error = error.__cause__
    why = "there is no such file" if str(error).strip() == address else str(error).strip() or type(error).__name__
    actual, remedies = f"nothing readable ({why})", ["check the address"]
    return Problem.in_file("file.unreachable", address, found=actual, expected="a file", remedies=remedies)
