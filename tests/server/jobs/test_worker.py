"""Jobs: named ends, one retry, limits, leases that are noticed when they run out."""

from __future__ import annotations

import os
import signal
import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from aune.core.errors import InputError, Problem, UsageError
from aune.server.jobs import models
from aune.server.jobs.models import Job
from aune.server.jobs.worker import Work, done, done_next

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


def added(request: dict[str, Any]) -> int:
    return sum(request["numbers"])


def refused(request: dict[str, Any]) -> None:
    raise UsageError("there is nothing to score")


def malformed(request: dict[str, Any]) -> None:
    raise InputError([Problem("a.conll", 3, 1, "found '(1'"), Problem("a.conll", 9, 1, "found ')'")])


def broken(request: dict[str, Any]) -> None:
    raise ZeroDivisionError


def killed(request: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless(request: dict[str, Any]) -> None:
    time.sleep(60)


def greedy(request: dict[str, Any]) -> int:
    return len(bytearray(8 << 30))


@pytest.mark.parametrize(
    ("work", "state", "result", "problem"),
    [
        (Work(added), "done", 6, ""),
        (Work(refused), "refused", None, "there is nothing to score"),
        (Work(malformed), "refused", None, "a.conll:3:1: found '(1'"),
        (Work(broken), "failed", None, "A bug of ours."),
        (Work(killed), "lost", None, ""),
        (Work(endless, seconds=1), "refused", None, "This took more than 1 seconds."),
        (Work(greedy, megabytes=4096), "refused", None, "This needs more than 4,096 MB of memory."),
    ],
)
def test_every_end_has_a_name(work: Work, state: str, result: Any, problem: str) -> None:
    outcome = done(work, {"numbers": [1, 2, 3]}, lambda: True)
    assert (outcome.state, outcome.result) == (state, result)
    assert outcome.problems[:1] == ([problem] if problem else [])


def test_a_lost_job_is_tried_once_more() -> None:
    job = models.asked("end", {})
    works = {"end": Work(killed)}
    assert done_next(works, "w")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 1)
    assert done_next(works, "w")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", 2)
    assert not done_next(works, "w")


def test_a_silent_worker_loses_its_job() -> None:
    job = models.asked("add", {"numbers": [1]})
    held = models.leased("first")
    assert held is not None and models.leased("second") is None
    Job.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert done_next({"add": Work(added)}, "second")
    job.refresh_from_db()
    assert (job.state, job.result, job.worker) == ("done", 1, "second")
    assert not models.ended(held, "failed")  # whoever lost it has no say
    assert not models.renewed(held)


def test_silent_twice_is_our_fault() -> None:
    job = models.asked("add", {})
    for name in ("first", "second"):
        assert models.leased(name)
        Job.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert models.leased("third") is None
    job.refresh_from_db()
    assert job.state == "failed" and job.problems


def test_unknown_work_fails() -> None:
    job = models.asked("unheard of", {})
    assert done_next({}, "w")
    job.refresh_from_db()
    assert job.state == "failed"


def test_what_jobs_need_is_loaded_in_the_process_that_is_copied() -> None:
    """And where it cannot be, the job says why, not the worker."""

    def unloadable() -> None:
        raise UsageError("no such protocol")

    loaded: list[int] = []
    works = {"add": Work(added, load=lambda: loaded.append(1)), "fail": Work(refused, load=unloadable)}
    jobs = [models.asked("add", {"numbers": [1]}), models.asked("fail", {})]
    while done_next(works, "w"):
        pass
    assert loaded == [1]
    for job in jobs:
        job.refresh_from_db()
    assert [(job.state, job.problems) for job in jobs] == [("done", []), ("refused", ["there is nothing to score"])]


def test_the_oldest_first() -> None:
    for number in range(3):
        models.asked("add", {"numbers": [number]})
    while done_next({"add": Work(added)}, "w"):
        pass
    assert [job.result for job in Job.objects.order_by("ended")] == [0, 1, 2]
