"""The file store: files by digest, written atomically and synced before they are used, never changed or duplicated."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction

from aune.files import sync_folder, write_atomically

LOCK = threading.RLock()
"""Held while files are stored or deleted."""
_new: list[list[Path]] = []
"""The files stored by the current holder of the lock, for each open `transaction_with_files`."""


@contextmanager
def transaction_with_files() -> Iterator[None]:
    """Store rows and files all together or not at all; other threads that store or delete files wait."""
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
    """Delete a file that is no longer needed."""
    file_path(digest).unlink(missing_ok=True)


def store_file(data: IO[bytes]) -> str:
    """Store a file and return its digest."""
    data.seek(0)
    digest = hashlib.file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]
    data.seek(0)
    path = file_path(digest)
    if not path.exists():
        if _new:
            _new[-1].append(path)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, data, private=True)
        for folder in (path.parent, path.parent.parent):  # so that the name of the file is durable too
            sync_folder(folder)
    return digest


def read_file(digest: str) -> bytes:
    """The content of the file with a digest."""
    return file_path(digest).read_bytes()


def file_path(digest: str) -> Path:
    return Path(settings.SITE.files, digest[:2], digest)
