"""The fork server: a process without threads that forks for each task on uploaded files, in the sandbox.

A file that crashes or stalls its reader affects nothing else. The process that answers requests has threads, and cannot
fork itself: at its start it creates the fork server. Input files and results are passed as open files without a name.
Systems without fork have a spawned process instead, without a limit of memory. Where neither was started (commands,
tests), the work is done in the calling process.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import socket
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import IO, Any, NamedTuple, TypeAlias

import msgspec

from aune.errors import AuneError, InputError, Problem, UsageError
from aune.files import is_disk_full
from aune.sandbox import Limits, die_with_parent, restrict
from aune.server.spawned_process import CAN_FORK, SpawnedProcess
from aune.server.work_slots import work_slot

Work: TypeAlias = Callable[[bytes, Sequence[IO[bytes]], IO[bytes]], None]
"""Processes a request and input files, and writes the result to the last argument; an `AuneError` is a refusal."""
MAX_SECONDS = 120  # seconds that a task may take
GRACE_SECONDS = 10  # seconds to wait for the outcome beyond that
BLOCK = 1 << 20  # bytes that are read at once


class Outcome(msgspec.Struct):
    """How a task ended; the default values mean success."""

    problems: list[Problem] = []
    refusal: str = ""
    is_too_much: bool = False
    is_full: bool = False
    """Whether the disk was full."""
    is_bug: bool = False


class _ForkServer(NamedTuple):
    """The connection to the fork server."""

    connection: socket.socket
    process: int
    limits: Limits
    folder: str | None
    """The folder for results."""


class _SpawnedSandbox(NamedTuple):
    """The process for tasks where nothing can be forked."""

    process: SpawnedProcess
    limits: Limits
    folder: str | None
    """The folder for results."""


_fork_server: _ForkServer | None = None
_spawned: _SpawnedSandbox | None = None


def start(works: Callable[[], Mapping[str, Work]], limits: Limits, folder: str | None) -> None:
    """Start what runs the tasks of this process; this must happen before it has threads.

    `works` is a function of a module, which imports what the tasks need.
    """
    global _spawned  # noqa: PLW0603 - each process has at most one
    if CAN_FORK:
        start_fork_server(works, limits, folder)
    else:
        _spawned = _SpawnedSandbox(SpawnedProcess(partial(_answer_task, works)), limits, folder)


def start_fork_server(works: Callable[[], Mapping[str, Work]], limits: Limits, folder: str | None) -> None:
    """Start the fork server; this must happen before the current process has threads."""
    global _fork_server  # noqa: PLW0603 - each process has at most one
    near_end, far_end = socket.socketpair()
    process = os.fork()
    if process == 0:
        near_end.close()
        _serve_forks(far_end, works, limits)
    far_end.close()
    _fork_server = _ForkServer(near_end, process, limits, folder)


def is_alive() -> bool:
    """Whether the fork server is running; True if none was started."""
    return _fork_server is None or os.waitpid(_fork_server.process, os.WNOHANG) == (0, 0)


def run_work(works: Mapping[str, Work], name: str, request: Any, files: Sequence[IO[bytes]]) -> IO[bytes]:
    """Run a task and return its output, positioned at its start; an `AuneError` if the task refuses."""
    encoded = msgspec.msgpack.encode(request)
    for file in files:
        file.seek(0)
    with work_slot():
        if _fork_server is not None:
            out = _run_forked(_fork_server, name, encoded, files)
        elif _spawned is not None:
            out = _run_spawned(_spawned, name, encoded, files)
        else:
            out = io.BytesIO()
            works[name](encoded, files, out)
    out.seek(0)
    return out


def _run_forked(server: _ForkServer, name: str, encoded: bytes, files: Sequence[IO[bytes]]) -> IO[bytes]:
    with ExitStack() as unless_done, tempfile.TemporaryDirectory(prefix="aune-") as scratch:
        out: IO[bytes] = unless_done.enter_context(tempfile.TemporaryFile(dir=server.folder))
        _raise_refusal(
            _request_outcome(server, msgspec.msgpack.encode((name, encoded, scratch)), [out, *files]), server.limits
        )
        unless_done.pop_all()
        return out


def _run_spawned(sandbox: _SpawnedSandbox, name: str, encoded: bytes, files: Sequence[IO[bytes]]) -> IO[bytes]:
    message = msgspec.msgpack.encode((name, encoded, [file.read() for file in files]))
    try:
        reply = sandbox.process.request(message, sandbox.limits.seconds)
    except TimeoutError:
        raise UsageError(f"this takes more than {sandbox.limits.seconds} seconds to read: send it in parts") from None
    outcome, output = msgspec.msgpack.decode(reply, type=tuple[Outcome, bytes]) if reply else (None, b"")
    if outcome is None:
        raise UsageError("the process that reads this ended, perhaps for want of memory: send it in parts")
    if outcome.is_too_much:
        raise UsageError("this takes more memory to read than there is: send it in parts")
    _raise_refusal(outcome, sandbox.limits)
    return io.BytesIO(output)


def _answer_task(works: Callable[[], Mapping[str, Work]], message: bytes) -> bytes:
    """Run one task in the spawned process: its outcome and its output."""
    name, encoded, contents = msgspec.msgpack.decode(message, type=tuple[str, bytes, list[bytes]])
    out = io.BytesIO()
    outcome = _perform(works()[name], encoded, [io.BytesIO(content) for content in contents], out)
    return msgspec.msgpack.encode((outcome, out.getvalue()))


def _request_outcome(server: _ForkServer, message: bytes, files: Sequence[IO[bytes]]) -> Outcome | None:
    """The outcome of a task; None if its process ended without reporting one."""
    near_end, far_end = socket.socketpair()
    with near_end, ExitStack() as duplicates:
        handles: list[Any] = [
            duplicates.enter_context(far_end),
            *(duplicates.enter_context(_on_disk(file, server)) for file in files),
        ]
        socket.send_fds(server.connection, [b"."], [handle.fileno() for handle in handles])
        duplicates.close()  # the other process has its own copies
        near_end.settimeout(server.limits.seconds + GRACE_SECONDS)
        with suppress(OSError):  # the process may have ended already
            near_end.sendall(message)
            near_end.shutdown(socket.SHUT_WR)
        return _receive_outcome(near_end)


@contextmanager
def _on_disk(file: IO[bytes], server: _ForkServer) -> Iterator[IO[bytes]]:
    """A file with a descriptor that can be passed to another process; a file in memory is copied."""
    try:
        file.fileno()
        yield file
    except io.UnsupportedOperation:
        with tempfile.TemporaryFile(dir=server.folder) as copy:
            shutil.copyfileobj(file, copy)
            copy.seek(0)
            yield copy


def _receive_outcome(line: socket.socket) -> Outcome | None:
    parts = []
    with suppress(OSError):
        while part := line.recv(BLOCK):
            parts.append(part)
    with suppress(msgspec.DecodeError):
        return msgspec.msgpack.decode(b"".join(parts), type=Outcome)
    return None


def _raise_refusal(answer: Outcome | None, limits: Limits) -> None:
    """Raise the error that the task reported, in this process."""
    if answer is None or answer.is_too_much:
        raise UsageError(
            f"this takes more than {limits.seconds} seconds or {(limits.memory or 0) >> 20:,} MB of memory to read: "
            "send it in parts"
        )
    if answer.is_full:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if answer.is_bug:
        raise RuntimeError("a piece of work failed: see above")
    if answer.problems:
        raise InputError(answer.problems)
    if answer.refusal:
        raise UsageError(answer.refusal)


def _serve_forks(line: socket.socket, works: Callable[[], Mapping[str, Work]], limits: Limits) -> None:
    """The loop of the fork server, which ends with the process that started it."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # with more threads it would wait for memory forever
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    die_with_parent()
    while True:
        message, handles, *_ = socket.recv_fds(line, 1, 64)
        if not message:
            os._exit(0)
        with suppress(OSError):  # no fork possible: the caller sees a closed connection
            table = works()
            if os.fork() == 0:
                line.close()
                _work_and_exit(table, handles, limits)
        for handle in handles:
            os.close(handle)


def _work_and_exit(works: Mapping[str, Work], handles: Sequence[int], limits: Limits) -> None:
    """Run one task in the forked process, and report its outcome; never returns."""
    try:
        die_with_parent()
        signal.alarm(limits.seconds)
        restrict(limits)
        with socket.socket(fileno=handles[0]) as line, os.fdopen(handles[1], "wb") as out:
            message = b"".join(iter(lambda: line.recv(BLOCK), b""))
            name, encoded, tempfile.tempdir = msgspec.msgpack.decode(message, type=tuple[str, bytes, str])
            answer = _perform(works[name], encoded, [os.fdopen(handle, "rb") for handle in handles[2:]], out)
            line.sendall(msgspec.msgpack.encode(answer))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _perform(work: Work, encoded: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> Outcome:
    try:
        work(encoded, files, out)
        out.flush()
    except MemoryError:
        return Outcome(is_too_much=True)
    except InputError as error:
        if is_disk_full(error):
            return Outcome(is_full=True)
        return Outcome(problems=list(error.problems))
    except AuneError as error:
        return Outcome(refusal=str(error))
    except Exception as error:
        if is_disk_full(error):
            return Outcome(is_full=True)
        traceback.print_exc()
        return Outcome(is_bug=True)
    return Outcome()
