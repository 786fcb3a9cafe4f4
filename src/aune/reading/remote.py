"""Remote files, when and only when a user types an address: `http(s)://`, `s3://`, `gs://`, `hf://`.

Everything goes through fsspec, which knows many kinds of addresses; `http` is tested, the others are passed on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

from aune.errors import InputError, Problem, UsageError

CHUNK_SIZE = 1 << 23  # bytes asked for at once


def digest_and_size(address: str) -> tuple[str, int] | None:
    """What is at an address, as one number for what it holds and one for how much; None where it has no parts.

    Servers need not say how long something is, nor give less than all of it: then it is read as a stream.
    """
    system, path = _file_system(address)
    try:
        size = system.size(path)
        if size is None or len(system.cat_file(path, start=0, end=1)) != min(size, 1):
            return None
        digest = hashlib.sha256()
        for start in range(0, size, CHUNK_SIZE):
            digest.update(system.cat_file(path, start=start, end=min(start + CHUNK_SIZE, size)))
    except Exception as error:  # whatever a network or a service says
        raise InputError([_unreachable_problem(address, error)]) from None
    return digest.hexdigest(), size


@contextmanager
def open_stream(address: str) -> Iterator[Any]:
    """What is at an address, as a file that is read once from its beginning."""
    system, path = _file_system(address)
    try:
        with system.open(path, "rb", block_size=0) as stream:
            yield stream
    except InputError:
        raise
    except Exception as error:
        raise InputError([_unreachable_problem(address, error)]) from None


def fetch_range(address: str, start: int, end: int) -> bytes:
    """Some bytes of what is at an address."""
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
    while str(error).strip() in ("", address) and error.__cause__ is not None:  # what only names the address
        error = error.__cause__
    why = "there is no such file" if str(error).strip() == address else str(error).strip() or type(error).__name__
    actual, remedies = f"nothing readable ({why})", ["check the address"]
    return Problem.in_file("file.unreachable", address, found=actual, expected="a file", remedies=remedies)
