"""Scoring: every submission ends in a named state, whatever happens to the process that scores it.

A job is leased in the ledger before it is begun. A worker that dies leaves a lease, which runs out; then the job is
tried once more, and after that it is our fault, and the quota is returned; but a run that needs more time or memory
than the protocol allows, twice, is refused. Results are kept by version of the key, so
that a new version only has to be caught up with, from wherever a killed process left off.
"""

from __future__ import annotations

import errno
import json
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from aune import __version__
from aune.campaign import worker
from aune.campaign.archives import contents
from aune.campaign.campaign import Campaign
from aune.campaign.instants import now, stamp, unstamped
from aune.campaign.keys import known_endings
from aune.campaign.ledger import canonical
from aune.campaign.protocol import FILE
from aune.campaign.records import ATTEMPTS, FAULT, REFUSED, SCORED, State, Submission
from aune.campaign.rooms import a_room
from aune.campaign.submissions import Check, as_data
from aune.core import registry
from aune.core.errors import Problem, visible
from aune.core.files import digest_of, is_full, naming

SLACK = 30  # seconds that a lease lasts beyond the time that a job may take
PAUSE = 60  # seconds until a cluster that is away is tried again
WAITS = "waits"
LOOK = 1.0  # seconds between two looks whether there is room on the disk
Written = TypeVar("Written")
log = logging.getLogger(__name__)
OVER = (worker.TOO_MUCH, -signal.SIGXCPU)
"""The exit codes of a job that needed more memory or processor time than it may."""


class Job(NamedTuple):
    """A submission to be scored by a version of the key."""

    submission: str
    version: int
    attempt: int


class Engine(NamedTuple):
    """Where runs are counted: in the process of the job, in several of this machine, or on a Dask cluster.

    It is the organiser's choice when scoring, never the protocol's: numbers are the same everywhere.
    """

    engine: str = ""
    """`processes`, `dask`, or `dask=ADDRESS` of a scheduler; '' for the process of the job."""
    workers: int = 1

    @classmethod
    def named(cls, engine: str, workers: int) -> Engine:
        """An engine that there is: others are refused before anything is scored."""
        if engine:
            registry.engine(engine.partition("=")[0])
        return cls(engine, workers)

    @property
    def is_here(self) -> bool:
        return self.engine in ("", "here") and self.workers == 1

    @property
    def options(self) -> dict[str, Any]:
        """The options of an evaluation that say the same."""
        return {} if self.is_here else {"engine": self.engine or "processes", "workers": self.workers}

    @classmethod
    def of_environment(cls) -> Engine:
        """The engine of a server: what `aune campaign serve` was told."""
        name, _, workers = os.environ.get(ENGINE, "").rpartition(" ")
        return cls(name, int(workers or 1))

    def for_children(self) -> None:
        """Let the processes of a server know."""
        os.environ[ENGINE] = f"{self.engine} {self.workers}"


ENGINE = "AUNE_CAMPAIGN_ENGINE"
HERE = Engine()


class FaultError(Exception):
    """A job that did not end as it should, through no fault of the submission."""


class LimitError(FaultError):
    """A job that needs more than the protocol allows: that of a run which nobody could score yet is the run's fault."""


class AwayError(FaultError):
    """A job for which the cluster that should count is not there: it waits."""


def waiting(state: State) -> list[tuple[Submission, int]]:
    """What is to be scored: new submissions, and valid ones by a key that has changed."""
    found = []
    for one in state.submissions.values():
        version = state.version(one.dataset)
        if version not in one.results and version not in one.faults and one.state not in (REFUSED, FAULT):
            found.append((one, version))
    return found


def to_do(campaign: Campaign) -> list[tuple[Submission, int]]:
    """What waits and nobody has: what is leased is somebody's, until its lease runs out."""
    moment = now()
    return [
        (one, version)
        for one, version in waiting(campaign.state)
        if version not in one.leases or unstamped(one.leases[version]) <= moment
    ]


def taken(campaign: Campaign) -> Job | None:
    """The next job, leased to this process; None when there is nothing to do."""
    seconds = campaign.protocol.limits.seconds
    with campaign.writing() as writer:
        for one, version in to_do(campaign):
            attempt = one.attempts.get(version, 0) + 1
            if attempt > ATTEMPTS:
                why = "the process that scored it died twice"
                writer.append("ended", _ended(one.id, version, FAULT, reason=why))
                continue
            job = Job(one.id, version, attempt)
            writer.append("leased", _lease(job, attempt, now() + timedelta(seconds=seconds + SLACK)))
            return job
    return None


def _ended(submission: str, version: int, state: str, *, result: str = "", reason: str = "") -> dict[str, Any]:
    return {"submission": submission, "version": version, "state": state, "result": result, "reason": reason}


def done(campaign: Campaign, job: Job, engine: Engine = HERE) -> str:
    """Do a leased job and record how it ended; the state."""
    submission = campaign.state.submissions[job.submission]
    with _held(campaign, job):
        return _ended_as(campaign, job, submission, engine)


@contextmanager
def _held(campaign: Campaign, job: Job) -> Iterator[None]:
    """A job whose end cannot be recorded is given back at once; where somebody interrupts it, it was no attempt."""
    try:
        yield
    except BaseException as error:
        attempt = job.attempt if isinstance(error, Exception) else job.attempt - 1
        with suppress(OSError):  # the lease runs out
            campaign.append("leased", _lease(job, attempt, now()))
        raise


def _lease(job: Job, attempt: int, until: datetime) -> dict[str, Any]:
    return {"submission": job.submission, "version": job.version, "attempt": attempt, "until": stamp(until)}


def _ended_as(campaign: Campaign, job: Job, submission: Submission, engine: Engine) -> str:
    """The state in which a job ended, which is recorded."""
    try:
        scored = partial(in_a_process, campaign, score_job(campaign, submission, job.version), engine)
        result = _when_there_is_room(campaign, scored)
    except AwayError as away:
        put_off = _lease(job, job.attempt - 1, now() + timedelta(seconds=PAUSE))
        _appended(campaign, "leased", {**put_off, "reason": str(away)})
        return WAITS
    except FaultError as fault:
        if job.attempt < ATTEMPTS:
            _appended(campaign, "leased", _lease(job, job.attempt, now()))  # it is tried again at once
            return "retried"
        if submission.results or not isinstance(fault, LimitError):
            _appended(campaign, "ended", _ended(job.submission, job.version, FAULT, reason=str(fault)))
            return FAULT
        result = _too_much(submission, fault)
    digest = _when_there_is_room(campaign, lambda: campaign.store.put(canonical(result)))
    said = _ended(job.submission, job.version, result["state"], result=digest)
    if result["state"] == SCORED:
        said["content"] = content(run_files(campaign, submission, job.version))
        said["scores"] = digest_of(canonical(values_of(result)))
    _appended(campaign, "ended", said)
    return str(result["state"])


def _appended(campaign: Campaign, kind: str, said: Mapping[str, Any]) -> None:
    """How a job ended, in the ledger."""
    _when_there_is_room(campaign, lambda: campaign.append(kind, said))


def _when_there_is_room(campaign: Campaign, written: Callable[[], Written]) -> Written:
    """What was written; a full disk is waited for as long as the job is leased, and what it made is not lost."""
    seconds = campaign.protocol.limits.seconds
    until, told = monotonic() + seconds, False
    while True:
        try:
            return written()
        except OSError as error:
            if not is_full(error) or monotonic() > until:
                raise
        if not told:
            place = visible(str(campaign.folder))
            log.error("aune: %s: the disk is full: waiting for room, %d seconds at most", place, seconds)
            told = True
        sleep(LOOK)


def _too_much(submission: Submission, limit: LimitError) -> Mapping[str, Any]:
    """The result of a run that is more than the protocol allows: it counts, or one could send such runs for ever."""
    what = f"found more than can be scored within the limits of the protocol ({limit}), expected less: send less"
    return {"state": REFUSED, **as_data(Check((Problem(submission.name, 1, 1, what),), (), (), 0, 0))}


def work(
    campaign: Campaign, most: int | None = None, told: Callable[[str, float], None] | None = None, engine: Engine = HERE
) -> dict[str, int]:
    """Score what waits, until nothing does; how many ended in which state."""
    ended: dict[str, int] = {}
    total = max(len(waiting(campaign.state)), 1)
    while most is None or sum(ended.values()) < most:
        job = taken(campaign)
        if job is None:
            break
        state = done(campaign, job, engine)
        ended[state] = ended.get(state, 0) + 1
        if state == WAITS:  # and so do all others
            break
        if told:
            told("scoring", min(1.0, sum(ended.values()) / total))
    return ended


def run_files(campaign: Campaign, submission: Submission, version: int) -> dict[str, bytes]:
    """The files of a run, as a version of the key scores it, under names that do not tell who sent them."""
    inside = contents(submission.name, campaign.store.get(submission.upload), campaign.protocol.limits)
    if len(inside) == 1:
        [(name, data)] = inside.items()
        files = {f"runs/{submission.id}/run{known_endings(campaign.protocol.task, name)}": data}
    else:
        files = {f"runs/{submission.id}/{name}": data for name, data in inside.items()}
    if table := submission.table_at(version):
        files[table.path] = campaign.store.get(table.digest)
    return files


def values_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a result, by measure: what an archive shows of it."""
    return {score["measure"]: score["values"] for score in result.get("scores", ())}


def content(files: Mapping[str, bytes]) -> str:
    """The digest of the files of a run, by their names in an archive."""
    return digest_of(canonical({path: digest_of(data) for path, data in files.items()}))


# What a process is given.


def score_job(campaign: Campaign, submission: Submission, version: int) -> dict[str, Any]:
    """One run, its texts and its key."""
    return {"kind": "score", **_about(campaign, submission.dataset, version), "runs": [_run(submission, version)]}


def board_job(campaign: Campaign, dataset: str, runs: Sequence[Submission], *, derived: bool = True) -> dict[str, Any]:
    """All runs of a dataset, by its newest key."""
    version = campaign.state.version(dataset)
    competing = [run.id for run in runs if campaign.state.teams[run.team].competes]
    about = _about(campaign, dataset, version)
    given = [_run(one, version) for one in runs]
    return {"kind": "board", **about, "runs": given, "ranked": competing, "derived": derived}


def _about(campaign: Campaign, name: str, version: int) -> dict[str, Any]:
    state, dataset = campaign.state, campaign.dataset(name)
    limits = campaign.protocol.limits
    return {
        "dataset": name,
        "version": version,
        "key": f"key/{Path(dataset.key).name}",
        "key_digest": state.keys[name][version - 1].digest,
        "key_format": dataset.format,
        "texts": {
            "name": state.texts[name].name,
            "format": state.texts[name].format,
            "digest": state.texts[name].digest,
        },
        "limits": {"seconds": limits.seconds, "memory": limits.memory},
    }


def _run(submission: Submission, version: int) -> dict[str, Any]:
    table = submission.table_at(version)
    return {
        "id": submission.id, "name": submission.name, "upload": f"uploads/{submission.id}", "digest": submission.upload,
        "table": table.path if table else "", "table_digest": table.digest if table else "",
        "table_name": f"{Path(submission.table_name).stem}{Path(table.path).suffix}" if table else "",
    }  # fmt: skip


def lay(campaign: Campaign, job: Mapping[str, Any], room: Path) -> None:
    """The files of a job in an empty folder."""
    store, plan = campaign.store, campaign.protocol
    for folder in ("key", "uploads", "tables"):
        (room / folder).mkdir()
    (room / "job.json").write_bytes(canonical(job))
    (room / FILE).write_text(plan.text, "utf-8")
    for path, digest in plan.files.items():
        (room / path).parent.mkdir(parents=True, exist_ok=True)
        known = campaign.folder / path
        (room / path).write_bytes(store.get(digest) if digest in store else known.read_bytes())
    (room / job["key"]).write_bytes(store.get(job["key_digest"]))
    (room / "texts").write_bytes(store.get(job["texts"]["digest"]))
    for path, digest in job.get("files", {}).items():
        (room / path).parent.mkdir(parents=True, exist_ok=True)
        (room / path).write_bytes(store.get(digest))
    for run in (one for one in job["runs"] if "upload" in one):
        (room / run["upload"]).write_bytes(store.get(run["digest"]))
        if run["table"]:
            (room / run["table"]).write_bytes(store.get(run["table_digest"]))


def in_a_process(campaign: Campaign, job: Mapping[str, Any], engine: Engine = HERE) -> Mapping[str, Any]:
    """What a process of its own makes of a job, under its limits; a `FaultError` where it makes nothing."""
    with a_room(campaign.folder) as room:
        with naming(room):
            lay(campaign, {**job, "engine": engine.options}, room)
        return run_in(room, int(job["limits"]["seconds"]), engine)


def run_in(room: Path, seconds: int, engine: Engine = HERE) -> Mapping[str, Any]:
    """The result of the job that lies in a folder."""
    copied = engine.is_here and threading.active_count() == 1
    code = (forked if copied else spawned)(room.resolve(), seconds)
    result, said = room / "result.json", room / "error.txt"
    if code is None:
        raise LimitError(f"scoring took more than {seconds} seconds")
    if code == worker.NO_ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(room))
    if not result.is_file():
        why = said.read_text("utf-8", "replace")[:500] if said.is_file() else f"exit code {code}"
        raise (LimitError if code in OVER else FaultError)(f"scoring failed: {why}")
    found: dict[str, Any] = json.loads(result.read_bytes())
    if found["state"] == worker.AWAY:
        raise AwayError(found["reason"])
    return found


def forked(room: Path, seconds: int) -> int | None:
    """The exit code of a job in a copy of this process, which must have one thread: it has everything loaded.

    None when it took too long.
    """
    reader, writer = os.pipe()
    process = multiprocessing.get_context("fork").Process(target=_copied, args=(str(room), reader, writer))
    process.start()
    os.close(reader)
    try:
        process.join(seconds)
        return process.exitcode
    finally:
        if process.exitcode != 0:
            _end(process.pid or 0)
        process.join()
        os.close(writer)


def _copied(room: str, reader: int, writer: int) -> None:
    """The life of a copy: a group of its own, and an end of the pipe that only the first process holds open."""
    os.setsid()
    os.close(writer)
    worker.started(room, reader)


def spawned(room: Path, seconds: int) -> int | None:
    """The exit code of a job in a new process; None when it took too long."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH", "TMPDIR") if name in os.environ}
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", "aune.campaign.worker", str(room)]
    process = subprocess.Popen(
        command, env={**kept, **alone}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.returncode != 0:
            _end(process.pid)
        process.communicate()


def _end(process: int) -> None:
    """End a job that still runs, and whatever it started; one that has just begun has no group yet."""
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            if process > 1:
                end(process, signal.SIGKILL)


def _made_from(campaign: Campaign, dataset: str) -> tuple[str, ...]:
    """What a board is made from, beside the key: with the same runs and the same protocol it is the same."""
    runs = campaign.state.standing(dataset)
    return (*sorted(one.id for one in runs), campaign.protocol.digest)


def board_is_ready(campaign: Campaign, dataset: str) -> bool:
    """Whether the board of a dataset as it stands was made already, or is empty."""
    state = campaign.state
    made = state.board_runs.get((dataset, state.version(dataset)))
    return not state.standing(dataset) or made == _made_from(campaign, dataset)


def make_board(campaign: Campaign, dataset: str, *, derived: bool = True, engine: Engine = HERE) -> dict[str, Any]:
    """The board of a dataset as it stands now; made once for the same runs and the same key."""
    state = campaign.state
    runs = state.standing(dataset)
    version = state.version(dataset)
    if not runs:
        nothing: dict[str, Any] = {"ranks": [], "groups": [], "pairs": [], "undefined": {}}
        scoring = campaign.protocol.scoring
        return {
            "measure": scoring.ranking,
            "value": scoring.value,
            "systems": {},
            "ranking": nothing,
            "test": {},
            "warnings": [],
        }
    same = _made_from(campaign, dataset)
    if state.board_runs.get((dataset, version)) == same:
        found: dict[str, Any] = json.loads(campaign.store.get(state.boards[dataset, version]))
        return found
    made = canonical(in_a_process(campaign, board_job(campaign, dataset, runs, derived=derived), engine)["board"])
    digest = campaign.store.put(made)
    said = {"dataset": dataset, "version": version, "digest": digest, "runs": list(same), "aune": __version__}
    campaign.append("board", said)
    board: dict[str, Any] = json.loads(made)
    return board


def caught_up(state: State, dataset: str) -> bool:
    """Whether every valid run of a dataset was scored by its newest key."""
    return not any(one.dataset == dataset for one, _ in waiting(state))
