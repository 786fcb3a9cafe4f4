"""Remote files, when and only when a user types an address: `http(s)://`, `s3://`, `gs://`, `hf://`.

Everything goes through fsspec, which knows many kinds of addresses; `http` is tested, the others are passed on.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import import_module
from typing import Any

from aune.core.errors import InputError, Problem, UsageError

STEP = 1 << 23  # bytes asked for at once


def digest_and_size(address: str) -> tuple[str, int]:
    """What is at an address, as one number for what it holds and one for how much."""
    system, path = _opened(address)
    try:
        size = int(system.size(path) or 0)
        digest = hashlib.sha256()
        for start in range(0, size, STEP):
            digest.update(system.cat_file(path, start=start, end=min(start + STEP, size)))
    except Exception as error:  # whatever a network or a service says
        raise InputError([_unreachable(address, error)]) from None
    return digest.hexdigest(), size


def fetched(address: str, start: int, end: int) -> bytes:
    """Some bytes of what is at an address."""
    system, path = _opened(address)
    try:
        return bytes(system.cat_file(path, start=start, end=end))
    except Exception as error:
        raise InputError([_unreachable(address, error)]) from None


@lru_cache(8)
def _opened(address: str) -> tuple[Any, str]:
    try:
        system, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        raise UsageError(
            f"{address}: a remote address needs fsspec and what it uses for such addresses ({error}): "
            "install them with pip install 'aune[remote]'"
        ) from None
    return system, path


def _unreachable(address: str, error: Exception) -> Problem:
    why = str(error).strip() or type(error).__name__
    return Problem(address, 1, 1, f"found nothing readable ({why}), expected a file: check the address")
