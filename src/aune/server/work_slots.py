"""Slots for expensive work in a server: a few pieces run at once, one per account; the others wait or are refused."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.core.exceptions import SuspiciousOperation

MAX_RUNNING, MAX_ADMITTED, MAX_PER_PERSON = 2, 10, 6
"""How many tasks run at once (one per account), how many may run or wait in all, and how many per account."""
SLOT_TIMEOUT = 50.0  # seconds of waiting for a slot, including the time that the request has waited before


class BusyError(SuspiciousOperation):
    """No slot was free: Django aborts the request and calls `bad_request`."""


class _WorkSlots:
    """The accounts whose tasks run or wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._admitted, self._working = Counter[str](), set[str]()

    @contextmanager
    def acquire(self, person: str) -> Iterator[None]:
        with self._changed:
            if self._admitted.total() >= MAX_ADMITTED or self._admitted[person] >= MAX_PER_PERSON:
                raise BusyError
            self._admitted[person] += 1
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self._is_free_for(person), _seconds_left()):
                    raise BusyError
                self._working.add(person)
            try:
                yield
            finally:
                self._working.remove(person)
        finally:
            with self._changed:
                self._admitted[person] -= 1
                self._changed.notify_all()

    def _is_free_for(self, person: str) -> bool:
        return len(self._working) < MAX_RUNNING and person not in self._working


_slots = _WorkSlots()
_is_server = False
_person: ContextVar[str] = ContextVar("person", default="")
_wait_start: ContextVar[float | None] = ContextVar("wait_start", default=None)
_has_slot: ContextVar[bool] = ContextVar("has_turn", default=False)


@contextmanager
def working_for(person: str, wait_start: float | None = None) -> Iterator[None]:
    """Count work in this block for a person; `wait_start` is the monotonic time when the request began to wait."""
    token, wait_token = _person.set(person), _wait_start.set(wait_start)
    try:
        yield
    finally:
        _person.reset(token)
        _wait_start.reset(wait_token)


def _seconds_left() -> float:
    """How long a request may still wait: proxies give up after a minute, however many queues a request passes."""
    start = _wait_start.get()
    return SLOT_TIMEOUT if start is None else max(0.0, SLOT_TIMEOUT - (time.monotonic() - start))


@contextmanager
def work_slot() -> Iterator[None]:
    """Wait for a slot and hold it for all work inside the block; `BusyError` if none becomes free."""
    if not _is_server or _has_slot.get():
        yield
        return
    with _slots.acquire(_person.get()):
        token = _has_slot.set(True)
        try:
            yield
        finally:
            _has_slot.reset(token)


def use_slots() -> None:
    """Let work wait for slots from now on, in a process that answers requests; elsewhere it is done at once."""
    global _is_server  # noqa: PLW0603 - each process is a server or not
    _is_server = True
