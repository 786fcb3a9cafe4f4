"""Signals that end a command: Ctrl-C, SIGTERM, and SIGHUP when a terminal is closed.

Each signal becomes one KeyboardInterrupt, so that unfinished work is undone before the command ends.
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
    from pathlib import Path  # the slowest import of this module

SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
INTERRUPTED_MESSAGE = "aune: interrupted, nothing is half written\n"
SAME_SIGNAL_SECONDS = (
    1.0  # seconds within which signals count as one: a terminal signals every process, and some of them forward it
)
SHELL_OFFSET = 128  # a shell adds it to the number of a signal

NEVER = float("-inf")

unfinished: dict[Path, Callable[[], None]] = {}
"""Files to remove on interruption, with their removers: the exception can come before or after anybody waits for it."""
_received = signal.SIGINT
_when = NEVER


def listen() -> None:
    """Turn signals that would end the process into interrupts; ignored ones (nohup) stay ignored."""
    for number in _signal_numbers():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)
    sys.unraisablehook = _interrupt_later


def was_interrupted() -> bool:
    """Whether a signal came, even if a library replaced the exception by its own."""
    return _when > NEVER


def exit_code() -> int:
    """The exit code of an interrupted command: 130 for Ctrl-C."""
    return SHELL_OFFSET + _received


def report_interruption() -> None:
    """Print that the command was interrupted, if there is still a reader."""
    try:
        sys.stderr.write(INTERRUPTED_MESSAGE)
        sys.stderr.flush()
    except OSError:
        pass  # the terminal is closed


def prepare_exit(outcome: object) -> None:
    """Finish before Python exits: the work is done, and a late signal must not change the exit code.

    An interrupted command removes its files, and does not wait for a reader of its output.
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
    """Send a signal again that came where Python cannot raise: in one of its callbacks during an import, say."""
    global _when  # noqa: PLW0603
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _when = NEVER
        _thread.start_new_thread(os.kill, (os.getpid(), _received))  # from here it would be lost again
    else:
        sys.__unraisablehook__(unraisable)
