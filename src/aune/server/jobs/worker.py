"""The worker process: it does one job at a time, each in a child process with limits, so that no job can harm it.

A refused job reports its reasons. A job that needs more time or memory than allowed is refused too.
A job whose process ended in another way is tried once more, and then counts as failed.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import InterfaceError, OperationalError, connections

from aune.errors import AuneError, InputError
from aune.sandbox import Limits, run_function
from aune.server.jobs import models
from aune.server.jobs.models import LEASE
from aune.server.spawned_process import SpawnedProcess

BEAT = LEASE.total_seconds() / 6
SAFE_SECONDS = LEASE.total_seconds() - 2 * BEAT  # seconds after a renewal during which no other worker can get the job
IDLE = 0.3  # seconds between two checks of the queue
log = logging.getLogger(__name__)


class JobKind(NamedTuple):
    """What a kind of job does, and its limits."""

    run: Callable[[dict[str, Any]], Any]
    """Computes the result from the request, both JSON values; an `AuneError` is a refusal."""
    seconds: int = 600
    megabytes: int = 4096
    load: Callable[[], object] = lambda: None
    """Imports what the job needs, in the worker, from which every job is forked."""
    is_long: bool = False
    """Whether the job may take minutes: with two workers or more, the first one leaves it to the others."""
    is_contained: bool = False
    """Whether its work is done in limited processes that it starts itself, so that it needs no limit of memory."""
    works_on_snapshot: bool = False
    """Whether the job uses the data as they were when it began, so that later changes need a new job."""


class Outcome(NamedTuple):
    """How a job ended; `lost` if its process ended without reporting an outcome."""

    state: str
    result: Any = None
    problems: list[str] = []  # noqa: RUF012 - never modified


def serve_jobs(
    kinds: Callable[[], Mapping[str, JobKind]],
    name: str,
    *,
    load_now: bool = False,
    is_quick: bool = False,
    process: SpawnedProcess | None = None,
    score_next: Callable[[], bool] = lambda: False,
) -> None:
    """Do jobs until standard input is closed, which happens when the process that started this one ends.

    The modules that jobs need are imported at the first job, as most servers have none; with `load_now`, immediately.
    A quick worker does no job that may take minutes: it validates runs while others compute leaderboards.
    Jobs are done in forks of this process, or in `process` where nothing can be forked. `score_next` scores the next
    submission of a campaign, in turn with the jobs of the database, and returns whether there was one.
    """
    others = [kind_name for kind_name, kind in kinds().items() if kind.is_long] if is_quick else []
    for kind in kinds().values() if load_now and process is None else ():
        _load(kind)
    pause, is_over = IDLE, _input_watcher(process is None)
    while not is_over(pause):
        try:
            did_score = score_next()
            did_job = models.is_waiting(others) and run_next_job(kinds(), name, others, process)
            pause = 0.0 if did_score or did_job else IDLE
        except (OperationalError, InterfaceError):  # the database is down or its disk is full: try again later
            log.exception("jobs wait for the database")
            connections.close_all()
            pause = LEASE.total_seconds() / 6


def _input_watcher(can_select: bool) -> Callable[[float], bool]:
    """A function that waits for some seconds and returns whether standard input was closed meanwhile."""
    if can_select:
        return lambda seconds: bool(select.select([sys.stdin], [], [], seconds)[0])
    closed = threading.Event()  # elsewhere `select` may know sockets alone

    def wait_for_end() -> None:
        with suppress(OSError):
            os.read(0, 1)
        closed.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    return closed.wait


def run_next_job(
    kinds: Mapping[str, JobKind], name: str, but: Collection[str] = (), process: SpawnedProcess | None = None
) -> bool:
    """Do one job, if there is one; False if there is none. The job ends or goes back into the queue."""
    job = models.lease_job(name, but)
    if job is None:
        return False
    kind = kinds.get(job.kind)
    if kind is None:
        models.end_job(job, "failed", problems=[f"Nobody knows how to do {job.kind!r}."])
        return True
    lease = Lease(lambda: models.renew_lease(job))
    try:
        if process is None:
            _load(kind)
            outcome = run_job(kind, job.request, lease)
        else:
            outcome = _run_spawned(process, job, kind.seconds, lease)
    except SystemExit:  # the server stops
        with suppress(OperationalError, InterfaceError):
            models.release_job(job)
        raise
    if outcome.state == "lost":
        models.return_job(job)
    else:
        models.end_job(job, outcome.state, outcome.result, outcome.problems)
    return True


def _load(kind: JobKind) -> None:
    with suppress(AuneError, OSError):  # the job will report this problem itself
        kind.load()


class Lease:
    """The lease of a job that runs, renewed again and again.

    A job survives a short failure of the database: no other worker gets it before its lease expires.
    """

    def __init__(self, renew: Callable[[], bool]) -> None:
        self._renew = renew
        self._beat, self._over = time.monotonic() + BEAT, time.monotonic() + SAFE_SECONDS

    def is_valid(self) -> bool:
        """Whether this worker still has the job; raises the error of a database that was down for too long."""
        now = time.monotonic()
        if now <= self._beat:
            return True
        self._beat = now + BEAT
        try:
            if not self._renew():  # another worker has the job now
                return False
            self._over = now + SAFE_SECONDS
        except (OperationalError, InterfaceError):
            if now > self._over:
                raise
            connections.close_all()
        return True


def _run_spawned(process: SpawnedProcess, job: models.Job, seconds: int, lease: Lease) -> Outcome:
    """The outcome of a job, which a spawned process computes."""
    try:
        output = process.request(json.dumps([job.kind, job.request]).encode(), seconds, lease.is_valid)
    except TimeoutError:
        return Outcome("refused", problems=[f"This took more than {seconds} seconds."])
    return Outcome(**json.loads(output)) if output else Outcome("lost")


def run_job(kind: JobKind, request: dict[str, Any], lease: Lease) -> Outcome:
    """The outcome of a request, which a fork of this process computes."""
    connections.close_all()  # a child process must not share them
    limits = Limits(kind.seconds, None if kind.is_contained else kind.megabytes << 20)
    ending = run_function(lambda: json.dumps(job_outcome(kind, request)._asdict()).encode(), limits, lease.is_valid)
    if ending.code is None:
        return Outcome("refused", problems=[f"This took more than {kind.seconds} seconds."])
    if ending.code == -signal.SIGXCPU:
        return Outcome("refused", problems=[f"This took more than {kind.seconds} seconds of computing."])
    return Outcome(**json.loads(ending.output)) if ending.output else Outcome("lost")


def job_outcome(kind: JobKind, request: dict[str, Any]) -> Outcome:
    """Do a job in this process."""
    try:
        return Outcome("done", kind.run(request))
    except InputError as error:
        return Outcome("refused", problems=[str(problem) for problem in error.problems])
    except AuneError as error:
        return Outcome("refused", problems=[str(error)])
    except MemoryError:
        return Outcome("refused", problems=[f"This needs more than {kind.megabytes:,} MB of memory."])
    except Exception as error:
        log.exception("a job failed")
        return Outcome("lost" if isinstance(error, OSError) else "failed", problems=["An internal error."])
