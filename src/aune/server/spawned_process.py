"""Work in a spawned process, for systems that cannot fork: its time is limited, its memory is not."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

CAN_FORK = sys.platform == "linux" and hasattr(os, "fork")
"""Whether work is done in forks with limits of memory; only Linux has all that they need."""
MISSING_LIMITS = (
    "on this system, files are read and scored with a limit of time but none of memory: open only files that you trust"
)
"""The warning for users where `CAN_FORK` is False."""
BEAT = 0.2  # seconds between two checks whether the answer is still wanted

Answer = Callable[[bytes], bytes]


class SpawnedProcess:
    """A process that answers one request after another.

    It starts at the first request. A process that takes too long, or ends, is replaced at the next request.
    """

    def __init__(self, answer: Answer) -> None:
        """`answer` is a function that can be pickled: a function of a module, or a `partial` of one."""
        self._answer = answer
        self._lock = threading.Lock()
        self._process: Any = None
        self._connection: Connection | None = None

    def request(self, message: bytes, seconds: float, is_wanted: Callable[[], bool] = lambda: True) -> bytes | None:
        """The answer to a message; None if the process ended without one, or if it is no longer wanted.

        Raises TimeoutError after so many seconds.
        """
        with self._lock:
            connection = self._running()
            try:
                return self._receive(connection, message, time.monotonic() + seconds, is_wanted)
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        if self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._connection = None

    def _running(self) -> Connection:
        """The connection to the process, which is started unless it runs."""
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            near_end, far_end = context.Pipe()
            self._process = context.Process(target=_serve_requests, args=(far_end, self._answer), daemon=True)
            self._process.start()
            far_end.close()
            self._connection = near_end
        return self._connection

    def _receive(
        self, connection: Connection, message: bytes, deadline: float, is_wanted: Callable[[], bool]
    ) -> bytes | None:
        try:
            connection.send_bytes(message)
            while not connection.poll(BEAT):
                if time.monotonic() > deadline:
                    raise TimeoutError
                if not is_wanted():
                    self.stop()
                    return None
            return connection.recv_bytes()
        except (EOFError, ConnectionError):
            self.stop()
            return None


def _serve_requests(connection: Connection, answer: Answer) -> None:
    """The loop of the process; it ends when the other end of its connection is closed."""
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        while True:
            message = connection.recv_bytes()
            try:
                reply = answer(message)
            except Exception:
                traceback.print_exc()
                return
            connection.send_bytes(reply)
