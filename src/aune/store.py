"""Content-addressed files: each is written completely and synced before its digest is returned, and never changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from aune.errors import InputError, Place, Problem, Remedy
from aune.files import HAS_LOCKS, add_filename, lock_file, sha256_hex, sync_folder
from aune.privacy import FILE_MODE, make_private_folder

BLOCK = 1 << 20  # bytes that are read at once
PARTIAL_PREFIX = ".partial-"
"""The prefix of the names of files that are still being written."""


class DamagedError(InputError):
    """Raised if a file of the store is missing, or does not have the content that its name requires."""


class Store:
    """A folder of files named by their SHA-256, in subfolders named by its first two characters.

    A campaign's files are named by the rest of the digest, and nobody may write to them. With `whole_names`, as in the
    workbench, they are named by all of it, and may be removed.

    >>> from tempfile import mkdtemp
    >>> store = Store(Path(mkdtemp()))
    >>> store.get(store.add(b"one"))
    b'one'
    """

    def __init__(self, folder: Path, *, whole_names: bool = False) -> None:
        self.folder, self.whole_names = folder, whole_names

    def path(self, digest: str) -> Path:
        if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise KeyError(digest)
        return self.folder / digest[:2] / (digest if self.whole_names else digest[2:])

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).is_file()

    def add(self, data: bytes) -> str:
        """Store bytes durably and return their digest."""
        with self.receive([data], len(data), "data") as incoming:
            return incoming.keep()

    def add_file(self, file: IO[bytes]) -> str:
        """Store the content of an open file durably and return its digest."""
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        with self.receive(iter(lambda: file.read(BLOCK), b""), size, "data") as incoming:
            return incoming.keep()

    @contextmanager
    def receive(self, chunks: Iterable[bytes], most: int, name: str) -> Iterator[IncomingFile]:
        """Write chunks to a temporary file, refusing more than `most` bytes; it is deleted unless it is kept."""
        make_private_folder(self.folder)
        handle, partial = self._partial()
        digest, size = hashlib.sha256(), 0
        with add_filename(self.folder), os.fdopen(handle, "wb") as file:
            try:
                for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        what, less = f"more than {most:,} bytes", Remedy("send less")
                        raise InputError([Problem("file.too-large", Place(name), what, "at most as many", (less,))])
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
                if not HAS_LOCKS:  # such a system renames no open file
                    file.close()
                yield IncomingFile(self, partial, digest.hexdigest())
            finally:
                partial.unlink(missing_ok=True)

    def _partial(self) -> tuple[int, Path]:
        """A new file that is locked while it is open, so that `remove_partials` leaves it alone."""
        while True:
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=PARTIAL_PREFIX)
            if HAS_LOCKS:
                lock_file(handle)
            if os.fstat(handle).st_nlink:  # not deleted before it was locked
                return handle, Path(name)
            os.close(handle)

    def remove_partials(self) -> int:
        """Remove the unlocked temporary files that killed processes left; returns how many."""
        removed = 0
        if not HAS_LOCKS:
            return removed
        for path in self.folder.glob(f"{PARTIAL_PREFIX}*"):
            with suppress(OSError), path.open("rb") as file:
                lock_file(file.fileno(), wait=False)
                path.unlink()
                removed += 1
        return removed

    def keep(self, partial: Path, target: Path) -> None:
        """Rename a synced file durably; an existing file is not replaced."""
        is_new = not target.parent.is_dir()
        make_private_folder(target.parent)
        if not target.exists():
            partial.chmod(FILE_MODE if self.whole_names else 0o400)
            partial.replace(target)
        sync_folder(target.parent)
        if is_new:
            sync_folder(self.folder)

    def get(self, digest: str) -> bytes:
        """The bytes of a file, checked against its digest."""
        try:
            data = self.path(digest).read_bytes()
        except FileNotFoundError:
            raise self._damage(digest, "no such file of the store", "the file that was stored") from None
        if sha256_hex(data) != digest:
            raise self._damage(digest, "a file of the store that contains something else", "what its name says")
        return data

    def _damage(self, digest: str, what: str, expected: str) -> DamagedError:
        remedy = Remedy("restore a backup")
        return DamagedError([Problem("store.damaged", Place(str(self.path(digest))), what, expected, (remedy,))])

    def remove(self, digest: str) -> None:
        """Remove a file that is no longer needed, if it is there."""
        self.path(digest).unlink(missing_ok=True)

    def digests(self) -> list[str]:
        """The digests of all files in the store."""
        names = (file for file in self.folder.glob("??/*") if not file.name.startswith("."))
        return sorted(file.name if self.whole_names else f"{file.parent.name}{file.name}" for file in names)


class IncomingFile(NamedTuple):
    """A temporary file that is not in the store yet."""

    store: Store
    partial: Path
    digest: str

    def keep(self) -> str:
        """Move it into the store; returns the digest."""
        self.store.keep(self.partial, self.store.path(self.digest))
        return self.digest


def digest_of(file: IO[bytes]) -> str:
    """The digest under which a store keeps the content of an open file."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
