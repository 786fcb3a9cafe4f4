"""The ledger: what happened, one line each, never changed, each line bound to all those before it.

An entry is public: its position, its time, its kind, and digests of the entry before it and of its details. The details
themselves stay here, with a salt of their own, so that any of them can be shown later, and none can be guessed or
exchanged. The hash of the last entry, the head, vouches for everything.

    {"details":"…","kind":"submission","position":7,"previous":"…","time":"…"}     hash = SHA-256 of this text

A line is synced before anybody is told of it. A process that dies while it writes leaves a torn last line; nobody was
told of it, and the next one that writes removes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.ledger.ledger_schema import SCHEMAS, check_details
from aune.campaign.protocol.deadlines import format_timestamp, now
from aune.errors import InputError, Place, Problem, Remedy, UsageError
from aune.files import add_filename
from aune.privacy import make_private_folder, open_private

LEDGER_FILE = "ledger.jsonl"
START = "0" * 64
"""What the first entry follows."""
NO_SUCCESSOR = "a line that does not follow the one before it"


def canonical_json(data: Any) -> bytes:
    """Plain data as the one text that stands for it.

    >>> canonical_json({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        excerpt = text[max(error.start - 20, 0) : error.end + 20]
        raise UsageError(f"{excerpt!r}: holds half a character, expected whole ones: type it again") from None


def commitment_hash(salt: str, details: Mapping[str, Any]) -> str:
    """What an entry says of its details."""
    return hashlib.sha256(bytes.fromhex(salt) + canonical_json(details)).hexdigest()


class Entry(NamedTuple):
    """A line of the ledger."""

    position: int
    time: str
    kind: str
    previous: str
    commitment: str
    details: Mapping[str, Any] | None
    """None where they are not shown."""
    salt: str = ""

    @property
    def public(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "time": self.time,
            "kind": self.kind,
            "previous": self.previous,
            "details": self.commitment,
        }

    @property
    def hash(self) -> str:
        return hashlib.sha256(canonical_json(self.public)).hexdigest()

    @property
    def line(self) -> bytes:
        disclosed = {} if self.details is None else {"details": self.details, "salt": self.salt}
        return canonical_json({"entry": self.public, **disclosed}) + b"\n"

    def without_details(self) -> Entry:
        """The entry without its details."""
        return self._replace(details=None, salt="")


class BrokenLedgerError(InputError):
    """A ledger that somebody changed, or that aune did not write."""

    @classmethod
    def at(cls, path: str, line: int, reason: str) -> BrokenLedgerError:
        remedy = Remedy("restore it from a backup")
        return cls([Problem("ledger.broken", Place(path, line), reason, "the ledger as aune wrote it", (remedy,))])


def parse_entry(line: bytes) -> Entry:
    """The entry in a line; a ValueError where there is none."""
    try:
        data = json.loads(line)
        public = data["entry"]
        entry = Entry(
            public["position"], public["time"], public["kind"], public["previous"], public["details"],
            data.get("details"), data.get("salt", ""),
        )  # fmt: skip
        if entry.line != line.rstrip(b"\n") + b"\n":
            raise ValueError("not written as it should be")
        if entry.details is not None and commitment_hash(entry.salt, entry.details) != entry.commitment:
            raise ValueError("details that are not those it was made with")
    except (KeyError, TypeError, UnicodeDecodeError, RecursionError, UsageError) as error:
        raise ValueError(f"no entry ({error})") from None
    return entry


def read_chain(lines: Iterator[bytes], name: str = LEDGER_FILE) -> Iterator[Entry]:
    """The entries in the lines of a file, each checked against the one before it."""
    position, previous = 0, START
    for line in lines:
        try:
            entry = parse_entry(line)
        except ValueError as error:
            raise BrokenLedgerError.at(name, position + 1, str(error)) from None
        if (entry.position, entry.previous) != (position, previous):
            raise BrokenLedgerError.at(name, position + 1, NO_SUCCESSOR)
        yield entry
        position, previous = position + 1, entry.hash


class Ledger:
    """A ledger in a file, which several processes may write to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: list[Entry] = []
        self._read = 0
        """How many bytes of the file are in `_entries`."""

    def entries(self) -> list[Entry]:
        """All entries so far; a torn last line, which nobody was told of, is none."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return self._entries
        if not stat.S_ISREG(status.st_mode):
            raise BrokenLedgerError.at(str(self.path), 1, "a folder or a device")
        if status.st_size == self._read:  # asked dozens of times for one page
            return self._entries
        with self.path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        complete = new[: new.rfind(b"\n") + 1]
        for line in complete.splitlines(keepends=True):
            self._add(line)
        return self._entries

    def _add(self, line: bytes) -> None:
        try:
            entry = parse_entry(line)
        except ValueError as error:
            raise BrokenLedgerError.at(str(self.path), len(self._entries) + 1, str(error)) from None
        if (entry.position, entry.previous) != (len(self._entries), self.head):
            raise BrokenLedgerError.at(str(self.path), len(self._entries) + 1, NO_SUCCESSOR)
        self._entries.append(entry)
        self._read += len(line)

    @property
    def head(self) -> str:
        """The hash of the last entry that was read."""
        return self._entries[-1].hash if self._entries else START

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Lock the ledger for this process, and give a `Writer` that appends entries."""
        make_private_folder(self.path.parent)
        with open(self.path.with_suffix(".lock"), "ab", opener=open_private) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.entries()
            self.mend()
            yield Writer(self)

    def mend(self) -> None:
        """Remove a torn last line."""
        if self.path.exists() and self.path.stat().st_size > self._read:
            with self.path.open("r+b") as file:
                file.truncate(self._read)
                os.fsync(file.fileno())


class Writer:
    """The right to append, held by one process at a time."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def entries(self) -> list[Entry]:
        return self.ledger.entries()

    def append(self, kind: str, details: Mapping[str, Any]) -> Entry:
        """A new entry, on the disk when this returns; what could not be read again is not written."""
        if kind in SCHEMAS:
            check_details(kind, details)
        before = self.ledger.entries()
        salt = secrets.token_hex(16)
        time = max(
            format_timestamp(now()), before[-1].time if before else ""
        )  # a clock that was set back changes no order
        entry = Entry(len(before), time, kind, self.ledger.head, commitment_hash(salt, details), dict(details), salt)
        try:
            with add_filename(self.ledger.path), open(self.ledger.path, "ab", opener=open_private) as file:
                file.write(entry.line)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:  # we live, and can mend it ourselves
            with suppress(OSError):
                self.ledger.mend()
            raise
        return self.ledger.entries()[-1]
