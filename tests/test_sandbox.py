"""The sandbox: however a child ends, its parent learns how, and nothing of it is left."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.sandbox import FAILED, Ending, Limits, restrict, run_function, run_program

MEMORY = 4 << 30
MINUTE = Limits(60)


def test_what_a_function_returns_comes_back_whole() -> None:
    long = b"x" * 3_000_000
    assert run_function(lambda: long, MINUTE) == Ending(0, long)
    assert run_function(lambda: b"", Limits(60, MEMORY)) == Ending(0)


def raise_error() -> bytes:
    raise ZeroDivisionError


def take_memory() -> bytes:
    try:
        return bytes(bytearray(8 << 30))
    except MemoryError:
        return b"no memory"


def compute_forever() -> bytes:
    while True:
        pass


def kill_itself() -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def close_pipes() -> bytes:
    """It closes what it has, and goes on."""
    os.closerange(0, 1000)
    time.sleep(60)
    return b""


@pytest.mark.parametrize(
    ("function", "limits", "ending"),
    [
        (raise_error, MINUTE, Ending(FAILED)),
        (take_memory, Limits(60, MEMORY), Ending(0, b"no memory")),
        (kill_itself, MINUTE, Ending(-signal.SIGKILL)),
        (lambda: os._exit(3), MINUTE, Ending(3)),
        (lambda: bytes(time.sleep(60) or b""), Limits(1), Ending(None)),
        (close_pipes, Limits(1), Ending(None)),
    ],
    ids=["fails", "greedy", "killed", "exits", "sleeps", "hidden"],
)
def test_every_end_is_known(function: Callable[[], bytes], limits: Limits, ending: Ending) -> None:
    assert run_function(function, limits) == ending


def test_computing_and_files_are_limited() -> None:
    def computes() -> bytes:
        restrict(Limits(1))
        return compute_forever()

    def writes() -> bytes:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with tempfile.TemporaryFile() as file:
            try:
                file.write(b"x" * 100_000)
                file.flush()
            except OSError:
                return b"too long"
        return b""

    assert run_function(computes, MINUTE).code == -signal.SIGXCPU
    assert run_function(writes, Limits(60, file_size=10_000)).output == b"too long"


def test_a_lower_limit_stays() -> None:
    def twice() -> bytes:
        restrict(Limits(1000, 1 << 40))
        return str(resource.getrlimit(resource.RLIMIT_AS)).encode()

    assert run_function(twice, Limits(60, MEMORY)).output == str((MEMORY, MEMORY)).encode()


def test_whoever_waits_can_end_it(tmp_path: Path) -> None:
    """And what the child has started ends with it."""

    def parent() -> bytes:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        (tmp_path / "pid").write_text(str(child.pid))
        time.sleep(60)
        return b""

    def not_yet() -> bool:
        return not (tmp_path / "pid").is_file() or not (tmp_path / "pid").read_text()

    assert run_function(parent, MINUTE, is_wanted=not_yet) == Ending(-signal.SIGKILL)
    assert has_ended(int((tmp_path / "pid").read_text()))


def has_ended(process: int) -> bool:
    """Whether a process that was killed is gone, or only waits to be noticed."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z"):
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def wait() -> bytes:
        (tmp_path / "pid").write_text(str(os.getpid()))
        time.sleep(60)
        return b""

    def interrupt() -> bool:
        if (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text():
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        run_function(wait, MINUTE, interrupt)
    with pytest.raises(ChildProcessError):
        os.waitpid(int((tmp_path / "pid").read_text()), os.WNOHANG)


def test_a_child_ends_with_its_parent_and_its_folder_goes(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()

    def waits() -> bytes:
        (tmp_path / "child").write_text(str(os.getpid()))
        time.sleep(60)
        return b""

    def starts() -> bytes:
        return run_function(waits, MINUTE, folder=tmp_path / "room").output

    def not_yet() -> bool:
        return not (tmp_path / "child").is_file() or not (tmp_path / "child").read_text()

    assert run_function(starts, MINUTE, is_wanted=not_yet).code == -signal.SIGKILL
    assert has_ended(int((tmp_path / "child").read_text()))
    assert not (tmp_path / "room").exists()


PROGRAM = "import sys, time; print(sys.stdin.read() + '.', flush=True); {}"


@pytest.mark.parametrize(
    ("line", "limits", "code"),
    [
        ("sys.exit(4)", MINUTE, 4),
        ("time.sleep(60)", Limits(1), None),
        ("bytearray(8 << 30)", Limits(60, MEMORY), 1),
    ],
)
def test_a_program_is_limited_too(line: str, limits: Limits, code: int | None) -> None:
    with tempfile.TemporaryFile() as out:
        command = [sys.executable, "-c", PROGRAM.format(line)]
        assert run_program(command, limits, environment={}, stdout=out) == code
        out.seek(0)
        assert out.read() == b".\n"
