"""The application that the server runs: Django, behind the static files of `web` and the request buffering."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise

from aune.sandbox import Limits
from aune.server import assets, fork_server, work_slots
from aune.server.request_buffering import BufferedApplication
from aune.server.site import MEGABYTE

MIN_MEMORY = 1024 * MEGABYTE  # bytes of memory that a reader may always use
MEMORY_FACTOR = 48  # bytes of memory per byte of an upload: most files need thirty; what needs more is refused
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # constants of malloc.h
ALLOCATION = {M_MMAP_THRESHOLD: MEGABYTE, M_ARENA_MAX: 2}


def _django_application() -> WhiteNoise:
    application = WhiteNoise(
        get_wsgi_application(), immutable_file_test=lambda path, url: True, allow_all_origins=False, charset="utf-8"
    )
    for name, path in assets.files().items():
        application.add_file_to_dictionary(assets.prefix() + name, str(path))
    return application


def _exit_with_parent(parent: int) -> None:
    """Exit when the parent process ends: after a kill of the server, this process must not go on serving requests.

    Exit with the fork server too: the next process starts another one.
    """
    process = multiprocessing.parent_process()  # Windows gives the parent's number even when it has ended
    while os.getppid() == parent and (process is None or process.is_alive()) and fork_server.is_alive():
        time.sleep(0.2)
    os._exit(1)


def _sandbox_work() -> Mapping[str, fork_server.Work]:
    """The tasks of the sandbox; this call imports all modules that they need."""
    from aune.server.workbench.sandbox_tasks import WORK, load  # noqa: PLC0415 - imported only at the first task

    load()
    return WORK


def _return_freed_memory() -> None:
    """Let malloc return freed memory to the system: otherwise each thread keeps that of its largest response."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        for setting, value in ALLOCATION.items():
            getattr(library, "mallopt", lambda *_: 0)(setting, value)


def application() -> BufferedApplication:
    """The application of a worker process, which exits when its parent ends or tells it to."""
    _return_freed_memory()
    # Ctrl-C sends SIGINT to every process of a terminal: a granian worker that gets two signals hangs.
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    limits = Limits(fork_server.MAX_SECONDS, max(MIN_MEMORY, MEMORY_FACTOR * settings.SITE.largest))
    fork_server.start(_sandbox_work, limits, settings.FILE_UPLOAD_TEMP_DIR)
    work_slots.use_slots()
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    return BufferedApplication(_django_application(), settings.FILE_UPLOAD_TEMP_DIR)
