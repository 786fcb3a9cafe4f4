"""The queue of submissions is the ledger: what waits is scored once, whoever looks, and idle looks cost nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.deadlines import format_timestamp, now
from aune.campaign.runs import jobs, scoring_process
from aune.campaign.runs.jobs import lease_next_job, longest_wait
from aune.contract import registry
from aune.errors import UsageError
from aune.server.campaign import scoring_queue
from aune.server.campaign.scoring_queue import ScoringQueue
from aune.server.jobs.__main__ import stop_on_termination
from aune.server.jobs.models import Job
from tests.campaign.conftest import campaign, team  # noqa: F401 - fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


@pytest.fixture
def two_runs(campaign: Campaign, team: Callable[..., Team]) -> Campaign:  # noqa: F811 - fixtures
    sender = team(campaign, "one")
    for name in ("a", "b"):
        campaign.receive(sender.id, "try", name, "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    return campaign


def states(here: Campaign) -> list[str]:
    return [submission.state for submission in here.state.submissions.values()]


def test_what_waits_is_scored_in_its_order_without_a_row(two_runs: Campaign) -> None:
    queue = ScoringQueue(two_runs.folder)
    assert queue.score_next() and states(two_runs) == ["scored", "received"]
    assert ScoringQueue(two_runs.folder).score_next() and states(two_runs) == ["scored", "scored"]
    assert not queue.score_next()
    assert not Job.objects.exists()


def test_an_idle_queue_reads_the_ledger_only_when_it_grows(two_runs: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, looks = ScoringQueue(two_runs.folder), list[int]()
    real = scoring_queue.unleased_submissions
    monkeypatch.setattr(scoring_queue, "unleased_submissions", lambda here: looks.append(1) or real(here))
    while queue.score_next():
        pass
    looks.clear()
    assert not any(queue.score_next() for _ in range(5)) and not looks
    [sender] = two_runs.state.teams.values()
    two_runs.receive(sender.id, "try", "c", "a.tsv", (two_runs.folder / "keys/try.tsv").read_bytes())
    assert queue.score_next() and states(two_runs) == ["scored"] * 3


def test_the_lease_of_another_worker_is_waited_for(two_runs: Campaign) -> None:
    """And taken over when it ends, without any new entry."""
    dead = lease_next_job(two_runs)
    assert dead is not None
    queue = ScoringQueue(two_runs.folder)
    assert queue.score_next() and not queue.score_next()
    assert states(two_runs) == ["received", "scored"]
    lease = {"submission": dead.submission, "version": 1, "attempt": 1}
    two_runs.append("leased", {**lease, "until": format_timestamp(now() + timedelta(seconds=0.5))})
    assert not queue.score_next()
    length = len(two_runs.ledger.entries())
    time.sleep(0.6)
    assert len(two_runs.ledger.entries()) == length
    assert queue.score_next() and states(two_runs) == ["scored", "scored"]


def test_a_failure_is_an_attempt_and_ends_nothing(
    two_runs: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(scoring_queue, "FAILURE_PAUSE", 0.0)
    queue = ScoringQueue(two_runs.folder)
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "score_job", lambda *_: (_ for _ in ()).throw(PermissionError("not yours")))
        assert not queue.score_next()
    assert "submissions wait" in caplog.text
    [first, _] = two_runs.state.submissions.values()
    assert first.attempts == {1: 1}
    while queue.score_next():
        pass
    assert states(two_runs) == ["scored", "scored"]


def test_a_cluster_that_is_away_is_asked_less_and_less(two_runs: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def nobody(*arguments: object) -> Iterator[None]:
        raise UsageError("no scheduler there")
        yield

    monkeypatch.setattr(registry, "engine", lambda name: nobody)
    monkeypatch.setenv(jobs.ENGINE_VARIABLE, "dask=tcp://nowhere:1 1")
    clock = [1000.0]
    monkeypatch.setattr(scoring_queue, "monotonic", lambda: clock[0])
    monkeypatch.setattr(jobs, "CLUSTER_PAUSE", -1)
    queue, tries = ScoringQueue(two_runs.folder), list[float]()
    real = scoring_queue.run_job
    monkeypatch.setattr(scoring_queue, "run_job", lambda *arguments: tries.append(clock[0]) or real(*arguments))
    while clock[0] < 1000 + 3600:
        assert not queue.score_next()
        clock[0] += 30
    assert [after - before for before, after in pairwise(tries)] == [60, 120, 240, 480, 900, 900]
    [first, _] = two_runs.state.submissions.values()
    assert first.waits_for and first.attempts == {1: 0}


def test_a_worker_that_is_ended_gives_its_submission_back(
    two_runs: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At once: the next server need not wait for the end of a lease."""
    started = tmp_path / "started"

    def forever(folder: Path) -> None:
        started.touch()
        time.sleep(600)

    monkeypatch.setattr(scoring_process, "main", forever)

    def work() -> None:
        stop_on_termination()
        ScoringQueue(two_runs.folder).score_next()

    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    while not started.exists():
        time.sleep(0.01)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGTERM)
    worker.join()
    assert not list((two_runs.folder / "work").iterdir())
    job = lease_next_job(two_runs)
    assert job is not None and job.attempt == 1


def test_how_long_submissions_wait(two_runs: Campaign) -> None:
    hour = timedelta(hours=1)
    assert timedelta() < longest_wait(two_runs) < hour
    queue = ScoringQueue(two_runs.folder)
    while queue.score_next():
        pass
    assert longest_wait(two_runs) == timedelta()
