"""Every job ends in a named state, whatever happens to the process that does it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune.campaign import jobs, worker
from aune.campaign.campaign import Campaign
from aune.campaign.instants import now, stamp
from aune.campaign.jobs import FaultError, in_a_process, make_board, score_job, taken, waiting, work
from aune.campaign.records import Team


@pytest.fixture
def submitted(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    one = team(campaign, "one")
    campaign.receive(one.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    return campaign


def job_of(campaign: Campaign) -> dict[str, Any]:
    [(one, version)] = waiting(campaign.state)
    return score_job(campaign, one, version)


def test_a_worker_that_is_killed_is_noticed_and_the_job_retried_once(
    submitted: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = worker.main
    flag = tmp_path / "killed"

    def dies_once(folder: Path) -> None:
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        real(folder)

    monkeypatch.setattr(worker, "main", dies_once)
    assert work(submitted) == {"retried": 1, "scored": 1}
    assert not list((submitted.folder / "work").iterdir())


def test_the_process_that_leases_a_job_may_die_too(submitted: Campaign) -> None:
    """Its lease runs out; a second one does, and then it is our fault."""
    for attempt in (1, 2):
        job = taken(submitted)
        assert job is not None and job.attempt == attempt
        assert taken(submitted) is None
        submitted.append(
            "leased", {"submission": job.submission, "version": 1, "attempt": attempt, "until": stamp(now())}
        )
    assert taken(submitted) is None
    [one] = submitted.state.submissions.values()
    assert one.state == "fault"
    assert submitted.used(one.team, "try")["total"] == 0


def test_a_job_that_takes_too_long_is_ended(submitted: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(folder: Path) -> None:
        import time

        time.sleep(60)

    monkeypatch.setattr(worker, "main", forever)
    job = {**job_of(submitted), "limits": {"seconds": 1, "memory": 4_000_000_000}}
    with pytest.raises(FaultError, match="more than 1 seconds"):
        in_a_process(submitted, job)


def test_a_job_that_takes_too_much_memory_is_ended(submitted: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(folder: Path) -> None:
        worker.limit({"seconds": 60, "memory": 3_000_000_000})
        bytearray(8_000_000_000)

    monkeypatch.setattr(worker, "main", greedy)
    with pytest.raises(FaultError, match="more memory"):
        in_a_process(submitted, job_of(submitted))


def test_processor_time_is_limited(submitted: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(folder: Path) -> None:
        worker.limit({"seconds": 1, "memory": 4_000_000_000})
        while True:
            pass

    monkeypatch.setattr(worker, "main", busy)
    with pytest.raises(FaultError, match="exit code"):
        in_a_process(submitted, job_of(submitted))


def test_a_new_process_gives_the_same_result(submitted: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(submitted)
    copied = in_a_process(submitted, job)
    monkeypatch.undo()
    monkeypatch.setattr(jobs, "forked", jobs.spawned)
    assert in_a_process(submitted, job) == copied


def test_rooms_of_dead_processes_are_cleared_away(submitted: Campaign) -> None:
    left = submitted.folder / "work" / "999999999-dead"
    left.mkdir(parents=True)
    work(submitted)
    assert not left.exists()


def test_a_board_is_made_once_for_the_same_runs(submitted: Campaign) -> None:
    assert make_board(submitted, "try")["systems"] == {}
    work(submitted)
    first = make_board(submitted, "try")
    before = len(submitted.ledger.entries())
    assert make_board(submitted, "try") == first
    assert len(submitted.ledger.entries()) == before
