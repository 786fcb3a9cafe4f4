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

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
STOPPED = "aune: interrupted, nothing is half written\n"
SAME = 1.0  # seconds in which signals are one: a terminal tells every process, and some of them pass it on
SHELL = 128  # what shells add to the number of a signal

NEVER = float("-inf")

unfinished: dict[Path, Callable[[], None]] = {}
"""Files that go if we are told to end, and how: an exception can come before, or after, anybody waits for it."""
_received = signal.SIGINT
_when = NEVER


def listen() -> None:
    """From here on be interrupted by signals that would end us; those that are ignored (nohup) stay so."""
    for number in _numbers():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)
    sys.unraisablehook = _interrupt_later


def was_interrupted() -> bool:
    """Whether a signal came, whatever became of its exception: libraries may turn it into one of their own."""
    return _when > NEVER


def code() -> int:
    """The exit code of a command that was told to end: 130 for Ctrl-C."""
    return SHELL + _received


def tell() -> None:
    """Say so, where somebody still listens."""
    try:
        sys.stderr.write(STOPPED)
        sys.stderr.flush()
    except OSError:
        pass  # the terminal is closed


def settle(outcome: object) -> None:
    """Before Python ends: what was to be done is done, and no signal may say otherwise.

    Whoever was told to end leaves no file, and waits for no reader of what was printed.
    """
    for number in _numbers():
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, signal.SIG_IGN)
    if outcome == code():
        for remove in [*unfinished.values()]:
            remove()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


def _interrupt(number: int, _: FrameType | None) -> None:
    global _received, _when
    now = time.monotonic()
    if now - _when < SAME:
        return
    _received, _when = signal.Signals(number), now
    raise KeyboardInterrupt


def _interrupt_later(lost: sys.UnraisableHookArgs) -> None:
    """Send again what came where Python can raise nothing: in a callback of its own while it imports, say."""
    global _when  # noqa: PLW0603
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _when = NEVER
        _thread.start_new_thread(os.kill, (os.getpid(), _received))  # not from here: it would be lost again
    else:
        sys.__unraisablehook__(lost)
