"""What the server loads: Django, with the files of `web` in front of it, and the front where requests come in."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise

from aune.server import assets, sandbox
from aune.server.request_buffering import BufferedApplication
from aune.server.site import MEGABYTE

MIN_MEGABYTES = 1024  # megabytes that a reader may have
MEMORY_FACTOR = 48  # bytes of memory for each of an upload: most take thirty, what takes more is refused
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # what malloc.h calls them
ALLOCATION = {M_MMAP_THRESHOLD: MEGABYTE, M_ARENA_MAX: 2}


def _django_application() -> WhiteNoise:
    application = WhiteNoise(
        get_wsgi_application(), immutable_file_test=lambda path, url: True, allow_all_origins=False, charset="utf-8"
    )
    for name, path in assets.files().items():
        application.add_file_to_dictionary(assets.prefix() + name, str(path))
    return application


def _exit_with_parent(parent: int) -> None:
    """End with the process that started this one: a server that was killed must not go on answering.

    And with the one that is copied for work: the next server has another.
    """
    while os.getppid() == parent and sandbox.is_alive():
        time.sleep(0.2)
    os._exit(1)


def _sandbox_work() -> Mapping[str, sandbox.Work]:
    """What is done apart, with all that it imports."""
    from aune.server.workbench.sandbox_tasks import WORK, load  # noqa: PLC0415 - when there is something to read

    load()
    return WORK


def _return_freed_memory() -> None:
    """What is freed is the machine's again: every thread would keep what its largest answer took."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        for setting, value in ALLOCATION.items():
            getattr(library, "mallopt", lambda *_: 0)(setting, value)


def application() -> BufferedApplication:
    """What answers, in a process of its own that ends when its parent tells it to, or is gone."""
    _return_freed_memory()
    # Ctrl-C reaches every process of a terminal: a worker of granian that is told twice hangs.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    limits = sandbox.Limits(max(MIN_MEGABYTES, MEMORY_FACTOR * settings.SITE.largest // MEGABYTE))
    sandbox.start_fork_server(_sandbox_work, limits, settings.FILE_UPLOAD_TEMP_DIR)
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    return BufferedApplication(_django_application(), settings.FILE_UPLOAD_TEMP_DIR)
