"""Jobs: named ends, one retry, limits, leases that are noticed when they run out."""

from __future__ import annotations

import os
import resource
import signal
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from aune import sandbox
from aune.errors import InputError, Place, Problem, UsageError
from aune.server.jobs import models, worker
from aune.server.jobs.models import Job
from aune.server.jobs.worker import JobKind, Lease, run_job, run_next_job
from aune.server.work_slots import BusyError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


def add_numbers(request: dict[str, Any]) -> int:
    return sum(request["numbers"])


def raise_refusal(request: dict[str, Any]) -> None:
    raise UsageError("there is nothing to score")


def raise_malformed(request: dict[str, Any]) -> None:
    raise InputError(
        [
            Problem("mention.unclosed", Place("a.conll", 3), "'(1'"),
            Problem("mention.unopened", Place("a.conll", 9), "')'"),
        ]
    )


def broken(request: dict[str, Any]) -> None:
    raise ZeroDivisionError


def kill_itself(request: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless(request: dict[str, Any]) -> None:
    time.sleep(60)


def greedy(request: dict[str, Any]) -> int:
    return len(bytearray(8 << 30))


@pytest.mark.parametrize(
    ("work", "state", "result", "problem"),
    [
        (JobKind(add_numbers), "done", 6, ""),
        (JobKind(raise_refusal), "refused", None, "there is nothing to score"),
        (JobKind(raise_malformed), "refused", None, "a.conll:3:1: found '(1'"),
        (JobKind(broken), "failed", None, "An internal error."),
        (JobKind(kill_itself), "lost", None, ""),
        (JobKind(endless, seconds=1), "refused", None, "This took more than 1 seconds."),
        (JobKind(greedy, megabytes=4096), "refused", None, "This needs more than 4,096 MB of memory."),
    ],
)
def test_every_end_has_a_name(work: JobKind, state: str, result: Any, problem: str) -> None:
    outcome = run_job(work, {"numbers": [1, 2, 3]}, Lease(lambda: True))
    assert (outcome.state, outcome.result) == (state, result)
    assert outcome.problems[:1] == ([problem] if problem else [])


def memory_limits(request: dict[str, Any]) -> list[int]:
    return list(resource.getrlimit(resource.RLIMIT_AS))


def test_what_contains_its_work_itself_is_not_contained_twice() -> None:
    """A board may need more memory than its job; what it starts has the limits of the protocol."""
    contained = run_job(JobKind(memory_limits, is_contained=True), {}, Lease(lambda: True))
    assert contained.result == memory_limits({})
    assert run_job(JobKind(memory_limits, megabytes=4096), {}, Lease(lambda: True)).result == [4 << 30, 4 << 30]


def test_a_lost_job_is_tried_once_more() -> None:
    job = models.create_job("end", {})
    works = {"end": JobKind(kill_itself)}
    assert run_next_job(works, "w")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 1)
    assert run_next_job(works, "w")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", 2)
    assert not run_next_job(works, "w")


def test_a_job_is_given_back_when_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often: a board takes longer than some servers run."""

    def stopped(*_: object) -> None:
        raise SystemExit

    job = models.create_job("add", {"numbers": [1]})
    with monkeypatch.context() as patched:
        patched.setattr(worker, "run_job", stopped)
        for _ in range(3):
            with pytest.raises(SystemExit):
                run_next_job({"add": JobKind(add_numbers)}, "w")
            job.refresh_from_db()
            assert (job.state, job.attempts) == ("queued", 0)
    assert run_next_job({"add": JobKind(add_numbers)}, "w")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 1)


def test_a_silent_worker_loses_its_job() -> None:
    job = models.create_job("add", {"numbers": [1]})
    contents = models.lease_job("first")
    assert contents is not None and models.lease_job("second") is None
    Job.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert run_next_job({"add": JobKind(add_numbers)}, "second")
    job.refresh_from_db()
    assert (job.state, job.result, job.worker) == ("done", 1, "second")
    assert not models.end_job(contents, "failed")  # whoever lost it has no say
    assert not models.renew_lease(contents)


def test_silent_twice_is_our_fault() -> None:
    job = models.create_job("add", {})
    for name in ("first", "second"):
        assert models.lease_job(name)
        Job.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert models.lease_job("third") is None
    job.refresh_from_db()
    assert job.state == "failed" and job.problems


def test_unknown_work_fails() -> None:
    job = models.create_job("unheard of", {})
    assert run_next_job({}, "w")
    job.refresh_from_db()
    assert job.state == "failed"


def test_what_jobs_need_is_loaded_in_the_process_that_is_copied() -> None:
    """And where it cannot be, the job says why, not the worker."""

    def unloadable() -> None:
        raise UsageError("no such protocol")

    loaded: list[int] = []
    works = {
        "add": JobKind(add_numbers, load=lambda: loaded.append(1)),
        "fail": JobKind(raise_refusal, load=unloadable),
    }
    jobs = [models.create_job("add", {"numbers": [1]}), models.create_job("fail", {})]
    while run_next_job(works, "w"):
        pass
    assert loaded == [1]
    for job in jobs:
        job.refresh_from_db()
    assert [(job.state, job.problems) for job in jobs] == [("done", []), ("refused", ["there is nothing to score"])]


def test_the_oldest_first() -> None:
    for number in range(3):
        models.create_job("add", {"numbers": [number]})
    while run_next_job({"add": JobKind(add_numbers)}, "w"):
        pass
    assert [job.result for job in Job.objects.order_by("ended")] == [0, 1, 2]


def test_a_database_that_is_back_before_the_lease_ends_costs_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    measure: list[bool] = []

    def away_for_a_while() -> bool:
        measure.append(len(measure) % 3 == 2)
        if not measure[-1]:
            raise OperationalError("database or disk is full")
        return True

    monkeypatch.setattr(worker, "BEAT", 0.05)
    monkeypatch.setattr(sandbox, "POLL_SECONDS", 0.05)
    slow = JobKind(lambda _: time.sleep(1))
    assert run_job(slow, {}, Lease(away_for_a_while)).state == "done"
    assert measure.count(False) > 2 < measure.count(True)


def test_a_database_that_goes_away_ends_the_job_and_not_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has the job next is alone with it; the worker looks again a while later."""

    def away(*_: object) -> bool:
        raise OperationalError("the database is away")

    children: list[int] = []
    fork = os.fork

    def fork_child() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(worker, "BEAT", 0.05)
    monkeypatch.setattr(worker, "SAFE_SECONDS", 0.2)
    monkeypatch.setattr(os, "fork", fork_child)
    with pytest.raises(OperationalError):
        run_job(JobKind(lambda _: time.sleep(60)), {}, Lease(away))
    with pytest.raises(ChildProcessError):
        os.waitpid(children[0], os.WNOHANG)
    pauses: list[float] = []
    monkeypatch.setattr(models, "is_waiting", lambda but: len(pauses) == 1 and away())

    def select_format(*arguments: object) -> tuple[list[object], ...]:
        pauses.append(float(str(arguments[-1])))
        return ([] if len(pauses) < 3 else [1],)

    monkeypatch.setattr(worker.select, "select", select_format)
    worker.serve_jobs(dict, "somebody")
    assert pauses[1] > pauses[0] == pauses[2]


def test_of_what_is_asked_for_few_wait() -> None:
    """Whoever asks for more of a kind is told to wait: the worker has other things to do. What waits is not refused."""
    first = models.find_or_create_job("losses", {}, "one", 2)
    models.find_or_create_job("losses", {}, "two", 2)
    with pytest.raises(BusyError):
        models.find_or_create_job("losses", {}, "three", 2)
    assert models.find_or_create_job("losses", {}, "one", 2) == first
    assert models.find_or_create_job("other", {}, "three", 2)


def test_a_quick_lane_leaves_long_jobs_to_others() -> None:
    """The validity of a run does not wait behind a board."""
    kinds = {"board": JobKind(add_numbers, is_long=True), "score": JobKind(add_numbers)}
    models.create_job("board", {"numbers": [1]})
    later = models.create_job("score", {"numbers": [2]})
    assert run_next_job(kinds, "quick", ["board"])
    later.refresh_from_db()
    assert later.state == "done"
    assert not models.is_waiting(["board"]) and not run_next_job(kinds, "quick", ["board"])
    assert models.is_waiting() and run_next_job(kinds, "any")
