"""What the server loads: Django, with the files of `web` in front of it, and the front where requests come in."""

from __future__ import annotations

import os
import signal
import threading
import time

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise

from aune.server import assets
from aune.server.front import Front


def _served() -> WhiteNoise:
    application = WhiteNoise(
        get_wsgi_application(), immutable_file_test=lambda path, url: True, allow_all_origins=False, charset="utf-8"
    )
    for name, path in assets.files().items():
        application.add_file_to_dictionary(assets.prefix() + name, str(path))
    return application


def _leave_with(parent: int) -> None:
    """End with the process that started this one: a server that was killed must not go on answering."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def application() -> Front:
    """What answers, in a process of its own that ends when its parent tells it to, or is gone."""
    # Ctrl-C reaches every process of a terminal: a worker of granian that is told twice hangs.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    return Front(_served(), settings.FILE_UPLOAD_TEMP_DIR)
