"""A job that is sent brings its small files along."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aune import InputError, UsageError, evaluate
from aune.contract.options import OptionFile
from aune.contract.registry import task
from aune.evaluation import job_serialization
from aune.evaluation.counting import Chunk, Engine, Job

KEY = {"a": [["N", "V", "N"]], "b": [["N", "N", "N"]]}
RESPONSE = {"a": [["noun", "verb", "verb"]], "b": [["noun", "verb", "noun"]]}
TABLE = "noun\tN\nverb\tV\nadverb\tADV\n"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine that unpacks jobs in another folder than they were packed in."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(job: Job, recipes: list[Chunk]) -> list[object]:
        parcel, chunks = job_serialization.pack_job(job), list(recipes)
        with monkeypatch.context() as moved:
            moved.chdir(tmp_path / "there")
            return list(pickle.loads(job_serialization.count_parcel(parcel, *chunks)))

    return run  # type: ignore[return-value] # lists are iterated over


@pytest.mark.parametrize("second", [None, TABLE, "noun\tV\nverb\tN\n"], ids=["no file", "the same", "another"])
def test_files_of_options_travel(elsewhere: Engine, tmp_path: Path, second: str | None) -> None:
    Path("table.tsv").write_text(TABLE)
    if second is not None:
        (tmp_path / "there" / "table.tsv").write_text(second)
    expected = evaluate("tagging", KEY, {"A": RESPONSE}, table="table.tsv")
    found = evaluate("tagging", KEY, {"A": RESPONSE}, table="table.tsv", engine=elsewhere)
    assert found.to_json() == expected.to_json()
    assert any("table.tsv: entries never used" in text for text in expected.warnings)


def with_files_of_speech(folder: Path) -> Any:
    """Stop words, one of them named in the measure, and a chain of normalisation with a file whose digest is known."""
    folder.joinpath("stop.txt").write_text("one\ntwo\n")
    folder.joinpath("a").write_text("gonna => going to\n")
    folder.joinpath("other.glm").write_text("wanna => want to\n")
    digest = sha256(b"wanna => want to\n").hexdigest()[:8]
    key, response = {"a": "one two gonna three", "b": "i wanna four"}, {"a": "two going to three", "b": "i want to for"}
    return "speech", (key, response), {
        "stop": "stop.txt", "measures": ["content_wer", "content_wer(stop=stop.txt)", "wer"],
        "normalise": f"case, a,other.glm@{digest},punctuation",
    }  # fmt: skip


def with_files_of_entities(folder: Path) -> Any:
    folder.joinpath("own.toml").write_text('name = "own"\n[types]\nPER = []\nLOC = []\n[weights.ser]\ntype = 0.25\n')
    key, response = {"a": [["B-PER", "O", "B-X"]], "b": [["B-LOC"]]}, {"a": [["B-LOC", "O", "B-X"]], "b": [["B-LOC"]]}
    return "entities", (key, response), {"typology": "own.toml", "measures": ["ser", "f_measure"]}


@pytest.mark.parametrize("made", [with_files_of_speech, with_files_of_entities])
def test_files_among_names_travel(elsewhere: Engine, made: Callable[[Path], Any]) -> None:
    task, (key, response), options = made(Path())
    expected = evaluate(task, key, {"A": response}, **options)
    assert evaluate(task, key, {"A": response}, engine=elsewhere, **options).to_json() == expected.to_json()


def test_names_that_aune_knows_are_no_files(elsewhere: Engine) -> None:
    """Even where a file is called like a list of stop words, a typology or a step."""
    for name in ("en", "muc6", "case"):
        Path(name).write_text("nonsense\n")
    options: Any = {"stop": "en", "normalise": "case", "measures": "content_wer"}
    expected = evaluate("speech", ["the One two"], {"A": ["one too"]}, **options)
    assert evaluate("speech", ["the One two"], {"A": ["one too"]}, engine=elsewhere, **options).to_json() == (
        expected.to_json()
    )


def test_problems_of_files_are_told_under_their_own_names(elsewhere: Engine) -> None:
    Path("table.tsv").write_text("noun\n")
    with pytest.raises(InputError) as here:
        evaluate("tagging", KEY, {"A": RESPONSE}, table="table.tsv")
    with pytest.raises(InputError) as error:
        evaluate("tagging", KEY, {"A": RESPONSE}, table="table.tsv", engine=elsewhere)
    assert str(error.value) == str(here.value)


def test_large_files_and_plain_names_stay_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_serialization, "LARGEST_SENT", 3)
    (tmp_path / "large").write_text("more than three")
    for value in (OptionFile(tmp_path / "large"), OptionFile("upos")):
        job = Job(task("tagging").name, (), {"A": {"table": value}}, {})
        (tmp_path / "large").write_text("more than three")
        assert job_serialization.unpack_job(job_serialization.pack_job(job)).compare_options["A"]["table"] == value


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that have another aune would give other digits."""
    parcel = job_serialization.pack_job(Job("speech", (), {}, {}))
    monkeypatch.setattr(job_serialization, "__version__", "0.0.1")
    with pytest.raises(UsageError, match=r"a worker has aune 0\.0\.1, .* install the same version everywhere"):
        job_serialization.count_parcel(parcel)
