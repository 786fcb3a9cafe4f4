"""Every engine gives the same result, also when a worker dies midway."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aune import UsageError, evaluate
from aune.core import evaluation, registry
from aune.core.counting import Counted, Job, Recipe
from aune.engines import processes
from tests.core.test_streams import TASKS, corpus, everything, measures, written


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def files(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, str]]:
    """A key and a response that lacks some documents and has others in another order."""
    key, response = corpus(task)
    monkeypatch.setattr(evaluation, "PIECE", 600)
    return written(tmp_path, "key", key), {"A": written(tmp_path, "a", response[10:] + response[:7])}


def test_processes(task: str, files: tuple[str, dict[str, str]]) -> None:
    expected = everything(evaluate(task, *files, measures=measures(task)))
    assert everything(evaluate(task, *files, measures=measures(task), workers=2)) == expected


def test_a_worker_is_killed_midway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech", 200)
    monkeypatch.setattr(evaluation, "PIECE", 600)
    paths = written(tmp_path, "key", key), {"A": written(tmp_path, "a", response)}
    expected = everything(evaluate("speech", *paths, measures=["wer", "ril"]))
    killed: list[int] = []
    with processes.opened(2) as run:

        def murderous(job: Job, recipes: Iterable[Recipe]) -> Iterator[Counted]:
            for one in run(job, recipes):
                pool = run.__self__.pool  # type: ignore[attr-defined]
                if not killed and pool is not None:
                    killed.append(next(iter(pool._processes)))
                    os.kill(killed[0], signal.SIGKILL)
                yield one

        found = everything(evaluate("speech", *paths, measures=["wer", "ril"], engine=murderous))
    assert killed and found == expected


def test_a_local_cluster_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(evaluation, "PIECE", 600)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        for task in TASKS:
            key, response = corpus(task)
            paths = written(tmp_path, f"{task}-key", key), {"A": written(tmp_path, f"{task}-a", response[::-1][3:])}
            expected = everything(evaluate(task, *paths, measures=measures(task)))
            assert everything(evaluate(task, *paths, measures=measures(task), engine=client)) == expected
        by_address = evaluate(
            "speech", *paths_of(tmp_path), measures=["wer"], engine=f"dask={cluster.scheduler_address}"
        )
        assert by_address["wer"].wer == evaluate("speech", *paths_of(tmp_path), measures=["wer"])["wer"].wer


def paths_of(folder: Path) -> tuple[str, dict[str, str]]:
    return str(folder / "speech-key.jsonl"), {"A": str(folder / "speech-a.jsonl")}


def test_what_was_asked_for_must_exist() -> None:
    with pytest.raises(UsageError, match="unknown engine 'cloud'"):
        evaluate("speech", ["a"], {"A": ["a"]}, engine="cloud")
    with pytest.raises(UsageError, match="expected a number of processes from 1"):
        evaluate("speech", ["a"], {"A": ["a"]}, workers=0)


def test_a_measure_that_cannot_be_sent_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    from aune.core import registry

    measure = registry.measure("speech.wer")
    own: Any = replace(measure, count=lambda comparison: measure.count(comparison, alignment="sclite"), label="mine")
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        evaluate("speech", ["a b", "c"], {"A": ["a", "c"]}, measures=[own], workers=2)


@pytest.mark.parametrize(
    ("task", "plain"),
    [
        ("speech", {"a": "one two"}),
        ("coref", {"a": [[1, 2]]}),
        ("entities", {"a": [["B-X", "O"]]}),
        ("tagging", {"a": [["N", "V"]]}),
    ],
)
def test_documents_can_be_sent_to_another_process(task: str, plain: Any) -> None:
    documents = registry.task(task).documents(plain)
    assert [one.id for one in pickle.loads(pickle.dumps(documents))] == ["a"]
