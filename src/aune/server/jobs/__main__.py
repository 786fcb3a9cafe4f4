"""`python -m aune.server.jobs`: the worker of a site, started by `aune serve`."""

from __future__ import annotations

import os
import socket

import django


def main() -> None:
    """Do the jobs of the site until standard input ends."""
    django.setup()
    from aune.server.jobs.worker import forever  # noqa: PLC0415 - models need Django to be there
    from aune.server.work import WORK  # noqa: PLC0415

    forever(WORK, f"{socket.gethostname()[:40]}-{os.getpid()}")


if __name__ == "__main__":
    main()
