"""Told to end at any moment: one line, the code of the signal, and no file that is half written or left over."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from aune import files, signals

SOURCE = Path(files.__file__).parents[2]
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
STARTED = """
import atexit, shutil, signal, sys, time
from aune.__main__ import main
from aune.contract import registry

names = registry.task_names

def waited(seconds):
    # bit by bit: a signal that comes right before the system is asked to sleep does not wake it
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)

def begun(seconds=60):
    print("begun", flush=True)
    waited(seconds)

{patched}

if __name__ == "__main__":
    sys.argv[1:] = {words}
    main()
"""
SCORE = ["score", "coref", "key.conll", "strings.conll", "-m", "muc"]


@pytest.fixture
def folder(tmp_path: Path, examples: Path) -> Path:
    for name in ("key.conll", "strings.conll"):
        shutil.copy(examples / "coref" / name, tmp_path)
    (tmp_path / "out.json").write_text("old")
    return tmp_path


def end_by_signal(folder: Path, patched: str, words: list[str], *numbers: int) -> tuple[int, str]:
    """How a command ends that is sent signals once it has begun to do what was patched."""
    script = folder.parent / f"{folder.name}.py"
    script.write_text(STARTED.format(patched=patched, words=words))
    with subprocess.Popen(
        [sys.executable, script], cwd=folder, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_usual,  # noqa: PLW1509
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert "begun\n" in iter(process.stdout.readline, "")
        for number in numbers:
            process.send_signal(number)
        _, errors = process.communicate(timeout=50)
        return process.returncode, errors


def _usual() -> None:
    """A shell's background jobs ignore interrupts, and so would what they start."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


WRITING = "shutil.copyfileobj = lambda *_: begun()"


@pytest.mark.parametrize("number", ENDING)
def test_while_a_file_is_written(folder: Path, number: int) -> None:
    before = contents(folder)
    assert end_by_signal(folder, WRITING, [*SCORE, "-o", "out.json"], number) == (
        128 + number,
        signals.INTERRUPTED_MESSAGE,
    )
    assert contents(folder) == before


SLOW = """
import os
unlink = os.unlink
os.unlink = lambda *words, **named: (time.sleep(0.3), unlink(*words, **named))
"""


def test_signals_that_come_together_are_one(folder: Path) -> None:
    """A service manager sends two, and a terminal tells every process, some of which pass it on."""
    before = contents(folder)
    code, errors = end_by_signal(folder, WRITING + SLOW, [*SCORE, "-o", "out.json"], *ENDING)
    assert (code - 128 in ENDING, errors) == (True, signals.INTERRUPTED_MESSAGE)
    assert contents(folder) == before


def test_once_everything_is_done(folder: Path) -> None:
    """Python takes its time to end: nothing is undone, nothing is told, and the code says what was done."""
    assert end_by_signal(folder, "atexit.register(begun, 0.5)", ["list", "tasks"], signal.SIGINT) == (0, "")


LOST = """
class Lost:
    def __del__(self):
        begun()

def losing():
    Lost()
    waited(60)

registry.task_names = losing
"""


def test_where_python_can_raise_nothing(folder: Path) -> None:
    """In a callback it prints a traceback and goes on, as if nothing had been told."""
    assert end_by_signal(folder, LOST, ["list", "tasks"], signal.SIGINT) == (130, signals.INTERRUPTED_MESSAGE)


LOADING = """
def loading():
    try:
        begun()
    except KeyboardInterrupt:
        raise ImportError("half loaded")

registry.task_names = loading
"""


def test_a_library_that_makes_another_error_of_it(folder: Path) -> None:
    assert end_by_signal(folder, LOADING, ["list", "tasks"], signal.SIGINT) == (130, signals.INTERRUPTED_MESSAGE)


IGNORING = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
registry.task_names = lambda: (begun(0.5), names())[1]
"""


def test_what_is_ignored_stays_ignored(folder: Path) -> None:
    assert end_by_signal(folder, IGNORING, ["list", "tasks"], signal.SIGHUP) == (0, "")


COUNTING = """
from aune.evaluation.engines import processes
processes.wait = lambda *_, **__: begun()
processes._Processes.start = lambda self: self._pool().submit(time.sleep, 40)
"""


def test_processes_that_count_are_not_waited_for(folder: Path) -> None:
    start = time.monotonic()
    assert end_by_signal(folder, COUNTING, [*SCORE, "--workers", "2"], signal.SIGINT) == (
        130,
        signals.INTERRUPTED_MESSAGE,
    )
    assert time.monotonic() - start < 30


class Interrupter:
    """Interrupts at one of the steps of what writes files."""

    def __init__(self, left: int, kind: str) -> None:
        self.left, self.kind = left, kind

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if Path(frame.f_code.co_filename).name not in ("files.py", "contextlib.py", "shutil.py"):
            return None
        frame.f_trace_opcodes = self.kind == "opcode"
        return self.step

    def step(self, _: FrameType, event: str, __: Any) -> Any:
        self.left -= event == self.kind
        if self.left == 0 and event == self.kind:
            signals._interrupt(signal.SIGINT, None)
        return self.step


def outcomes(folder: Path, names: str, kind: str) -> Iterator[dict[str, bytes]]:
    """What is there when writing is interrupted at its first step, at its second…, once what must go is gone."""
    left, interrupted = 0, True
    while interrupted:
        left += 1
        for path in folder.iterdir():
            path.unlink()
        (folder / names[0]).write_bytes(b"old")
        files._remove_abandoned.cache_clear()
        signals._when = signals.NEVER
        interrupted = not is_written(folder, names, Interrupter(left, kind))
        for remove in [*signals.unfinished.values()]:
            remove()
        signals.unfinished.clear()
        files._CURRENT.set(None)
        yield contents(folder)


def is_written(folder: Path, names: str, interrupter: Interrupter) -> bool:
    traced = sys.gettrace()
    sys.settrace(interrupter)
    try:
        with files.file_transaction() as written:
            for name in names:
                written.write(folder / name, b"new")
    except KeyboardInterrupt:
        return False
    finally:
        sys.settrace(traced)
    return True


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("names", "kind"), [("a", "line"), ("ab", "line")])
def test_interrupted_at_any_step(tmp_path: Path, names: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_when", signals.NEVER)
    seen = [*outcomes(tmp_path, names, kind)]
    old, new = {names[0]: b"old"}, dict.fromkeys(names, b"new")
    assert len(seen) > 100 and all(left in (old, new) for left in seen)
    assert (seen[0], seen[-1]) == (old, new)
