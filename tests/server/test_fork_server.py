"""Work apart: whatever a file does to its reader, it is told in a sentence, and nobody else notices."""

from __future__ import annotations

import errno
import io
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import IO, Any

import pytest

from aune.errors import InputError, Problem, UsageError
from aune.sandbox import Limits
from aune.server import fork_server, work_slots
from aune.server.fork_server import run_work
from aune.server.work_slots import BusyError, work_slot, working_for
from tests.server.serving import enter_server, serving
from tests.server.test_memory import answering


def echo_message(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    out.write(data)
    for file in files:
        out.write(file.read())


def wrong(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    raise InputError(
        [Problem.in_file("line.malformed", "a.sgm", 3, 4, found="'x'", expected="'y'", remedies=["mend it"])]
    )


def impossible(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    raise UsageError("choose another format")


def large(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    bytearray(1 << 35)


def endless(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    while True:
        pass


def kill_itself(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    tempfile.mkdtemp()
    os.kill(os.getpid(), signal.SIGKILL)


def full(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    raise OSError(errno.ENOSPC, "no room")


def broken(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    raise KeyError("a bug")


def slow(data: bytes, files: Sequence[IO[bytes]], out: IO[bytes]) -> None:
    time.sleep(0.4)


WORK = {
    work.__name__: work for work in (echo_message, wrong, impossible, large, endless, kill_itself, full, broken, slow)
}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A process that is copied, with little time; where results lie."""
    monkeypatch.setattr(fork_server, "_fork_server", None)
    monkeypatch.setattr(work_slots, "_is_server", True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fork_server.start_fork_server(lambda: WORK, Limits(seconds=1, memory=16 << 30), str(tmp_path))
    door = fork_server._fork_server
    assert door is not None
    yield tmp_path
    door.connection.close()
    os.waitpid(door.process, 0)


def hear_answer(name: str, message: Any, *files: bytes) -> bytes:
    with run_work(WORK, name, message, [io.BytesIO(data) for data in files]) as result:
        return result.read()


def test_what_is_done_apart_is_what_is_done_here(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = b"x" * 3_000_000
    place = hear_answer("echo_message", ["é", 1], long, b"two")
    monkeypatch.setattr(fork_server, "_fork_server", None)
    assert place == hear_answer("echo_message", ["é", 1], long, b"two")
    assert place.endswith(long + b"two")


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("wrong", InputError, "a.sgm:3:4: found 'x'"),
        ("impossible", UsageError, "choose another format"),
        ("large", UsageError, "or 16,384 MB of memory to read: send it in parts"),
        ("endless", UsageError, "takes more than 1 seconds"),
        ("kill_itself", UsageError, "send it in parts"),
        ("full", OSError, "No space left on device"),
        ("broken", RuntimeError, "failed"),
    ],
)
def test_whatever_becomes_of_it_is_told(room: Path, name: str, kind: type[Exception], text: str) -> None:
    """And the next piece of work is done; nothing is left on the disk."""
    with pytest.raises(kind, match=text):
        hear_answer(name, None)
    assert hear_answer("echo_message", 1) == b"\x01"
    assert [*room.iterdir()] == []
    assert fork_server.is_alive()


def test_nobody_has_all_the_turns(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One who asks again and again is refused, and works alone; somebody else is served at once."""
    monkeypatch.setattr(work_slots, "SLOT_TIMEOUT", 0.6)
    ended: list[Any] = []

    def ask(person: str) -> str:
        with working_for(person):
            try:
                hear_answer("slow", None)
            except BusyError:
                return "busy"
            ended.append(person)
            return "done"

    with ThreadPoolExecutor(20) as together:
        greedy = [together.submit(ask, "greedy") for _ in range(12)]
        time.sleep(0.1)
        other = together.submit(ask, "other")
        answers = sorted(item.result() for item in greedy)
    assert other.result() == "done" and ended.index("other") <= 1
    assert answers.count("done") == 2 and answers.count("busy") == 10


def test_a_request_waits_for_all_its_turns_together(room: Path) -> None:
    """Who waited long before the body was read does not wait as long again: a proxy would have given up."""
    with working_for("late", time.monotonic() - work_slots.SLOT_TIMEOUT):
        assert hear_answer("echo_message", 1) == b"\x01", "a free turn is taken"
        with ThreadPoolExecutor(1) as other, work_slots._slots.acquire("late"):
            waiting = other.submit(copy_context().run, hear_answer, "echo_message", 1)
            with pytest.raises(BusyError):
                waiting.result()


def test_a_turn_is_taken_once(room: Path) -> None:
    with work_slot(), work_slot():
        assert hear_answer("echo_message", 1) == b"\x01"


def test_a_server_whose_reader_was_killed_is_back(tmp_path: Path) -> None:
    """The process that is copied goes with the one that answers, and both are there again."""
    with serving(tmp_path / "site") as served:
        me = enter_server(served)
        [reader] = Path(f"/proc/{(item := answering(served.process.pid))}/task/{item}/children").read_text().split()
        os.kill(int(reader), signal.SIGKILL)
        for _ in range(100):
            with suppress(OSError):
                if me.upload(("a.txt", b"Ann met Ben.")).status == 302:
                    return
            time.sleep(0.1)
        raise AssertionError("nothing can be read any more")
