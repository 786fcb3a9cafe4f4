"""Signals that tell a command to end: Ctrl-C, SIGTERM, and SIGHUP where a terminal is closed.

Each becomes a KeyboardInterrupt, so that whatever was begun is undone on the way out, and exactly one.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # takes longer than everything else here

SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
INTERRUPTED_MESSAGE = "aune: interrupted, nothing is half written\n"
SAME_SIGNAL_SECONDS = (
    1.0  # seconds in which signals are one: a terminal tells every process, and some of them pass it on
)
SHELL_OFFSET = 128  # what shells add to the number of a signal

NEVER = float("-inf")

unfinished: dict[Path, Callable[[], None]] = {}
"""Files that go if we are told to end, and how: an exception can come before, or after, anybody waits for it."""
_received = signal.SIGINT
_when = NEVER


def listen() -> None:
    """From here on be interrupted by signals that would end us; those that are ignored (nohup) stay so."""
    for number in _signal_numbers():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)
    sys.unraisablehook = _interrupt_later


def was_interrupted() -> bool:
    """Whether a signal came, whatever became of its exception: libraries may turn it into one of their own."""
    return _when > NEVER


def exit_code() -> int:
    """The exit code of a command that was told to end: 130 for Ctrl-C."""
    return SHELL_OFFSET + _received


def report_interruption() -> None:
    """Say so, where somebody still listens."""
    try:
        sys.stderr.write(INTERRUPTED_MESSAGE)
        sys.stderr.flush()
    except OSError:
        pass  # the terminal is closed


def prepare_exit(outcome: object) -> None:
    """Before Python ends: what was to be done is done, and no signal may say otherwise.

    Whoever was told to end leaves no file, and waits for no reader of what was printed.
    """
    for number in _signal_numbers():
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, signal.SIG_IGN)
    if outcome == exit_code():
        for remove in [*unfinished.values()]:
            remove()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _signal_numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name)]


def _interrupt(number: int, _: FrameType | None) -> None:
    global _received, _when
    now = time.monotonic()
    if now - _when < SAME_SIGNAL_SECONDS:
        return
    _received, _when = signal.Signals(number), now
    raise KeyboardInterrupt


def _interrupt_later(unraisable: sys.UnraisableHookArgs) -> None:
    """Send again what came where Python can raise nothing: in a callback of its own while it imports, say."""
    global _when  # noqa: PLW0603
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _when = NEVER
        _thread.start_new_thread(os.kill, (os.getpid(), _received))  # not from here: it would be lost again
    else:
        sys.__unraisablehook__(unraisable)
