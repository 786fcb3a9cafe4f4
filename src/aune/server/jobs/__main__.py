"""`python -m aune.server.jobs`: the worker of a site, started by `aune serve`."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

import django

from aune.server.site import current

if TYPE_CHECKING:
    from aune.server.jobs.worker import Work


def main() -> None:
    """Do the jobs of the site until standard input ends."""
    django.setup()
    from aune.server.jobs.worker import forever  # noqa: PLC0415 - models need Django to be there

    forever(works, f"{socket.gethostname()[:40]}-{os.getpid()}", is_sure=current().has_campaign)


def works() -> Mapping[str, Work]:
    """The kinds of jobs, with all that they import."""
    from aune.server.work import WORK  # noqa: PLC0415

    return WORK


if __name__ == "__main__":
    main()
