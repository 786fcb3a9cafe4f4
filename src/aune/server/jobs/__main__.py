"""`python -m aune.server.jobs`: the worker of a site, which `aune serve` starts."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import django

from aune.server.jobs.job_process import answer_job
from aune.server.site import current
from aune.server.spawned_process import CAN_FORK, SpawnedProcess

if TYPE_CHECKING:
    from aune.server.jobs.worker import JobKind


def main() -> None:
    """Run the jobs of the site until standard input is closed."""
    django.setup()
    from aune.server.jobs.worker import serve_jobs  # noqa: PLC0415 - models can be imported only after django.setup()

    name = f"{socket.gethostname()[:40]}-{os.getpid()}"
    process = None if CAN_FORK else SpawnedProcess(answer_job)
    is_quick = "--quick" in sys.argv[1:]
    serve_jobs(job_kinds, name, load_now=current().has_campaign, is_quick=is_quick, process=process)


def job_kinds() -> Mapping[str, JobKind]:
    """The kinds of jobs; this call imports the modules that implement them."""
    from aune.server.job_kinds import WORK  # noqa: PLC0415

    return WORK


if __name__ == "__main__":
    main()
