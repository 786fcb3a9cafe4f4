"""Files by what they hold: written whole and synced before anybody is told, never changed, never written twice."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction

from aune.files import write_atomically

LOCK = threading.RLock()
"""Held while files are kept or dropped."""
_new: list[list[Path]] = []
"""What was kept by whoever holds the lock, in each `transaction_with_files` that has not ended."""


@contextmanager
def transaction_with_files() -> Iterator[None]:
    """Rows and files that are all kept, or none of them; whoever else keeps or drops files waits."""
    with LOCK:
        _new.append([])
        try:
            with transaction.atomic():
                yield
        except BaseException:
            for path in _new.pop():
                path.unlink(missing_ok=True)
            raise
        made = _new.pop()
        if _new:
            _new[-1] += made


def delete_file(digest: str) -> None:
    """Bytes that nobody needs any more are gone."""
    file_path(digest).unlink(missing_ok=True)


def store_file(data: IO[bytes]) -> str:
    """The digest of the bytes of a file that are in the store from now on."""
    data.seek(0)
    digest = hashlib.file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]
    data.seek(0)
    path = file_path(digest)
    if not path.exists():
        if _new:
            _new[-1].append(path)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, data, private=True)
        for folder in (path.parent, path.parent.parent):  # the names are durable too
            handle = os.open(folder, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
    return digest


def read_file(digest: str) -> bytes:
    """The bytes of a digest."""
    return file_path(digest).read_bytes()


def file_path(digest: str) -> Path:
    return Path(settings.SITE.files, digest[:2], digest)
