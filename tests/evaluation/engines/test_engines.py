"""Every engine gives the same result, also when a worker dies midway."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aune import UsageError, evaluate
from aune.contract import registry
from aune.evaluation import streaming
from aune.evaluation.counting import Chunk, ChunkCounts, Job
from aune.evaluation.engines import dask, processes
from aune.reading import pieces
from tests.evaluation.corpora import HOME, TASKS, damage_text, files, measures, records
from tests.evaluation.test_alternatives import MEASURES
from tests.evaluation.test_alternatives import TASKS as ALTERNATIVES
from tests.evaluation.test_job_serialization import with_files_of_entities, with_files_of_speech
from tests.evaluation.test_streaming import WITH_MODELS, everything, model_of

OTHERS = {"speech": "stm", "coref": "corefud", "entities": "conll", "tagging": "conllu", "anaphora": "pairs"}
"""A format of each task that is not lines of JSON."""
Paths = tuple[str, dict[str, str], dict[str, Any]]


@pytest.fixture
def corpus_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Paths]:
    """A key, and a response that lacks some documents, has others, and is in another order, in small pieces."""
    monkeypatch.setattr(streaming, "PIECE", 200)

    def write_text(task: str, form: str, count: int = 20) -> Paths:
        key, response, policy = damage_text("all", *records(task, count))
        folder = tmp_path / f"{task}-{form}-{count}"
        folder.mkdir()
        key_path, responses, options = files(folder, task, form, key, {"A": response})
        return key_path, responses, {**options, **policy, "measures": measures(task)}

    return write_text


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("homes", [HOME, OTHERS], ids=["json", "other"])
def test_processes(task: str, homes: dict[str, str], corpus_paths: Callable[..., Paths]) -> None:
    key, responses, options = corpus_paths(task, homes[task])
    expected = everything(evaluate(task, key, responses, **options))
    assert everything(evaluate(task, key, responses, workers=2, **options)) == expected


def key_with_alternatives(task: str, folder: Path) -> tuple[str, dict[str, str]]:
    """A key that leaves choices, and a response, in files."""
    make_key, make_response, _ = ALTERNATIVES[task]
    form, rng, paths = registry.format(task, HOME[task]), random.Random(5), []
    for name, make in (("key", make_key), ("response", make_response)):
        documents = [replace(make(rng), id=f"d{number}") for number in range(12)]
        paths.append(folder / f"{task}-{name}.jsonl")
        paths[-1].write_text("".join(form.write(documents)))  # type: ignore[misc] # it has one
    return str(paths[0]), {"A": str(paths[1])}


@pytest.mark.parametrize("task", ALTERNATIVES)
def test_keys_with_alternatives(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several right answers are chosen from in the workers, one of which is killed."""
    monkeypatch.setattr(streaming, "PIECE", 200)
    key, responses = key_with_alternatives(task, tmp_path)
    expected = everything(evaluate(task, key, responses, measures=MEASURES[task]))
    killed: list[int] = []
    with processes.open_engine(2) as run:
        pool = run.__self__  # type: ignore[attr-defined]
        engine = killing(run, lambda: next(iter(pool.pool._processes)) if pool.pool else None, killed)
        assert everything(evaluate(task, key, responses, measures=MEASURES[task], engine=engine)) == expected
    assert killed


def killing(run: Any, victim: Callable[[], int | None], killed: list[int]) -> Any:
    """An engine that kills one of its workers when the first chunk is done."""

    def murderous(job: Job, recipes: Iterable[Chunk]) -> Iterator[ChunkCounts]:
        for item in run(job, recipes):
            if not killed and (number := victim()) is not None:
                killed.append(number)
                os.kill(number, signal.SIGKILL)
            yield item

    return murderous


@pytest.mark.parametrize("task", TASKS)
def test_files_are_cut_in_workers(
    task: str, corpus_paths: Callable[..., Paths], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small blocks are looked through in other processes, of which one is killed; the digits are the same."""
    key, responses, options = corpus_paths(task, random.Random(task).choice([HOME, OTHERS])[task], 30)
    expected = everything(evaluate(task, key, responses, **options))
    monkeypatch.setattr(pieces, "BLOCK_SIZE", 100)
    monkeypatch.setattr(streaming, "SCANNED_BLOCKS", 5)
    monkeypatch.setattr(streaming, "FEWEST_SCANNED", 1)
    killed: list[int] = []
    with processes.open_engine(2) as run:
        pool = run.__self__  # type: ignore[attr-defined]
        engine = killing(run, lambda: next(iter(pool.pool._processes)) if pool.pool else None, killed)
        assert everything(evaluate(task, key, responses, engine=engine, **options)) == expected
    assert killed


@pytest.mark.parametrize("task", TASKS)
def test_a_worker_is_killed_midway(task: str, corpus_paths: Callable[..., Paths]) -> None:
    key, responses, options = corpus_paths(task, random.Random(task).choice([HOME, OTHERS])[task], 30)
    expected = everything(evaluate(task, key, responses, **options))
    killed: list[int] = []
    with processes.open_engine(2) as run:
        pool = run.__self__  # type: ignore[attr-defined]
        engine = killing(run, lambda: next(iter(pool.pool._processes)) if pool.pool else None, killed)
        found = everything(evaluate(task, key, responses, engine=engine, **options))
    assert killed and found == expected


def _with_files_that_workers_do_not_see(client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, stop words, typologies and normalisation named by paths in a folder that the workers are not in."""
    (folder / "elsewhere").mkdir()
    (folder / "table.tsv").write_text("noun\tN\nverb\tV\n")
    monkeypatch.setattr(dask, "LARGEST_INLINE", 0)  # as for files that are too large to go with every task
    monkeypatch.chdir(folder)
    client.run(os.chdir, str(folder / "elsewhere"))
    key, response = ({str(number): [tags] for number in range(9)} for tags in (["N", "V", "N"], ["noun"] * 3))
    for task, sides, options in (
        ("tagging", (key, response), {"table": "table.tsv"}),
        with_files_of_speech(folder),
        with_files_of_entities(folder),
    ):
        expected = everything(evaluate(task, sides[0], {"A": sides[1]}, **options))
        assert everything(evaluate(task, sides[0], {"A": sides[1]}, engine=client, **options)) == expected


def _with_models(client: Any, actual: Callable[..., Paths], folder: Path) -> None:
    """Measures that need a model, each with one."""
    key, responses, options = actual("speech", "manifest", 12)
    for measure in WITH_MODELS - {"speech.per"}:
        own_options = options | model_of(measure, folder)
        expected = everything(evaluate("speech", key, responses, **own_options))
        assert everything(evaluate("speech", key, responses, engine=client, **own_options)) == expected


def a_process_of(cluster: Any) -> int | None:
    """The number of a worker's process; none while all of them are started again."""
    processes = [worker.process for worker in cluster.workers.values()]
    return next((process.pid for process in processes if process is not None and process.pid), None)


def test_a_local_cluster_of_two(
    corpus_paths: Callable[..., Paths], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every task in two formats, by a client and by address; then one of them with a worker killed midway, or each."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        for task in TASKS:
            for homes in (HOME, OTHERS):
                key, responses, options = corpus_paths(task, homes[task])
                expected = everything(evaluate(task, key, responses, **options))
                assert everything(evaluate(task, key, responses, engine=client, **options)) == expected
        address = f"dask={cluster.scheduler_address}"
        assert everything(evaluate(task, key, responses, engine=address, **options)) == expected
        _with_models(client, corpus_paths, tmp_path)
        _with_files_that_workers_do_not_see(client, tmp_path, monkeypatch)
        for task in ALTERNATIVES:
            key, responses = key_with_alternatives(task, tmp_path)
            expected = everything(evaluate(task, key, responses, measures=MEASURES[task]))
            assert everything(evaluate(task, key, responses, measures=MEASURES[task], engine=client)) == expected
        for task in TASKS if os.environ.get("AUNE_FULL") else random.Random(1).sample(sorted(TASKS), 1):
            key, responses, options = corpus_paths(task, random.Random(task).choice([HOME, OTHERS])[task], 30)
            expected = everything(evaluate(task, key, responses, **options))
            killed: list[int] = []
            with dask.open_engine(address=client) as run:
                engine = killing(run, lambda: a_process_of(cluster), killed)
                assert everything(evaluate(task, key, responses, engine=engine, **options)) == expected
            assert killed


STARTED = """
import os, sys, time
from aune.evaluation.engines.processes import _Processes

if __name__ == "__main__":
    pool = _Processes(1, [])._pool()
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 60)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_who_started_it(tmp_path: Path, number: int) -> None:
    (tmp_path / "started.py").write_text(STARTED)
    line = [sys.executable, str(tmp_path / "started.py")]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as starting:
        assert starting.stdout is not None
        worker = int(starting.stdout.readline())
        assert is_alive(worker)
        starting.send_signal(number)
        starting.wait()
        end = time.monotonic() + 20
        while is_alive(worker) and time.monotonic() < end:
            time.sleep(0.05)
        assert not is_alive(worker)


def is_alive(process: int) -> bool:
    """Whether a process runs: one that has ended may still be listed, until somebody asks how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_was_asked_for_must_exist() -> None:
    with pytest.raises(UsageError, match="unknown engine 'cloud': expected one of: dask, here, processes"):
        evaluate("speech", ["a"], {"A": ["a"]}, engine="cloud")
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="engine dask=nowhere: no scheduler there"):
        evaluate("speech", ["a"], {"A": ["a"]}, engine="dask=nowhere")
    with pytest.raises(UsageError, match="expected a number of processes from 1"):
        evaluate("speech", ["a"], {"A": ["a"]}, workers=0)


@pytest.mark.parametrize(("engine", "workers"), [("here=tcp://a:1", 1), ("here", 2), ("processes=tcp://a:1", 2)])
def test_what_an_engine_does_not_take(engine: str, workers: int) -> None:
    with pytest.raises(UsageError, match=rf"engine {engine}.*: expected (neither|no) address"):
        evaluate("speech", ["a"], {"A": ["a"]}, engine=engine, workers=workers)


def test_a_measure_that_cannot_be_sent_is_refused(tmp_path: Path) -> None:
    from aune.contract import registry

    measure = registry.measure("speech.wer")
    changed: Any = replace(
        measure, count=lambda comparison: measure.count(comparison, alignment="sclite"), label="mine"
    )
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        evaluate("speech", ["a b", "c"], {"A": ["a", "c"]}, measures=[changed], workers=2)


@pytest.mark.parametrize(
    ("task", "plain"),
    [
        ("speech", {"a": "one two"}),
        ("coref", {"a": [{1, 2}]}),
        ("entities", {"a": [["B-X", "O"]]}),
        ("tagging", {"a": [["D", "N", "V"]]}),
    ],
)
def test_documents_can_be_sent_to_another_process(task: str, plain: Any) -> None:
    documents = registry.task(task).reading.documents(plain)
    assert [load.id for load in pickle.loads(pickle.dumps(documents))] == ["a"]
