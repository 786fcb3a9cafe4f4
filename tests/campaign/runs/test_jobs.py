"""Every job ends in a named state, whatever happens to the process that does it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.deadlines import format_timestamp, now
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.runs import jobs, scoring_process
from aune.campaign.runs.jobs import (
    Engine,
    FaultError,
    lease_next_job,
    make_board,
    run_in_process,
    run_job,
    score_job,
    score_waiting,
    waiting_submissions,
)
from aune.contract import registry
from aune.errors import UsageError
from aune.sandbox import Limits, restrict
from tests.campaign.conftest import in_its_dry_run
from tests.disks import fill_disk, small_disk


@pytest.fixture
def submitted_campaign(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    first_team = team(campaign, "one")
    campaign.receive(first_team.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    return campaign


def job_of(campaign: Campaign) -> dict[str, Any]:
    [(waiting_submission, version)] = waiting_submissions(campaign.state)
    return score_job(campaign, waiting_submission, version)


def test_a_worker_that_is_killed_is_noticed_and_the_job_retried_once(
    submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = scoring_process.main
    flag = tmp_path / "killed"

    def dies_once(folder: Path) -> None:
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        real(folder)

    monkeypatch.setattr(scoring_process, "main", dies_once)
    assert score_waiting(submitted_campaign) == {"retried": 1, "scored": 1}
    assert not list((submitted_campaign.folder / "work").iterdir())


def test_the_process_that_leases_a_job_may_die_too(submitted_campaign: Campaign) -> None:
    """Its lease runs out; a second one does, and then it is our fault."""
    for attempt in (1, 2):
        job = lease_next_job(submitted_campaign)
        assert job is not None and job.attempt == attempt
        assert lease_next_job(submitted_campaign) is None
        submitted_campaign.append(
            "leased", {"submission": job.submission, "version": 1, "attempt": attempt, "until": format_timestamp(now())}
        )
    assert lease_next_job(submitted_campaign) is None
    [score] = submitted_campaign.state.submissions.values()
    assert score.state == "fault"
    assert submitted_campaign.submission_counts(score.team, "try")["total"] == 0


@pytest.mark.parametrize("room", range(0, 64, 8))
def test_a_full_disk_is_waited_for(
    tmp_path: Path, team: Callable[..., Team], room: int, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Wherever the job is when there is no room left, it goes on as soon as there is some: it is nobody's fault.

    Whoever waits beside it is told, once at each place.
    """
    monkeypatch.setattr(jobs, "DISK_POLL", 0.05)
    with small_disk(tmp_path) as disk:
        campaign = in_its_dry_run(disk / "campaign")
        sender = team(campaign, "one")
        campaign.receive(sender.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
        job = lease_next_job(campaign)
        assert job is not None
        cleared = threading.Timer(0.3, fill_disk(disk, room).unlink)
        cleared.start()
        try:
            assert run_job(campaign, job) == "scored"
        finally:
            cleared.join()
        assert campaign.state.submissions[job.submission].attempts == {1: 1}
    messages = [record.message for record in caplog.records]
    assert all("the disk is full: waiting for room" in message for message in messages) and len(messages) <= 3
    assert messages or room


def test_what_is_interrupted_is_given_back(submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, however often, for it is no attempt; what fails by itself is one, and the second is our fault."""

    def fails(error: BaseException) -> None:
        with monkeypatch.context() as patched, pytest.raises(type(error)):
            patched.setattr(jobs, "score_job", lambda *_: (_ for _ in ()).throw(error))
            score_waiting(submitted_campaign)

    for error in (KeyboardInterrupt(), KeyboardInterrupt(), KeyboardInterrupt(), PermissionError("not yours")):
        fails(error)
    assert score_waiting(submitted_campaign) == {"scored": 1}
    fresh = submitted_campaign.receive(
        next(iter(submitted_campaign.state.teams)),
        "try",
        "run",
        "b.tsv",
        (submitted_campaign.folder / "keys/try.tsv").read_bytes() + b"\n",
    )
    fails(PermissionError("not yours"))
    fails(PermissionError("not yours"))
    assert lease_next_job(submitted_campaign) is None
    assert submitted_campaign.state.submissions[fresh.submission].state == "fault"


def forever(folder: Path) -> None:
    time.sleep(60)


def greedy(folder: Path) -> None:
    restrict(Limits(60, 3_000_000_000))
    bytearray(8_000_000_000)


def busy(folder: Path) -> None:
    restrict(Limits(1, 4_000_000_000))
    while True:
        pass


def test_a_job_that_takes_too_long_is_ended(submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_process, "main", forever)
    job = {**job_of(submitted_campaign), "limits": {"seconds": 1, "memory": 4_000_000_000}}
    with pytest.raises(FaultError, match="more than 1 seconds"):
        run_in_process(submitted_campaign, job)


def test_a_job_that_takes_too_much_memory_is_ended(
    submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_process, "main", greedy)
    with pytest.raises(FaultError, match="more memory"):
        run_in_process(submitted_campaign, job_of(submitted_campaign))


def test_processor_time_is_limited(submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_process, "main", busy)
    with pytest.raises(FaultError, match="exit code"):
        run_in_process(submitted_campaign, job_of(submitted_campaign))


@pytest.mark.parametrize("harm", [forever, greedy, busy])
def test_a_run_that_needs_more_than_it_may_is_refused_and_counts(
    submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None]
) -> None:
    """Otherwise one could send such runs for ever; the queue goes on with the next."""
    [score] = submitted_campaign.state.submissions.values()
    submitted_campaign.receive(score.team, "try", "next", "next.tsv", submitted_campaign.store.get(score.upload))
    monkeypatch.setattr(scoring_process, "main", harm)
    monkeypatch.setattr(jobs, "run_in_process", lambda campaign, job, engine: _in_a_second(campaign, job))
    assert score_waiting(submitted_campaign, 2) == {"retried": 1, "refused": 1}
    [score, following] = submitted_campaign.state.submissions.values()
    assert "within the limits of the protocol" in submitted_campaign.status(THE_ORGANISER, score.id)["problems"][0][3]
    assert submitted_campaign.submission_counts(score.team, "try") == {"valid": 0, "waiting": 1, "total": 2}
    monkeypatch.undo()
    assert score_waiting(submitted_campaign) == {"scored": 1}
    assert submitted_campaign.state.submissions[following.id].state == "scored"
    assert verify_folder(submitted_campaign.folder).problems == []


def _in_a_second(campaign: Campaign, job: Mapping[str, Any]) -> Mapping[str, Any]:
    return run_in_process(campaign, {**job, "limits": {**job["limits"], "seconds": 2}})


def test_a_new_process_gives_the_same_result(submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(submitted_campaign)
    copied = run_in_process(submitted_campaign, job)
    monkeypatch.undo()
    monkeypatch.setattr(jobs, "run_forked", jobs.run_spawned)
    assert run_in_process(submitted_campaign, job) == copied


def test_rooms_of_dead_processes_are_cleared_away(submitted_campaign: Campaign) -> None:
    left = submitted_campaign.folder / "work" / "999999999-dead"
    left.mkdir(parents=True)
    score_waiting(submitted_campaign)
    assert not left.exists()


def test_a_board_is_made_once_for_the_same_runs(submitted_campaign: Campaign) -> None:
    assert make_board(submitted_campaign, "try")["systems"] == {}
    score_waiting(submitted_campaign)
    first = make_board(submitted_campaign, "try")
    before = len(submitted_campaign.ledger.entries())
    assert make_board(submitted_campaign, "try") == first
    assert len(submitted_campaign.ledger.entries()) == before


# Engines.


@pytest.fixture
def tabled_job(campaign: Campaign, team: Callable[..., Team]) -> dict[str, Any]:
    """The job of a board with two runs, one of which has a table."""
    first_team, two = team(campaign, "one"), team(campaign, "two")
    data = (campaign.folder / "keys/try.tsv").read_bytes()
    campaign.receive(first_team.id, "try", "run", "a.tsv", data.replace(b"NOUN", b"VERB"))
    table = b"D\tDET\nN\tNOUN\nV\tVERB\nP\tPUNCT\n"
    own_tags = data.replace(b"DET", b"D").replace(b"NOUN", b"N").replace(b"VERB", b"V").replace(b"PUNCT", b"P")
    campaign.receive(two.id, "try", "run", "b.tsv", own_tags, table=table, table_name="t.tsv")
    assert score_waiting(campaign) == {"scored": 2}
    return jobs.board_job(campaign, "try", campaign.state.standing_submissions("try"))


CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    alone = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0", "processes": False}
    with LocalCluster(**alone, protocol="tcp") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_engines_give_the_same_digits(
    campaign: Campaign, tabled_job: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process, in several, and on a cluster whose workers are elsewhere: a whole board, views and intervals."""
    pytest.importorskip("distributed")
    here = run_in_process(campaign, tabled_job)
    monkeypatch.undo()
    assert run_in_process(campaign, tabled_job, Engine(workers=2)) == here
    with subprocess.Popen([sys.executable, "-c", CLUSTER], stdin=-1, stdout=-1, text=True, cwd="/") as cluster:
        assert cluster.stdin and cluster.stdout
        assert run_in_process(campaign, tabled_job, Engine(f"dask={cluster.stdout.readline().strip()}")) == here
        cluster.stdin.close()


def _group(leader: int) -> list[int]:
    """The processes of a group that still run."""
    result = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group = path.read_text().rpartition(") ")[2].split()[:3]
            if int(group) == leader and state != "Z":
                result.append(int(path.parent.name))
    return result


def _is_gone(leader: int) -> bool:
    """Whether nothing of a group is left: whoever was killed runs no line more, but ends when it has a processor."""
    end = time.monotonic() + 10
    while _group(leader) and time.monotonic() < end:
        time.sleep(0.01)
    return not _group(leader)


def test_a_job_of_several_processes_ends_as_a_whole(
    campaign: Campaign, tabled_job: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    leaders: list[int] = []
    real = subprocess.Popen

    def note_process(*arguments: Any, **rest: Any) -> Any:
        process = real(*arguments, **rest)
        leaders.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", note_process)
    short = {**tabled_job, "limits": {**tabled_job["limits"], "seconds": 1}}
    with pytest.raises(FaultError, match="more than 1 seconds"):
        run_in_process(campaign, short, Engine("processes", 2))
    assert leaders and _is_gone(leaders[0])
    nowhere = Engine("dask=tcp://127.0.0.1:9")
    assert nowhere.options == {"engine": "dask=tcp://127.0.0.1:9", "workers": 1}


def test_the_engine_of_a_server_is_told_to_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(jobs.ENGINE_VARIABLE, raising=False)
    assert Engine.from_environment() == jobs.LOCAL_ENGINE and jobs.LOCAL_ENGINE.is_local
    for engine in (Engine("processes", 4), Engine("dask=tcp://a:1"), Engine()):
        monkeypatch.setenv(jobs.ENGINE_VARIABLE, "")
        engine.export_environment()
        assert Engine.from_environment() == engine


def test_a_job_ends_with_the_process_that_wants_it_and_leaves_nothing(
    submitted_campaign: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    started = tmp_path / "started"

    def forever(folder: Path) -> None:
        started.write_text(str(os.getpid()))
        time.sleep(600)

    monkeypatch.setattr(scoring_process, "main", forever)
    wanting = multiprocessing.get_context("fork").Process(target=score_waiting, args=(submitted_campaign,))
    wanting.start()
    while not started.is_file() or not started.read_text():
        time.sleep(0.01)
    child = int(started.read_text())
    assert wanting.pid is not None and _group(child) == [child]
    os.kill(wanting.pid, signal.SIGKILL)
    wanting.join()
    while _group(child):
        time.sleep(0.01)
    assert not list((submitted_campaign.folder / "work").iterdir())
    assert capfd.readouterr().err == ""


def test_a_cluster_that_is_away_is_waited_for(
    campaign: Campaign, team: Callable[..., Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is nobody's fault, uses up no attempt, and is said; the next one who scores goes on."""

    @contextmanager
    def nobody(*arguments: object) -> Iterator[None]:
        raise UsageError("engine dask=tcp://nowhere:1: no scheduler there")
        yield

    first_team = team(campaign, "one")
    key = (campaign.folder / "keys/try.tsv").read_bytes()
    receipts = [campaign.receive(first_team.id, "try", run, "a.tsv", key) for run in ("run", "other")]
    away = Engine("dask=tcp://nowhere:1", 1)
    engine = registry.engine
    monkeypatch.setattr(registry, "engine", lambda name: nobody if name.startswith("dask") else engine(name))
    for _ in range(jobs.ATTEMPTS + 1):
        monkeypatch.setattr(jobs, "CLUSTER_PAUSE", -1)
        assert score_waiting(campaign, engine=away) == {"waits": 1}, "the others are not tried"
    assert campaign.status(THE_ORGANISER, receipts[0].submission)["state"] == "received"
    assert "no scheduler" in campaign.state.submissions[receipts[0].submission].waits_for
    assert score_waiting(campaign) == {"scored": 2}
    assert campaign.state.submissions[receipts[0].submission].waits_for == ""
    assert campaign.submission_counts(first_team.id, "try") == {"valid": 2, "waiting": 0, "total": 2}
