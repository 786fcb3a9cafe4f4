"""The ledger: one line per event, never changed, each line linked by its hash to all earlier ones.

An entry is public: its position, its time, its kind, and digests of the previous entry and of its details. The details
themselves are private, each with its own salt, so that any of them can be disclosed later, and none can be guessed or
replaced. The hash of the last entry, the head, authenticates the whole ledger.

    {"details":"…","kind":"submission","position":7,"previous":"…","time":"…"}     hash = SHA-256 of this text

A line is synced to disk before anyone gets a result that depends on it. A process that dies while it writes leaves a
torn last line, on which nothing depends; the next writer removes it.
"""

from __future__ import annotations

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
from aune.files import add_filename, lock_file
from aune.privacy import make_private_folder, open_private

LEDGER_FILE = "ledger.jsonl"
START = "0" * 64
"""The `previous` hash of the first entry."""
NO_SUCCESSOR = "a line that does not follow the one before it"


def canonical_json(data: Any) -> bytes:
    """Plain data as JSON in canonical form: equal data give equal bytes.

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
    """The salted hash of an entry's details."""
    return hashlib.sha256(bytes.fromhex(salt) + canonical_json(details)).hexdigest()


class Entry(NamedTuple):
    """A line of the ledger."""

    position: int
    time: str
    kind: str
    previous: str
    commitment: str
    details: Mapping[str, Any] | None
    """None if they are not disclosed."""
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
    """Raised for a ledger that was changed, or that aune did not write."""

    @classmethod
    def at(cls, path: str, line: int, reason: str) -> BrokenLedgerError:
        remedy = Remedy("restore it from a backup")
        return cls([Problem("ledger.broken", Place(path, line), reason, "the ledger as aune wrote it", (remedy,))])


def parse_entry(line: bytes) -> Entry:
    """The entry in a line; raises ValueError if the line is not a valid entry."""
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
    """The entries in the lines of a file, each checked against the previous one."""
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
    """A ledger file, to which several processes may write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: list[Entry] = []
        self._read = 0
        """How many bytes of the file have been read into `_entries`."""

    def entries(self) -> list[Entry]:
        """All entries so far; an incomplete last line is not an entry yet."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return self._entries
        if not stat.S_ISREG(status.st_mode):
            raise BrokenLedgerError.at(str(self.path), 1, "a folder or a device")
        if status.st_size == self._read:  # one page calls this dozens of times
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
            lock_file(lock.fileno())
            self.entries()
            self.mend()
            yield Writer(self)

    def mend(self) -> None:
        """Remove an incomplete last line."""
        if self.path.exists() and self.path.stat().st_size > self._read:
            with self.path.open("r+b") as file:
                file.truncate(self._read)
                os.fsync(file.fileno())


class Writer:
    """The right to append, which one process at a time has."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def entries(self) -> list[Entry]:
        return self.ledger.entries()

    def append(self, kind: str, details: Mapping[str, Any]) -> Entry:
        """Append an entry; it is on disk when this returns. Details that could not be read again are refused."""
        if kind in SCHEMAS:
            check_details(kind, details)
        before = self.ledger.entries()
        salt = secrets.token_hex(16)
        time = max(
            format_timestamp(now()), before[-1].time if before else ""
        )  # if the clock was set back, the order stays
        entry = Entry(len(before), time, kind, self.ledger.head, commitment_hash(salt, details), dict(details), salt)
        try:
            with add_filename(self.ledger.path), open(self.ledger.path, "ab", opener=open_private) as file:
                file.write(entry.line)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:  # this process is alive and can repair the file itself
            with suppress(OSError):
                self.ledger.mend()
            raise
        return self.ledger.entries()[-1]
