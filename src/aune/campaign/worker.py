"""The process that reads and scores runs: a pure function of a folder, under limits of time, memory and processor.

It is given a folder with `job.json`, the key, the texts and the uploads, and writes `result.json`, nothing else. It
knows no ledger, no team and no phase. What a hostile file can do to it, it does to nobody else. Where its job has an
engine of several processes, these are in its group, have its limits, and end with it.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from aune.campaign.derived import derived
from aune.campaign.items import edited
from aune.campaign.protocol import Protocol, protocol_of
from aune.campaign.ranking import board, places
from aune.campaign.submissions import Run, as_data, checked, laid, reading_options, texts_of
from aune.core import registry
from aune.core.asked import chosen_measures
from aune.core.corpus import read
from aune.core.errors import InputError, NothingToScoreError, UsageError
from aune.core.evaluation import evaluate
from aune.core.files import is_full, write_whole
from aune.core.result import Result
from aune.explain.analysis import study
from aune.reports.certainty import with_certainty
from aune.reports.page import write

SCORED, REFUSED, AWAY = "scored", "refused", "away"
"""What becomes of a job: it is done, it cannot be done, or what should count for it is not there."""


TOO_MUCH = 12
"""The exit code of a job for which there is not enough memory."""
NO_ROOM = 28
"""The exit code of a job for which there is not enough room on the disk."""
LIBRARIES = ("aune.engines.here", "aune.statistics.comparison", "jinja2", "scipy.stats")
"""What boards and reports import when they are made."""


def load(protocol: Protocol) -> None:
    """Import what the jobs of a campaign need, for a process that is copied to do each of them."""
    measures = chosen_measures(registry.task(protocol.task), protocol.scoring.measures)
    registry.load((*registry.modules(protocol.task, measures), *LIBRARIES))


def main(folder: Path) -> None:
    """Do the job of a folder."""
    job = json.loads((folder / "job.json").read_bytes())
    limit(job["limits"])
    engine = job.get("engine")
    if not engine:
        tempfile.tempdir = str(folder.resolve())  # what it writes is gone with the folder, even if it is killed
        write_whole(folder / "result.json", _written(KINDS[job["kind"]](folder, job)))
        return
    name, _, address = engine["engine"].partition("=")
    place = folder.resolve()  # the processes of a cluster are in another folder
    protocol = _protocol(folder)
    measures = chosen_measures(registry.task(protocol.task), protocol.scoring.measures)
    modules = registry.modules(protocol.task, measures)
    with ExitStack() as stack:
        try:
            counting = stack.enter_context(registry.engine(name)(engine["workers"], address, modules))
        except UsageError as error:
            write_whole(folder / "result.json", _written({"state": AWAY, "reason": str(error)}))
            return
        done = KINDS[job["kind"]](place, {**job, "engine": {"engine": counting}})
    here = json.dumps(f"{place}/", ensure_ascii=False)[1:-1].encode()
    write_whole(folder / "result.json", _written(done).replace(here, b""))


def _written(done: Mapping[str, Any]) -> bytes:
    return json.dumps(done, ensure_ascii=False, allow_nan=False).encode()


def limit(limits: Mapping[str, int]) -> None:
    """No more than so many seconds of processor, and so many bytes of memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (limits["seconds"], limits["seconds"] + 5))
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _protocol(folder: Path) -> Protocol:
    return protocol_of((folder / "campaign.toml").read_text("utf-8"), folder, complete=False)


def scored(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """One run: refused with all that is wrong with it, or its scores."""
    protocol = _protocol(folder)
    dataset = protocol.datasets[job["dataset"]]
    run = _run(folder, job["runs"][0])
    texts = texts_of(protocol, job["texts"]["name"], (folder / "texts").read_bytes(), job["texts"]["format"])
    check = checked(protocol, dataset, folder, texts, run)
    if not check.valid:
        return {"state": REFUSED, **as_data(check)}
    try:
        result = _result(folder, protocol, job)
    except (InputError, NothingToScoreError) as error:
        if is_full(error):
            raise
        problems = [(run.name, 1, 1, str(error))] if not isinstance(error, InputError) else error.problems
        told = [
            list(problem) if isinstance(problem, tuple) else [run.name, problem.line, problem.column, problem.message]
            for problem in problems
        ]
        return {**as_data(check), "state": REFUSED, "problems": told}
    scores = [
        {"measure": one.name, "signature": str(one.signature), "values": one.values, "undefined": one.reasons}
        for one in result
    ]
    return {"state": SCORED, **as_data(check), "scores": scores}


def boarded(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """All runs of a dataset side by side."""
    protocol = _protocol(folder)
    result = _result(folder, protocol, job)
    found = board(result, protocol.scoring, job["ranked"])
    if job.get("derived"):
        paths, options = laid_runs(folder, protocol, job), evaluating(folder, protocol, job)
        found["derived"] = derived(protocol, job, str(folder / job["key"]), paths, options)
    return {"state": SCORED, "board": found}


def impacted(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """What each of some changes of the key or of a table would do to the value and the rank of every run."""
    protocol = _protocol(folder)
    scoring, task = protocol.scoring, registry.task(protocol.task)
    paths = laid_runs(folder, protocol, job)
    options = {**evaluating(folder, protocol, job), "measures": [scoring.ranking]}
    form = options.pop("key_format")
    key = read(task, str(folder / job["key"]), form, **reading_options(protocol))
    before = places(evaluate(task.name, key, paths, **options), scoring, job["ranked"])
    found = {}
    for change in job["changes"]:
        expected = key
        if change["claim"] == "reference":
            expected = replace(key, documents=edited(task.name, key.documents, change["document"], change["edit"]))
        tables = {one["id"]: one["table"] for one in job["runs"] if one.get("table")}
        if "table" in change:
            tables[change["run"]] = f"tables/{change['id']}.tsv"
            (folder / tables[change["run"]]).write_text(change["table"], "utf-8")
        changed = {**options, **_table_option(folder, tables)}
        after = places(evaluate(task.name, expected, paths, **changed), scoring, job["ranked"])
        found[change["id"]] = [[run, before[run][0], after[run][0], before[run][1], after[run][1]] for run in before]
    return {"state": SCORED, "impacts": found}


def paged(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """The report page of one run, without what is not the same on every machine: figures, and compression."""
    protocol = _protocol(folder)
    scoring = protocol.scoring
    [path] = laid_runs(folder, protocol, job).values()
    options = evaluating(folder, protocol, {**job, "runs": [{**one, "id": RUN} for one in job["runs"]]})
    found = study(protocol.task, str(folder / job["key"]), {RUN: path}, **options)
    sure, _ = with_certainty(found, level=scoring.level, draws=scoring.draws, seed=scoring.seed)
    title = f"{protocol.title}: a run on {job['dataset']}, key version {job['version']}"
    return {"state": SCORED, "page": write(sure, title=title, plain=True)}


RUN = "run"
"""What the page of a run calls it."""
KINDS = {"score": scored, "board": boarded, "impact": impacted, "page": paged}


def _run(folder: Path, given: Mapping[str, Any]) -> Run:
    table = (folder / given["table"]).read_bytes() if given.get("table") else b""
    return Run(given["name"], (folder / given["upload"]).read_bytes(), given.get("table_name", ""), table)


def laid_runs(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> dict[str, str]:
    """The readable files of each run."""
    found = {}
    for given in job["runs"]:
        home = folder / "runs" / given["id"]
        if home.exists():
            files = sorted(path for path in home.rglob("*") if path.is_file())
            path = files[0] if len(files) == 1 else home
        else:
            path = laid(home, _run(folder, given), protocol.limits)
        found[given["id"]] = str(path)
    return found


def _result(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> Result:
    paths, options = laid_runs(folder, protocol, job), evaluating(folder, protocol, job)
    return evaluate(protocol.task, str(folder / job["key"]), paths, **options)


def evaluating(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an evaluation, with the tables of the runs that have one, and where it is counted."""
    options = {
        name: str(folder / value) if value in protocol.files else value
        for name, value in protocol.scoring.options.items()
    }
    return {
        "measures": list(protocol.scoring.measures),
        "convention": protocol.scoring.convention or None,
        "key_format": job["key_format"] or None,
        "missing": "error",
        "extra": "ignore",
        **options,
        **_table_option(folder, {one["id"]: one["table"] for one in job["runs"] if one.get("table")}),
        **(job.get("engine") or {}),
    }


def _table_option(folder: Path, tables: Mapping[str, str]) -> dict[str, str]:
    """The tables of runs as the option of an evaluation; none without any."""
    return {"table": ",".join(f"{run}={folder / path}" for run, path in tables.items())} if tables else {}


def started(room: str, parent: int) -> None:
    """Do the job of a folder in this process, which is there for nothing else; what goes wrong is left in a file.

    `parent` is the reading end of a pipe that closes when the process dies that wants the result.
    """
    os.chdir(room)
    threading.Thread(target=end_with, args=(parent, Path(room)), daemon=True).start()
    try:
        main(Path())
        return
    except MemoryError:
        why, code = "it needs more memory than the protocol allows", TOO_MUCH
    except Exception as error:  # whatever it is, it must not look like a result
        why, code = f"{type(error).__name__}: {error}", NO_ROOM if is_full(error) else 1
    with suppress(OSError):
        Path("error.txt").write_text(why, "utf-8", "replace")
    os._exit(code)


def end_with(parent: int, room: Path) -> None:
    """Wait until the other process is dead; then nobody wants the result, and nothing is left of it."""
    while os.read(parent, 1):
        pass
    shutil.rmtree(room, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    started(sys.argv[1], sys.stdin.fileno())
