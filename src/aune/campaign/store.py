"""Files by what they hold: each is written whole and synced before its digest is given away, and never changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from aune.core.errors import InputError, Problem


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class DamagedError(InputError):
    """A file of the store that is not what its name says."""


class Store:
    """A folder of files named by their SHA-256.

    >>> from tempfile import mkdtemp
    >>> store = Store(Path(mkdtemp()))
    >>> store.get(store.put(b"one"))
    b'one'
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise KeyError(digest)
        return self.folder / digest[:2] / digest[2:]

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).is_file()

    def put(self, data: bytes) -> str:
        """The digest of bytes that are now on the disk."""
        return self.put_stream([data], len(data), "data")

    def put_stream(self, chunks: Iterable[bytes], most: int, name: str) -> str:
        """The same for bytes that come one after the other, refused as soon as they are too many."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=self.folder, prefix=".partial-")
        digest, size = hashlib.sha256(), 0
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        what = f"found more than {most:,} bytes, expected at most as many: send less"
                        raise InputError([Problem(name, 1, 1, what)])
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            self._keep(Path(partial), self.path(digest.hexdigest()))
        finally:
            with suppress(FileNotFoundError):
                Path(partial).unlink()
        return digest.hexdigest()

    def _keep(self, partial: Path, target: Path) -> None:
        """Give a synced file its name, durably; one that is there already stays."""
        made = not target.parent.is_dir()
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            partial.chmod(0o444)
            partial.replace(target)
        synced(target.parent)
        if made:
            synced(self.folder)

    def get(self, digest: str) -> bytes:
        """The bytes, which are checked."""
        data = self.path(digest).read_bytes()
        if digest_of(data) != digest:
            what = "found a file of the store that holds something else, expected what its name says: restore a backup"
            raise DamagedError([Problem(str(self.path(digest)), 1, 1, what)])
        return data

    def digests(self) -> list[str]:
        """Everything in the store."""
        return sorted(
            f"{file.parent.name}{file.name}" for file in self.folder.glob("??/*") if not file.name.startswith(".")
        )


def synced(folder: Path) -> None:
    """Names in a folder reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
