"""Files by what they hold: each is written whole and synced before its digest is given away, and never changed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from aune.core.errors import InputError, Problem
from aune.core.files import digest_of, naming

PARTIAL = ".partial-"
"""What the name of a file begins with that is still being written."""


class DamagedError(InputError):
    """A file of the store that is not there, or not what its name says."""


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
        with self.arriving([data], len(data), "data") as arrived:
            return arrived.keep()

    @contextmanager
    def arriving(self, chunks: Iterable[bytes], most: int, name: str) -> Iterator[Arrived]:
        """Bytes that come one after the other, refused as soon as they are too many; if not kept, they are gone."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, partial = self._partial()
        digest, size = hashlib.sha256(), 0
        with naming(self.folder), os.fdopen(handle, "wb") as file:
            try:
                for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        what = f"found more than {most:,} bytes, expected at most as many: send less"
                        raise InputError([Problem(name, 1, 1, what)])
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
                yield Arrived(self, partial, digest.hexdigest())
            finally:
                partial.unlink(missing_ok=True)

    def _partial(self) -> tuple[int, Path]:
        """A new file that is locked as long as it is open: `swept` leaves it alone."""
        while True:
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=PARTIAL)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink:  # not swept before it was locked
                return handle, Path(name)
            os.close(handle)

    def swept(self) -> int:
        """How many files were removed that a process left when it was killed: those that nobody has locked."""
        gone = 0
        for path in self.folder.glob(f"{PARTIAL}*"):
            with suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
                gone += 1
        return gone

    def keep(self, partial: Path, target: Path) -> None:
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
        try:
            data = self.path(digest).read_bytes()
        except FileNotFoundError:
            what = "found no such file of the store, expected what the ledger names: restore a backup"
            raise DamagedError([Problem(str(self.path(digest)), 1, 1, what)]) from None
        if digest_of(data) != digest:
            what = "found a file of the store that holds something else, expected what its name says: restore a backup"
            raise DamagedError([Problem(str(self.path(digest)), 1, 1, what)])
        return data

    def digests(self) -> list[str]:
        """Everything in the store."""
        return sorted(
            f"{file.parent.name}{file.name}" for file in self.folder.glob("??/*") if not file.name.startswith(".")
        )


class Arrived(NamedTuple):
    """Bytes on the disk that are no file of the store yet."""

    store: Store
    partial: Path
    digest: str

    def keep(self) -> str:
        """Make them one; the digest."""
        self.store.keep(self.partial, self.store.path(self.digest))
        return self.digest


def synced(folder: Path) -> None:
    """Names in a folder reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
