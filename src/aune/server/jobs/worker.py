"""The process that does jobs: one at a time, each in a child with limits, so that nothing that a job does harms it.

A job that was refused says why; one that needs more time or memory than it may have is refused too.
One whose process ended otherwise is tried once more, and then it is our fault.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import InterfaceError, OperationalError, connections

from aune.core.errors import AuneError, InputError
from aune.server.jobs import models
from aune.server.jobs.models import LEASE

BEAT = LEASE.total_seconds() / 6
HELD = LEASE.total_seconds() - 2 * BEAT  # seconds for which nobody else can have a job, however late one looks
IDLE = 0.3  # seconds between two looks into the queue
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
log = logging.getLogger(__name__)


class Work(NamedTuple):
    """What a kind of job does, and within which limits."""

    run: Callable[[dict[str, Any]], Any]
    """From a request to a result, both as JSON has them; an `AuneError` is a refusal."""
    seconds: int = 600
    megabytes: int = 4096
    load: Callable[[], object] = lambda: None
    """Imports what it needs, in the process that is copied for every job."""
    sees_its_start: bool = False
    """Whether it does what there was when it began: what happens while it runs needs another one."""


class Outcome(NamedTuple):
    """How a job ended; `lost` when its process ended before it could say."""

    state: str
    result: Any = None
    problems: list[str] = []  # noqa: RUF012 - never changed


def forever(works: Callable[[], Mapping[str, Work]], name: str, *, is_sure: bool = False) -> None:
    """Do jobs until standard input ends, which it does with the process that started this one.

    What jobs need is loaded when there is one, for most servers never have any; or at once where they are sure to come.
    """
    for work in works().values() if is_sure else ():
        _load(work)
    pause = IDLE
    while not select.select([sys.stdin], [], [], pause)[0]:
        try:
            while models.is_waiting() and done_next(works(), name):
                pass
            pause = IDLE
        except (OperationalError, InterfaceError):  # away, or full: it comes back
            log.exception("jobs wait for the database")
            connections.close_all()
            pause = LEASE.total_seconds() / 6


def done_next(works: Mapping[str, Work], name: str) -> bool:
    """Whether there was a job; it has ended then, or waits to be tried again."""
    job = models.leased(name)
    if job is None:
        return False
    work = works.get(job.kind)
    if work is None:
        models.ended(job, "failed", problems=[f"Nobody knows how to do {job.kind!r}."])
        return True
    _load(work)
    outcome = done(work, job.request, lambda: models.renewed(job))
    if outcome.state == "lost":
        models.returned(job)
    else:
        models.ended(job, outcome.state, outcome.result, outcome.problems)
    return True


def _load(work: Work) -> None:
    with suppress(AuneError, OSError):  # the job itself says so, in words
        work.load()


def done(work: Work, request: dict[str, Any], renew: Callable[[], bool]) -> Outcome:
    """What becomes of a request, in a process of its own."""
    connections.close_all()  # a child must not share them
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(work, request, writer)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as pipe:
            said = _heard(pipe, child, work.seconds, renew)
    except BaseException:  # the database is away: whoever has the job next must be alone with it
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if said is None:
        return Outcome("refused", problems=[f"This took more than {work.seconds} seconds."])
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return Outcome("refused", problems=[f"This took more than {work.seconds} seconds of computing."])
    return Outcome(**json.loads(said)) if said else Outcome("lost")


def _heard(pipe: Any, child: int, seconds: int, renew: Callable[[], bool]) -> bytes | None:
    """What a child says; nothing when it was ended, None when its time was over.

    A database that is full or away for a while ends no job: nobody else has it as long as its lease lasts.
    """
    start, said = time.monotonic(), b""
    deadline, beat, over = start + seconds, start + BEAT, start + HELD
    while True:
        if select.select([pipe], [], [], min(BEAT, 0.2))[0]:
            piece = os.read(pipe.fileno(), 1 << 16)
            if not piece:
                return said
            said += piece
        now = time.monotonic()
        if now > deadline:
            os.kill(child, signal.SIGKILL)
            return None
        if now > beat:
            beat = now + BEAT
            try:
                if not renew():  # somebody else has it
                    os.kill(child, signal.SIGKILL)
                    return b""
                over = now + HELD
            except (OperationalError, InterfaceError):
                if now > over:
                    raise
                connections.close_all()


def _child(work: Work, request: dict[str, Any], writer: int) -> None:
    """The life of a child: it never returns."""
    code = 0
    try:
        _limited(work)
        said = json.dumps(_outcome(work, request)._asdict()).encode()
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(said)
    except BaseException:
        traceback.print_exc()
        code = 70
    finally:
        os._exit(code)


def _limited(work: Work) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (work.seconds, work.seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (work.megabytes << 20, work.megabytes << 20))


def _outcome(work: Work, request: dict[str, Any]) -> Outcome:
    try:
        return Outcome("done", work.run(request))
    except InputError as error:
        return Outcome("refused", problems=[str(problem) for problem in error.problems])
    except AuneError as error:
        return Outcome("refused", problems=[str(error)])
    except MemoryError:
        return Outcome("refused", problems=[f"This needs more than {work.megabytes:,} MB of memory."])
    except Exception as error:
        log.exception("a job failed")
        return Outcome("lost" if isinstance(error, OSError) else "failed", problems=["A bug of ours."])
