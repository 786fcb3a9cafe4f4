"""Work on files of others, apart from the process that answers: within limits of memory and time, and a few at once.

Whatever a file does to its reader, it does to nobody else. When a server starts, it makes a process without threads
(`begin`), which is copied for each piece of work; files and results go there and back as open files without a name.
Where there is no such process (commands, tests), work is done where it is asked for.
"""

from __future__ import annotations

import ctypes
import errno
import io
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import IO, Any, NamedTuple, TypeAlias

import msgspec
from django.core.exceptions import SuspiciousOperation

from aune.core.errors import AuneError, InputError, Problem, UsageError
from aune.core.files import is_full

Work: TypeAlias = Callable[[bytes, Sequence[IO[bytes]], IO[bytes]], None]
"""From what is asked and some files to what is written in another; an `AuneError` is a refusal."""
AT_ONCE, MOST, MOST_OF_ONE = 2, 10, 6
"""Pieces of work that are done at once, each of somebody else; those that are done or wait; of these, of one person."""
PATIENCE = 50.0  # seconds that one waits for a turn
SECONDS = 120  # that a piece of work may take
SLACK = 10  # seconds that one waits beyond that
BLOCK = 1 << 20  # bytes that are read at once
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class BusyError(SuspiciousOperation):
    """Others had all the turns: Django ends what was begun and asks `bad_request`."""


class Limits(NamedTuple):
    """What a piece of work may take."""

    megabytes: int
    seconds: int = SECONDS


class Said(msgspec.Struct):
    """How a piece of work ended: well, if it says nothing else."""

    problems: list[tuple[str, int, int, str]] = []
    refusal: str = ""
    is_too_much: bool = False
    is_full: bool = False
    """Whether there was no room on the disk."""
    is_bug: bool = False


class _Turns:
    """Who works now, and who waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._there, self._working = Counter[str](), set[str]()

    @contextmanager
    def taken(self, person: str) -> Iterator[None]:
        with self._changed:
            if self._there.total() >= MOST or self._there[person] >= MOST_OF_ONE:
                raise BusyError
            self._there[person] += 1
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self._is_free_for(person), PATIENCE):
                    raise BusyError
                self._working.add(person)
            try:
                yield
            finally:
                self._working.remove(person)
        finally:
            with self._changed:
                self._there[person] -= 1
                self._changed.notify_all()

    def _is_free_for(self, person: str) -> bool:
        return len(self._working) < AT_ONCE and person not in self._working


_turns = _Turns()
_person: ContextVar[str] = ContextVar("person", default="")
_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


@contextmanager
def asked_by(person: str) -> Iterator[None]:
    """Whoever asks for work meanwhile is this one."""
    token = _person.set(person)
    try:
        yield
    finally:
        _person.reset(token)


@contextmanager
def turn() -> Iterator[None]:
    """One of the few who work at once, with all that is done here; a `BusyError` where others are."""
    if _door is None or _has_turn.get():
        yield
        return
    with _turns.taken(_person.get()):
        token = _has_turn.set(True)
        try:
            yield
        finally:
            _has_turn.reset(token)


class _Door(NamedTuple):
    """The way to the process that is copied."""

    line: socket.socket
    process: int
    limits: Limits
    room: str | None
    """Where results lie."""


_door: _Door | None = None


def begin(works: Callable[[], Mapping[str, Work]], limits: Limits, room: str | None) -> None:
    """Make the process that is copied, before this one has threads."""
    global _door  # noqa: PLW0603 - a process has one
    here, there = socket.socketpair()
    process = os.fork()
    if process == 0:
        here.close()
        _copied_for_ever(there, works, limits)
    there.close()
    _door = _Door(here, process, limits, room)


def lives() -> bool:
    """Whether the process that is copied is there."""
    return _door is None or os.waitpid(_door.process, os.WNOHANG) == (0, 0)


def done(works: Mapping[str, Work], name: str, asked: Any, files: Sequence[IO[bytes]]) -> IO[bytes]:
    """What a piece of work wrote, from its beginning; an `AuneError` where it is refused."""
    said = msgspec.msgpack.encode(asked)
    for file in files:
        file.seek(0)
    if _door is None:
        out: IO[bytes] = io.BytesIO()
        works[name](said, files, out)
    else:
        with turn():
            out = _done_apart(_door, name, said, files)
    out.seek(0)
    return out


def _done_apart(door: _Door, name: str, said: bytes, files: Sequence[IO[bytes]]) -> IO[bytes]:
    with ExitStack() as unless_done, tempfile.TemporaryDirectory(prefix="aune-") as scratch:
        out: IO[bytes] = unless_done.enter_context(tempfile.TemporaryFile(dir=door.room))
        _check(_answer(door, msgspec.msgpack.encode((name, said, scratch)), [out, *files]), door.limits)
        unless_done.pop_all()
        return out


def _answer(door: _Door, asked: bytes, files: Sequence[IO[bytes]]) -> Said | None:
    """How a piece of work ended; None when it ended before it could say."""
    here, there = socket.socketpair()
    with here, ExitStack() as sent:
        given: list[Any] = [sent.enter_context(there), *(sent.enter_context(_on_disk(file, door)) for file in files)]
        socket.send_fds(door.line, [b"."], [one.fileno() for one in given])
        sent.close()  # it has its own
        here.settimeout(door.limits.seconds + SLACK)
        with suppress(OSError):  # whoever took too long is gone
            here.sendall(asked)
            here.shutdown(socket.SHUT_WR)
        return _heard(here)


@contextmanager
def _on_disk(file: IO[bytes], door: _Door) -> Iterator[IO[bytes]]:
    """A file that another process can be given."""
    try:
        file.fileno()
        yield file
    except io.UnsupportedOperation:
        with tempfile.TemporaryFile(dir=door.room) as kept:
            shutil.copyfileobj(file, kept)
            kept.seek(0)
            yield kept


def _heard(line: socket.socket) -> Said | None:
    parts = []
    with suppress(OSError):
        while part := line.recv(BLOCK):
            parts.append(part)
    with suppress(msgspec.DecodeError):
        return msgspec.msgpack.decode(b"".join(parts), type=Said)
    return None


def _check(answer: Said | None, limits: Limits) -> None:
    """Refuse here what was refused there."""
    if answer is None or answer.is_too_much:
        raise UsageError(
            f"this takes more than {limits.seconds} seconds or {limits.megabytes:,} MB of memory to read: "
            "send it in parts"
        )
    if answer.is_full:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if answer.is_bug:
        raise RuntimeError("a piece of work failed: see above")
    if answer.problems:
        raise InputError([Problem(*problem) for problem in answer.problems])
    if answer.refusal:
        raise UsageError(answer.refusal)


def _copied_for_ever(line: socket.socket, works: Callable[[], Mapping[str, Work]], limits: Limits) -> None:
    """The life of the process that is copied: it ends with the one that made it."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # others would wait for memory, for ever
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _die_with_parent()
    while True:
        message, handles, *_ = socket.recv_fds(line, 1, 64)
        if not message:
            os._exit(0)
        with suppress(OSError):  # no room for another: whoever asked sees that nobody answers
            table = works()
            if os.fork() == 0:
                line.close()
                _copy(table, handles, limits)
        for handle in handles:
            os.close(handle)


def _copy(works: Mapping[str, Work], handles: Sequence[int], limits: Limits) -> None:
    """The life of a copy: one piece of work, and what became of it."""
    try:
        _die_with_parent()
        signal.alarm(limits.seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (limits.megabytes << 20, limits.megabytes << 20))
        with socket.socket(fileno=handles[0]) as line, os.fdopen(handles[1], "wb") as out:
            asked = b"".join(iter(lambda: line.recv(BLOCK), b""))
            name, said, tempfile.tempdir = msgspec.msgpack.decode(asked, type=tuple[str, bytes, str])
            answer = _outcome(works[name], said, [os.fdopen(handle, "rb") for handle in handles[2:]], out)
            line.sendall(msgspec.msgpack.encode(answer))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _outcome(work: Work, said: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> Said:
    try:
        work(said, files, out)
        out.flush()
    except MemoryError:
        return Said(is_too_much=True)
    except InputError as error:
        if is_full(error):
            return Said(is_full=True)
        return Said(problems=[(one.path, one.line, one.column, one.message) for one in error.problems])
    except AuneError as error:
        return Said(refusal=str(error))
    except Exception as error:
        if is_full(error):
            return Said(is_full=True)
        traceback.print_exc()
        return Said(is_bug=True)
    return Said()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
