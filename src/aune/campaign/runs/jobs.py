"""Scoring jobs: every submission ends in a named state, whatever happens to the process that scores it.

A job is leased in the ledger before it starts. The lease of a dead worker expires, and the job is tried once more. If
that fails too, it is our fault and the quota is returned; but a run that exceeds the time or memory of the protocol
twice is refused. Results are stored by version of the key, so that scoring with a new
version can continue wherever a killed process stopped.
"""

from __future__ import annotations

import errno
import json
import logging
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
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from aune import __version__
from aune.campaign.campaign import Campaign
from aune.campaign.keys.key_files import known_endings
from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.ledger.state import ATTEMPTS, FAULT, REFUSED, SCORED, State, Submission
from aune.campaign.protocol.deadlines import format_timestamp, now, parse_timestamp
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.protocol.scorer import Scorer
from aune.campaign.runs import scoring_process
from aune.campaign.runs.job_folders import job_folder
from aune.campaign.runs.known_labels import known_labels
from aune.campaign.runs.leaderboard import MANY_RUNS, is_testable
from aune.campaign.runs.submission_checks import Check, check_data
from aune.campaign.runs.uploads import read_upload
from aune.contract import registry
from aune.errors import Place, Problem, Remedy, make_visible
from aune.files import add_filename, is_disk_full, sha256_hex
from aune.sandbox import (
    ONE_THREAD,
    Limits,
    NoSandboxError,
    Sandbox,
    choose_sandbox,
    run_function,
    run_program,
)

SLACK = 30  # seconds that a lease lasts beyond the time limit of a job
CLUSTER_PAUSE = 60  # seconds until an unreachable cluster is tried again
WAITS = "waits"
LONGEST_BOARD = 6 * 3600  # seconds that a board of very many runs may take
DISK_POLL = 1.0  # seconds between two checks for free disk space
Written = TypeVar("Written")
log = logging.getLogger(__name__)
LIMIT_EXIT_CODES = (scoring_process.OUT_OF_MEMORY, scoring_process.OUT_OF_TIME, -getattr(signal, "SIGXCPU", 24))
"""The exit codes of a job that exceeded its memory or processor time."""


class Job(NamedTuple):
    """A submission to score with a version of the key."""

    submission: str
    version: int
    attempt: int


class Engine(NamedTuple):
    """Where runs are scored: in the process of the job, in several processes of this machine, or on a Dask cluster.

    The organiser chooses it when scoring; it is not part of the protocol, since it does not change the numbers.
    """

    engine: str = ""
    """`processes`, `dask`, or `dask=ADDRESS` of a scheduler; '' for the process of the job."""
    workers: int = 1

    @classmethod
    def create(cls, engine: str, workers: int) -> Engine:
        """A known engine; an unknown one is refused before anything is scored."""
        if engine:
            registry.engine(engine.partition("=")[0])
        return cls(engine, workers)

    @property
    def is_local(self) -> bool:
        return self.engine in ("", "here") and self.workers == 1

    @property
    def options(self) -> dict[str, Any]:
        """The same choice as options of an evaluation."""
        return {} if self.is_local else {"engine": self.engine or "processes", "workers": self.workers}

    @classmethod
    def from_environment(cls) -> Engine:
        """The engine of a server, from the options of `aune campaign serve`."""
        name, _, workers = os.environ.get(ENGINE_VARIABLE, "").rpartition(" ")
        return cls(name, int(workers or 1))

    def export_environment(self) -> None:
        """Set the variable that `from_environment` reads in the server's processes."""
        os.environ[ENGINE_VARIABLE] = f"{self.engine} {self.workers}"


ENGINE_VARIABLE = "AUNE_CAMPAIGN_ENGINE"
LOCAL_ENGINE = Engine()


class FaultError(Exception):
    """Raised for a job that failed through no fault of the submission."""


class LimitError(FaultError):
    """Raised for a job that exceeds the limits of the protocol; for a run without any result, the run is to blame."""


class AwayError(FaultError):
    """Raised for a job that must wait because its cluster or sandbox is not available."""


def waiting_submissions(state: State) -> list[tuple[Submission, int]]:
    """The submissions to score: new ones, and valid ones whose key has a new version."""
    pairs = []
    for submission in state.submissions.values():
        version = state.version(submission.dataset)
        if (
            version not in submission.results
            and version not in submission.faults
            and submission.state not in (REFUSED, FAULT)
        ):
            pairs.append((submission, version))
    return pairs


def unleased_submissions(campaign: Campaign) -> list[tuple[Submission, int]]:
    """The waiting submissions without a current lease."""
    moment = now()
    return [
        (submission, version)
        for submission, version in waiting_submissions(campaign.state)
        if version not in submission.leases or parse_timestamp(submission.leases[version]) <= moment
    ]


def first_lease_end(campaign: Campaign) -> datetime | None:
    """When the first lease of a waiting submission ends; None if none is leased."""
    leases = [submission.leases.get(version) for submission, version in waiting_submissions(campaign.state)]
    return min((parse_timestamp(until) for until in leases if until), default=None)


def longest_wait(campaign: Campaign) -> timedelta:
    """How long submissions have waited while none was begun or ended; zero if all are leased."""
    waiting = unleased_submissions(campaign)
    if not waiting:
        return timedelta()
    newest = {"key": "", "leased": "", "ended": ""}
    for entry in reversed(campaign.entries):
        if not newest.get(entry.kind, "known"):
            newest[entry.kind] = entry.time
        if all(newest.values()):
            break
    oldest = min(max(submission.time, newest["key"] if submission.results else "") for submission, _ in waiting)
    return now() - parse_timestamp(max(oldest, newest["leased"], newest["ended"]))


def lease_next_job(campaign: Campaign) -> Job | None:
    """The next job, leased to this process; None if there is nothing to do."""
    seconds = campaign.protocol.limits.seconds
    with campaign.writing() as writer:
        for submission, version in unleased_submissions(campaign):
            attempt = submission.attempts.get(version, 0) + 1
            if attempt > ATTEMPTS:
                why = "the process that scored it died twice"
                writer.append("ended", _end_details(submission.id, version, FAULT, reason=why))
                continue
            job = Job(submission.id, version, attempt)
            writer.append("leased", _lease_details(job, attempt, now() + timedelta(seconds=seconds + SLACK)))
            return job
    return None


def _end_details(submission: str, version: int, state: str, *, result: str = "", reason: str = "") -> dict[str, Any]:
    return {"submission": submission, "version": version, "state": state, "result": result, "reason": reason}


def run_job(campaign: Campaign, job: Job, engine: Engine = LOCAL_ENGINE) -> str:
    """Run a leased job and record how it ended; returns the state."""
    submission = campaign.state.submissions[job.submission]
    with _release_on_failure(campaign, job):
        return _score_and_record(campaign, job, submission, engine)


@contextmanager
def _release_on_failure(campaign: Campaign, job: Job) -> Iterator[None]:
    """Release the lease of a job whose end cannot be recorded; an interrupted job does not count as an attempt."""
    try:
        yield
    except BaseException as error:
        attempt = job.attempt if isinstance(error, Exception) else job.attempt - 1
        with suppress(OSError):  # otherwise the lease expires
            campaign.append("leased", _lease_details(job, attempt, now()))
        raise


def _lease_details(job: Job, attempt: int, until: datetime) -> dict[str, Any]:
    return {"submission": job.submission, "version": job.version, "attempt": attempt, "until": format_timestamp(until)}


def _score_and_record(campaign: Campaign, job: Job, submission: Submission, engine: Engine) -> str:
    """Score a run and record the state in which the job ended."""
    try:
        score_run = partial(run_in_process, campaign, score_job(campaign, submission, job.version), engine)
        result = _retry_while_disk_full(campaign, score_run)
    except AwayError as away:
        put_off = _lease_details(job, job.attempt - 1, now() + timedelta(seconds=CLUSTER_PAUSE))
        _append_to_ledger(campaign, "leased", {**put_off, "reason": str(away)})
        return WAITS
    except FaultError as fault:
        if job.attempt < ATTEMPTS:
            _append_to_ledger(campaign, "leased", _lease_details(job, job.attempt, now()))  # retried immediately
            return "retried"
        if submission.results or not isinstance(fault, LimitError):
            _append_to_ledger(campaign, "ended", _end_details(job.submission, job.version, FAULT, reason=str(fault)))
            return FAULT
        result = _limit_result(submission, fault)
    digest = _retry_while_disk_full(campaign, lambda: campaign.store.add(canonical_json(result)))
    details = _end_details(job.submission, job.version, result["state"], result=digest)
    if result["state"] == SCORED:
        details["content"] = content_digest(run_files(campaign, submission, job.version))
        details["scores"] = sha256_hex(canonical_json(score_values(result)))
    _append_to_ledger(campaign, "ended", details)
    return str(result["state"])


def _append_to_ledger(campaign: Campaign, kind: str, details: Mapping[str, Any]) -> None:
    """Append an entry to the ledger, waiting while the disk is full."""
    _retry_while_disk_full(campaign, lambda: campaign.append(kind, details))


def _retry_while_disk_full(campaign: Campaign, write: Callable[[], Written]) -> Written:
    """Call `write` again while the disk is full, as long as the job is leased, so that its work is not lost."""
    seconds = campaign.protocol.limits.seconds
    until, warned = monotonic() + seconds, False
    while True:
        try:
            return write()
        except OSError as error:
            if not is_disk_full(error) or monotonic() > until:
                raise
        if not warned:
            place = make_visible(str(campaign.folder))
            log.error("aune: %s: the disk is full: waiting for room, %d seconds at most", place, seconds)
            warned = True
        sleep(DISK_POLL)


def _limit_result(submission: Submission, limit: LimitError) -> Mapping[str, Any]:
    """The result of a run that exceeds the limits; it counts for the quota, so that a team cannot send many of them."""
    problem = Problem(
        "run.over-limits",
        Place(submission.name),
        f"more than can be scored within the limits of the protocol ({limit})",
        "less",
        (Remedy("send less"),),
    )
    return {"state": REFUSED, **check_data(Check((problem,), (), (), 0, 0))}


def score_waiting(
    campaign: Campaign,
    most: int | None = None,
    progress: Callable[[str, float], None] | None = None,
    engine: Engine = LOCAL_ENGINE,
) -> dict[str, int]:
    """Score until nothing waits; returns how many submissions ended in each state."""
    ended: dict[str, int] = {}
    total = max(len(waiting_submissions(campaign.state)), 1)
    while most is None or sum(ended.values()) < most:
        job = lease_next_job(campaign)
        if job is None:
            break
        state = run_job(campaign, job, engine)
        ended[state] = ended.get(state, 0) + 1
        if state == WAITS:  # all other jobs would wait too
            break
        if progress:
            progress("scoring", min(1.0, sum(ended.values()) / total))
    return ended


def run_files(campaign: Campaign, submission: Submission, version: int) -> dict[str, bytes]:
    """The files of a run as a version of the key scores it, under names that do not reveal the team."""
    inside = read_upload(submission.name, campaign.store.get(submission.upload), campaign.protocol.limits)
    if len(inside) == 1:
        [(name, data)] = inside.items()
        files = {f"runs/{submission.id}/run{known_endings(campaign.plan_of(submission.dataset).task, name)}": data}
    else:
        files = {f"runs/{submission.id}/{name}": data for name, data in inside.items()}
    if table := submission.table_at(version):
        files[table.path] = campaign.store.get(table.digest)
    return files


def score_values(result: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a result, by measure, as an archive shows them."""
    return {score["measure"]: score["values"] for score in result.get("scores", ())}


def content_digest(files: Mapping[str, bytes]) -> str:
    """A digest of the files of a run and of their names in an archive."""
    return sha256_hex(canonical_json({path: sha256_hex(data) for path, data in files.items()}))


# Input of the scoring process.


def score_job(campaign: Campaign, submission: Submission, version: int) -> dict[str, Any]:
    """The job for one run, with its texts and its key."""
    return {
        "kind": "score",
        **_dataset_details(campaign, submission.dataset, version),
        "was_valid": submission.state == SCORED,
        "known_labels": known_labels(campaign, submission.dataset),
        "runs": [_run_details(submission, version)],
    }


def board_job(
    campaign: Campaign, dataset: str, runs: Sequence[Submission], *, derived: bool = True,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:  # fmt: skip
    """The job for all runs of a dataset with its newest key; `known` are scores that need not be evaluated again."""
    version, scoring = campaign.state.version(dataset), campaign.plan_of(dataset).scoring
    competing = ranked_runs(campaign, dataset, runs)
    tested = set(competing) if is_testable(scoring, len(competing)) else set()
    evaluated = [run for run in runs if run.id not in known or run.id in tested]
    known_values = {
        run: (scores["values"][scoring.value]["score"], scores["undefined"].get(scoring.value, ""))
        for run in set(competing) - {run.id for run in evaluated}
        for scores in [known[run][scoring.ranking]]
    }
    about = _dataset_details(campaign, dataset, version)
    limits = {**about["limits"], "seconds": board_seconds(about["limits"]["seconds"], len(evaluated), scoring.scorer)}
    return {
        "kind": "board", **about, "limits": limits, "runs": [_run_details(run, version) for run in evaluated],
        "ranked": competing, "derived": derived, "known": known_values, "reused": len(runs) - len(evaluated),
    }  # fmt: skip


def ranked_runs(campaign: Campaign, dataset: str, runs: Sequence[Submission]) -> list[str]:
    """The runs that are ranked and tested: all competing runs, or the primary run of each team."""
    competing = [run.id for run in runs if campaign.state.teams[run.team].competes]
    if campaign.plan_of(dataset).scoring.rank == "all":
        return competing
    primaries = set(campaign.state.primary_submissions(dataset).values())
    return [run for run in competing if run in primaries]


def board_seconds(seconds: int, runs: int, scorer: Scorer | None = None) -> int:
    """The time limit of a board, from the time limit of one run, the number of runs, and the time limit of a scorer.

    >>> board_seconds(600, 20), board_seconds(600, 753), board_seconds(600, 10_000)
    (600, 4800, 21600)
    """
    scoring = runs * scorer.seconds if scorer else 0
    return max(seconds, min(seconds * (1 + runs // MANY_RUNS) + scoring, LONGEST_BOARD))


def known_scores(campaign: Campaign, dataset: str, runs: Sequence[Submission]) -> dict[str, Any]:
    """The scores of runs on the previous board, if key, protocol and version of aune are the same.

    A board of many runs evaluates only the new ones.
    """
    state = campaign.state
    board_key = dataset, state.version(dataset)
    recorded = state.board_runs.get(board_key)
    if len(runs) <= MANY_RUNS or not recorded or campaign.protocol.digest not in recorded:
        return {}
    if state.board_makers.get(board_key) != __version__:
        return {}
    board = json.loads(campaign.store.get(state.boards[board_key]))
    if board["test"].get("intervals") != "effective":
        return {}
    return {run.id: board["systems"][run.id] for run in runs if run.id in board["systems"]}


def _dataset_details(campaign: Campaign, name: str, version: int) -> dict[str, Any]:
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


def _run_details(submission: Submission, version: int) -> dict[str, Any]:
    table = submission.table_at(version)
    return {
        "id": submission.id, "name": submission.name, "upload": f"uploads/{submission.id}", "digest": submission.upload,
        "table": table.path if table else "", "table_digest": table.digest if table else "",
        "table_name": f"{Path(submission.table_name).stem}{Path(table.path).suffix}" if table else "",
    }  # fmt: skip


def write_job_files(campaign: Campaign, job: Mapping[str, Any], folder: Path) -> None:
    """Write the files of a job into an empty folder."""
    store, plan = campaign.store, campaign.protocol
    for name in ("key", "uploads", "tables"):
        (folder / name).mkdir()
    (folder / "job.json").write_bytes(canonical_json(job))
    (folder / PROTOCOL_FILE).write_text(plan.text, "utf-8")
    for path, digest in plan.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        known = campaign.folder / path
        (folder / path).write_bytes(store.get(digest) if digest in store else known.read_bytes())
    (folder / job["key"]).write_bytes(store.get(job["key_digest"]))
    (folder / "texts").write_bytes(store.get(job["texts"]["digest"]))
    for path, digest in job.get("files", {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(store.get(digest))
    for run in (candidate for candidate in job["runs"] if "upload" in candidate):
        (folder / run["upload"]).write_bytes(store.get(run["digest"]))
        if run["table"]:
            (folder / run["table"]).write_bytes(store.get(run["table_digest"]))


def run_in_process(campaign: Campaign, job: Mapping[str, Any], engine: Engine = LOCAL_ENGINE) -> Mapping[str, Any]:
    """The result of a job in a separate process, under its limits; raises `FaultError` if there is no result."""
    sandbox = None
    if campaign.plan_of(job["dataset"]).scoring.scorer:
        try:
            sandbox = choose_sandbox()
        except NoSandboxError as error:
            raise AwayError(str(error)) from None
    with job_folder(campaign.folder) as folder:
        with add_filename(folder):
            write_job_files(campaign, {**job, "engine": {} if sandbox else engine.options}, folder)
        return run_in_folder(folder, int(job["limits"]["seconds"]), engine, sandbox)


def run_in_folder(
    folder: Path, seconds: int, engine: Engine = LOCAL_ENGINE, sandbox: Sandbox | None = None
) -> Mapping[str, Any]:
    """The result of the job in a folder; in a sandbox if the organiser's scorer is used."""
    can_fork = engine.is_local and threading.active_count() == 1
    if sandbox:
        code = run_contained(folder.resolve(), seconds, sandbox)
    else:
        code = (run_forked if can_fork else run_spawned)(folder.resolve(), seconds)
    result_file, error_file = folder / "result.json", folder / "error.txt"
    if code is None:
        raise LimitError(f"scoring took more than {seconds} seconds")
    if code == scoring_process.DISK_FULL:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    if not result_file.is_file():
        why = error_file.read_text("utf-8", "replace")[:500] if error_file.is_file() else f"exit code {code}"
        raise (LimitError if code in LIMIT_EXIT_CODES else FaultError)(f"scoring failed: {why}")
    outcome: dict[str, Any] = json.loads(result_file.read_bytes())
    if outcome["state"] == scoring_process.AWAY:
        raise AwayError(outcome["reason"])
    return outcome


def run_forked(folder: Path, seconds: int) -> int | None:
    """The exit code of a job in a fork of this process, which must have one thread: all modules are loaded already.

    None if it took too long.
    """
    return run_function(partial(scoring_process.run_child, folder), Limits(seconds), folder=folder).code


def run_spawned(folder: Path, seconds: int) -> int | None:
    """The exit code of a job in a new process; None if it took too long."""
    return _run_command([*SCORING_COMMAND, str(folder)], seconds)


def run_contained(folder: Path, seconds: int, sandbox: Sandbox) -> int | None:
    """Like `run_spawned`, in a sandbox without network."""
    return _run_command(sandbox.command(folder, [*SCORING_COMMAND, str(folder)]), seconds)


SCORING_COMMAND = (sys.executable, "-P", "-m", "aune.campaign.runs.scoring_process")


def _run_command(command: Sequence[str], seconds: int) -> int | None:
    inherited = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH", "TMPDIR") if name in os.environ
    }
    return run_program(command, Limits(seconds), environment={**inherited, **ONE_THREAD}, stdin=subprocess.PIPE)


def _board_inputs(campaign: Campaign, dataset: str) -> tuple[str, ...]:
    """The inputs of a board besides the key; the same runs and the same protocol give the same board."""
    runs = campaign.state.standing_submissions(dataset)
    return (*sorted(run.id for run in runs), campaign.protocol.digest)


def board_is_ready(campaign: Campaign, dataset: str) -> bool:
    """Whether the board of a dataset for its current runs was made already, or is empty."""
    return not campaign.state.standing_submissions(dataset) or _is_current(campaign, dataset)


def _is_current(campaign: Campaign, dataset: str) -> bool:
    """Whether the newest board has the current runs, and ranks those that should be ranked."""
    state = campaign.state
    board_key = dataset, state.version(dataset)
    if state.board_runs.get(board_key) != _board_inputs(campaign, dataset):
        return False
    if campaign.plan_of(dataset).scoring.rank == "all":
        return board_key not in state.board_ranked
    ranked = sorted(ranked_runs(campaign, dataset, state.standing_submissions(dataset)))
    return state.board_ranked.get(board_key) == tuple(ranked)


def make_board(
    campaign: Campaign, dataset: str, *, derived: bool = True, engine: Engine = LOCAL_ENGINE
) -> dict[str, Any]:
    """The current board of a dataset, which is made only once for the same runs and the same key."""
    state = campaign.state
    runs = state.standing_submissions(dataset)
    version = state.version(dataset)
    if not runs:
        empty_ranking: dict[str, Any] = {"ranks": [], "groups": [], "pairs": [], "undefined": {}}
        scoring = campaign.plan_of(dataset).scoring
        return {
            "measure": scoring.ranking,
            "value": scoring.value,
            "systems": {},
            "ranking": empty_ranking,
            "test": {},
            "warnings": [],
        }
    inputs = _board_inputs(campaign, dataset)
    if _is_current(campaign, dataset):
        stored_board: dict[str, Any] = json.loads(campaign.store.get(state.boards[dataset, version]))
        return stored_board
    known = known_scores(campaign, dataset, runs)
    board = dict(
        run_in_process(campaign, board_job(campaign, dataset, runs, derived=derived, known=known), engine)["board"]
    )
    board["systems"] = {**known, **board["systems"]}
    board_bytes = canonical_json(board)
    digest = campaign.store.add(board_bytes)
    details = {"dataset": dataset, "version": version, "digest": digest, "runs": list(inputs), "aune": __version__}
    if campaign.plan_of(dataset).scoring.rank == "primary":
        details["ranked"] = sorted(ranked_runs(campaign, dataset, runs))
    campaign.append("board", details)
    made_board: dict[str, Any] = json.loads(board_bytes)
    return made_board


def board_progress(campaign: Campaign, dataset: str) -> tuple[int, int] | None:
    """How many runs of the board in progress were evaluated, and the total; None if no board is in progress."""
    for path in (campaign.folder / "work").glob(f"*/{scoring_process.PROGRESS}"):
        with suppress(OSError, ValueError, KeyError):  # it may just have ended
            progress = json.loads(path.read_bytes())
            if progress["dataset"] == dataset:
                return progress["done"], progress["total"]
    return None


def is_caught_up(state: State, dataset: str) -> bool:
    """Whether every valid run of a dataset was scored with its newest key."""
    return not any(submission.dataset == dataset for submission, _ in waiting_submissions(state))
