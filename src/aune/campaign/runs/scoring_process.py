"""The process that reads and scores runs: a pure function of a folder, under limits of time, memory and processor.

It gets a folder with `job.json`, the key, the texts and the uploads, and writes only `result.json`. It does not know
the ledger, the teams or the phase, so that a hostile file can harm no one else. If its job has an
engine of several processes, these are in its process group, have its limits, and end with it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from aune.campaign.protocol.protocol_file import Protocol, parse_protocol
from aune.campaign.runs.derived_views import derived_views
from aune.campaign.runs.leaderboard import BATCH_RUNS, MANY_RUNS, BoardBuilder, RankedValue, bare_ranks
from aune.campaign.runs.response_plan import plan_responses
from aune.campaign.runs.scorer_execution import ScorerLimitError, evaluate_runs, without_scorer
from aune.campaign.runs.submission_checks import (
    Run,
    check_data,
    check_run,
    read_texts,
    response_reader_options,
    unpack_run,
)
from aune.contract import registry
from aune.corrections.item_edits import edit_documents, rewrite_key
from aune.errors import AuneError, InputError, NothingToScoreError, Place, Problem, UsageError
from aune.explain.analysis import study
from aune.explain.rescoring import score_again
from aune.files import is_disk_full, write_atomically
from aune.reading.corpus import Corpus, read
from aune.reading.source import file_source
from aune.reports.confidence import with_confidence
from aune.reports.page import write
from aune.results.result import Result
from aune.sandbox import Limits, end_with_parent, restrict

SCORED, REFUSED, AWAY = "scored", "refused", "away"
"""The outcomes of a job: done, refused, or its engine is not available."""


OUT_OF_TIME = 62
"""The exit code of a job if the organiser's scorer exceeds its time limit on a run."""
OUT_OF_MEMORY = 12
"""The exit code of a job that runs out of memory."""
DISK_FULL = 28
"""The exit code of a job that runs out of disk space."""
LIBRARIES = ("aune.evaluation.engines.here", "aune.statistics.comparison", "jinja2", "scipy.stats")
"""Modules that boards and reports import when they are made."""


def load_modules(protocol: Protocol) -> None:
    """Import the modules that the jobs of a campaign need, in a process that is forked for each job."""
    for part in {name: protocol.for_dataset(name) for name in protocol.datasets}.values():
        measures = part.scoring.measures_of(registry.task(part.task), part.scoring.measures)
        registry.import_modules((*registry.required_modules(part.task, measures), *LIBRARIES))


def main(folder: Path) -> None:
    """Run the job of a folder."""
    job = json.loads((folder / "job.json").read_bytes())
    restrict(Limits(job["limits"]["seconds"], job["limits"]["memory"]))
    engine = job.get("engine")
    if not engine:
        tempfile.tempdir = str(folder.resolve())  # temporary files go with the folder, even if this process is killed
        write_atomically(folder / "result.json", _json_bytes(JOB_KINDS[job["kind"]](folder, job)))
        return
    name, _, address = engine["engine"].partition("=")
    place = folder.resolve()  # the processes of a cluster have another working folder
    protocol = _protocol(folder, job)
    measures = protocol.scoring.measures_of(registry.task(protocol.task), protocol.scoring.measures)
    modules = registry.required_modules(protocol.task, measures)
    with ExitStack() as stack:
        try:
            counting = stack.enter_context(registry.engine(name)(engine["workers"], address, modules))
        except UsageError as error:
            write_atomically(folder / "result.json", _json_bytes({"state": AWAY, "reason": str(error)}))
            return
        outcome = JOB_KINDS[job["kind"]](place, {**job, "engine": {"engine": counting}})
    folder_bytes = json.dumps(f"{place}/", ensure_ascii=False)[1:-1].encode()
    write_atomically(folder / "result.json", _json_bytes(outcome).replace(folder_bytes, b""))


def _json_bytes(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, allow_nan=False).encode()


def _protocol(folder: Path, job: Mapping[str, Any]) -> Protocol:
    """The protocol for the dataset of a job."""
    plan = parse_protocol((folder / "campaign.toml").read_text("utf-8"), folder, complete=False)
    return plan.for_dataset(job["dataset"])


def score_run(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """Check and score one run; the result contains all its problems, or its scores."""
    protocol = _protocol(folder, job)
    dataset = protocol.datasets[job["dataset"]]
    run = _read_run(folder, job["runs"][0])
    texts = read_texts(protocol, job["texts"]["name"], (folder / "texts").read_bytes(), job["texts"]["format"])
    known_labels = job.get("known_labels", ())
    check = check_run(
        protocol, dataset, folder, texts, run, must_cover=not job.get("was_valid"), known_labels=known_labels
    )
    if not check.is_valid:
        return {"state": REFUSED, **check_data(check)}
    try:
        result = _evaluate_runs(folder, protocol, job)
    except (InputError, NothingToScoreError) as error:
        if is_disk_full(error):
            raise
        return {"state": REFUSED, **check_data(check._replace(problems=_scoring_problems(error, run.name)))}
    scores = [
        {"measure": score.name, "signature": str(score.signature), "values": score.values, "undefined": score.reasons}
        for score in result
    ]
    return {"state": SCORED, **check_data(check), "scores": scores}


def _scoring_problems(error: AuneError, name: str) -> tuple[Problem, ...]:
    """The reasons why a valid run cannot be scored, with the name of the participant's file."""
    if isinstance(error, InputError):
        return tuple(problem.with_path(name) for problem in error.problems)
    return (Problem("run.nothing-to-score", Place(name), f"nothing that can be scored ({error})"),)


def compare_runs(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """Compare all runs of a dataset, in batches if there are many; the progress is written to a file."""
    protocol = _protocol(folder, job)
    scoring, runs, ranked = protocol.scoring, job["runs"], job["ranked"]
    known = {run: RankedValue(*value) for run, value in job.get("known", {}).items()}
    is_large = job.get("large", len(runs) + job.get("reused", 0) > MANY_RUNS)
    [measure] = scoring.measures_of(registry.task(protocol.task), [scoring.ranking])
    builder = BoardBuilder(
        scoring, ranked, measure, job.get("test_draws"), job.get("few_units"), is_large=is_large, known=known
    )
    size = BATCH_RUNS if is_large else max(len(runs), 1)
    has_views = bool(job.get("derived")) and (not is_large or len(ranked) <= MANY_RUNS)
    for start in range(0, len(runs), size):
        write_progress(folder, job["dataset"], start, len(runs))
        batch = runs[start : start + size]
        builder.add(_evaluate_runs(folder, protocol, {**job, "runs": batch}))
        for run in batch if is_large else ():
            if not (has_views and run["id"] in ranked):
                shutil.rmtree(folder / "runs" / run["id"], ignore_errors=True)
    write_progress(folder, job["dataset"], len(runs), len(runs))
    data = builder.build()
    if job.get("derived"):
        data["derived"] = _views(folder, protocol, job, is_large=is_large) if has_views else {}
    return {"state": SCORED, "board": data}


def _views(folder: Path, protocol: Protocol, job: Mapping[str, Any], *, is_large: bool) -> dict[str, Any]:
    """The derived views of all runs; of a large board, only of the ranked runs."""
    viewed = [run for run in job["runs"] if not is_large or run["id"] in job["ranked"]]
    part = {**job, "runs": viewed}
    paths, options = run_paths(folder, protocol, part), evaluation_options(folder, protocol, part)
    return derived_views(folder, protocol, part, str(folder / job["key"]), paths, options)


PROGRESS = "progress.json"


def write_progress(folder: Path, dataset: str, done: int, total: int) -> None:
    """Write how many runs of a board were evaluated, for those who wait for it."""
    write_atomically(folder / PROGRESS, _json_bytes({"dataset": dataset, "done": done, "total": total}))


def compute_impacts(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """The effect of each of some changes of the key or of a table on the value and the rank of every run."""
    protocol = _protocol(folder, job)
    scoring, task = protocol.scoring, registry.task(protocol.task)
    paths = run_paths(folder, protocol, job)
    options = {**evaluation_options(folder, protocol, job), "measures": [scoring.ranking]}
    form = options.pop("key_format")
    key = read(task, str(folder / job["key"]), form, **response_reader_options(protocol))
    key_file = str(folder / job["key"])
    before = bare_ranks(evaluate_runs(folder, protocol, key, paths, options, key_file), scoring, job["ranked"])
    impacts = {}
    for change in job["changes"]:
        expected = key
        if change["claim"] == "reference":
            expected = replace(
                key, documents=edit_documents(task.name, key.documents, change["document"], change["edit"])
            )
        tables = {job_run["id"]: job_run["table"] for job_run in job["runs"] if job_run.get("table")}
        if "table" in change:
            tables[change["run"]] = f"tables/{change['id']}.tsv"
            (folder / tables[change["run"]]).write_text(change["table"], "utf-8")
        changed = {**options, **_table_option(folder, tables)}
        edited_file = _write_edited_key(folder, protocol, job, key, expected)
        after = bare_ranks(
            evaluate_runs(folder, protocol, expected, paths, changed, edited_file), scoring, job["ranked"]
        )
        impacts[change["id"]] = [[run, before[run][0], after[run][0], before[run][1], after[run][1]] for run in before]
    return {"state": SCORED, "impacts": impacts}


def _write_edited_key(folder: Path, protocol: Protocol, job: Mapping[str, Any], key: Corpus, edited: Corpus) -> str:
    """The path of a key with edits, written if the organiser's scorer needs a file; otherwise the unchanged file."""
    path = folder / job["key"]
    if protocol.scoring.scorer is None or edited is key:
        return str(path)
    form = registry.format(protocol.task, key.format or job["key_format"])
    target = folder / "edited" / path.name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(rewrite_key(form, file_source(path), edited.documents, **key.options))
    return str(target)


def rescore_runs(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """All runs scored with two versions of the key, and the corrections responsible for the differences."""
    protocol = _protocol(folder, job)
    scoring = protocol.scoring
    options = {**evaluation_options(folder, protocol, job), "measures": [scoring.ranking]}
    old, new = str(folder / job["old_key"]), str(folder / job["key"])
    rescored = score_again(
        protocol.task, old, new, run_paths(folder, protocol, job),
        level=scoring.level, draws=scoring.draws, seed=scoring.seed, **options,
    )  # fmt: skip
    return {"state": SCORED, "rescored": rescored.to_dict()}


def render_page(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """The report page of one run, without parts that differ between machines: figures, and compression."""
    protocol = _protocol(folder, job)
    scoring = protocol.scoring
    [path] = run_paths(folder, protocol, job).values()
    options = evaluation_options(
        folder, protocol, {**job, "runs": [{**job_run, "id": RUN_NAME} for job_run in job["runs"]]}
    )
    analysis = study(protocol.task, str(folder / job["key"]), {RUN_NAME: path}, **without_scorer(options))
    sure, _ = with_confidence(analysis, level=scoring.level, draws=scoring.draws, seed=scoring.seed)
    title = f"{protocol.title}: a run on {job['dataset']}, key version {job['version']}"
    return {"state": SCORED, "page": write(sure, title=title, plain=True)}


def plan_runs(folder: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """How many texts need a key, according to the runs of a dataset."""
    protocol = _protocol(folder, job)
    paths, options = run_paths(folder, protocol, job), evaluation_options(folder, protocol, job)
    return {
        "state": SCORED,
        "plan": plan_responses(folder, protocol, str(folder / job["key"]), paths, options, job["request"]),
    }


RUN_NAME = "run"
"""The name of the run on its page."""
JOB_KINDS = {
    "score": score_run, "board": compare_runs, "impact": compute_impacts, "rescored": rescore_runs, "page": render_page,
    "plan": plan_runs,
}  # fmt: skip


def _read_run(folder: Path, run: Mapping[str, Any]) -> Run:
    table = (folder / run["table"]).read_bytes() if run.get("table") else b""
    return Run(run["name"], (folder / run["upload"]).read_bytes(), run.get("table_name", ""), table)


def run_paths(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> dict[str, str]:
    """The path from which each run can be read."""
    paths = {}
    for run in job["runs"]:
        home = folder / "runs" / run["id"]
        if home.exists():
            files = sorted(path for path in home.rglob("*") if path.is_file())
            path = files[0] if len(files) == 1 else home
        else:
            path = unpack_run(home, _read_run(folder, run), protocol.limits)
        paths[run["id"]] = str(path)
    return paths


def _evaluate_runs(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> Result:
    paths, options = run_paths(folder, protocol, job), evaluation_options(folder, protocol, job)
    return evaluate_runs(folder, protocol, str(folder / job["key"]), paths, options)


def evaluation_options(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an evaluation, with the tables of the runs that have one, and the engine."""
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
        **_table_option(folder, {run["id"]: run["table"] for run in job["runs"] if run.get("table")}),
        **(job.get("engine") or {}),
    }


def _table_option(folder: Path, tables: Mapping[str, str]) -> dict[str, str]:
    """The tables of runs as an option of the evaluation; empty if there are none."""
    return {"table": ",".join(f"{run}={folder / path}" for run, path in tables.items())} if tables else {}


def run_child(folder: Path) -> bytes:
    """Run the job of a folder in this process, which serves only that; errors are written to a file."""
    os.chdir(folder)
    try:
        main(Path())
        return b""
    except MemoryError:
        why, code = "it needs more memory than the protocol allows", OUT_OF_MEMORY
    except ScorerLimitError as error:
        why, code = str(error), OUT_OF_TIME
    except Exception as error:  # no error may look like a result
        why, code = f"{type(error).__name__}: {error}", DISK_FULL if is_disk_full(error) else 1
    with suppress(OSError):
        Path("error.txt").write_text(why, "utf-8", "replace")
    os._exit(code)


if __name__ == "__main__":
    JOB_FOLDER = Path(sys.argv[1])
    end_with_parent(sys.stdin.fileno(), JOB_FOLDER)
    run_child(JOB_FOLDER)
