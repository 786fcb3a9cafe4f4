"""`python -m aune.server.jobs`: the worker of a site, which `aune serve` starts."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
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
    stop_on_termination()
    has_campaign = current().has_campaign
    serve_jobs(
        job_kinds, name, load_now=has_campaign, is_quick=is_quick, process=process,
        score_next=_scoring_queue() if has_campaign else lambda: False,
    )  # fmt: skip


def stop_on_termination() -> None:
    """Let SIGTERM unwind this process, so that it gives back the submission that it scores."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def _scoring_queue() -> Callable[[], bool]:
    from aune.server.campaign.scoring_queue import ScoringQueue  # noqa: PLC0415 - imports models

    return ScoringQueue(Path(current().folder)).score_next


def job_kinds() -> Mapping[str, JobKind]:
    """The kinds of jobs; this call imports the modules that implement them."""
    from aune.server.job_kinds import WORK  # noqa: PLC0415

    return WORK


if __name__ == "__main__":
    main()
