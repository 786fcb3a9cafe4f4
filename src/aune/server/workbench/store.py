"""Files of the workbench: rows and files are stored together or not at all; the files are in the site's `Store`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction

from aune.store import Store, digest_of

LOCK = threading.RLock()
"""Held while files are stored or deleted."""
_new: list[list[str]] = []
"""The digests of the files stored by the current holder of the lock, for each open `transaction_with_files`."""


def site_files() -> Store:
    """The files of the site, by digest."""
    return Store(Path(settings.SITE.files), whole_names=True)


@contextmanager
def transaction_with_files() -> Iterator[None]:
    """Store rows and files all together or not at all; other threads that store or delete files wait."""
    with LOCK:
        _new.append([])
        try:
            with transaction.atomic():
                yield
        except BaseException:
            for digest in _new.pop():
                delete_file(digest)
            raise
        made = _new.pop()
        if _new:
            _new[-1] += made


def delete_file(digest: str) -> None:
    """Delete a file that is no longer needed."""
    site_files().remove(digest)


def store_file(data: IO[bytes]) -> str:
    """Store a file, unless it is there, and return its digest."""
    files, digest = site_files(), digest_of(data)
    if digest not in files:
        if _new:
            _new[-1].append(digest)
        files.add_file(data)
    return digest


def read_file(digest: str) -> bytes:
    """The content of the file with a digest."""
    return site_files().get(digest)


def file_path(digest: str) -> Path:
    return site_files().path(digest)
