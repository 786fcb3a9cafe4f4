"""Files by what they hold: written whole and synced before anybody is told, never changed, never written twice."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from aune.core.files import digest_of, write_whole


def kept(data: bytes) -> str:
    """The digest of bytes that are in the store from now on."""
    digest = digest_of(data)
    path = place(digest)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, data)
        for folder in (path.parent, path.parent.parent):  # the names are durable too
            handle = os.open(folder, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
    return digest


def data_of(digest: str) -> bytes:
    """The bytes of a digest."""
    return place(digest).read_bytes()


def place(digest: str) -> Path:
    return Path(settings.SITE.files, digest[:2], digest)
