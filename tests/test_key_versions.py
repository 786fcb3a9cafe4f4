"""The name of a key's version: stored with results, shown beside the key, and checked where results meet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.cli import run
from aune.results.storage import load, save

OLD = "Ann B-PER\nleft O\n\nOslo B-LOC\nslept O\n"
NEW = OLD.replace("LOC", "ORG")
VERSION = ("--key-version", "2.1")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old.conll", OLD), ("new.conll", NEW), ("a.conll", OLD), ("b.conll", NEW)):
        Path(name).write_text(text)
    return tmp_path


def score(*arguments: str, key: str = "old.conll", response: str = "a.conll") -> None:
    assert run(["score", "ner", key, response, "--quiet", *arguments]) == 0


@pytest.mark.filterwarnings("ignore")
def test_results_store_the_name_in_every_form(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(*VERSION, "--by", "document", "-o", "r.json")
    score(*VERSION, "--rows", "rows")
    assert "old.conll (conll, version 2.1)" in capsys.readouterr().out
    assert [record.get("version") for record in json.loads(Path("r.json").read_text())["inputs"]] == ["2.1", None]
    result = aune.evaluate("ner", "old.conll", {"a": "a.conll"}, key_version="2.1")
    assert [load(path).inputs[0].version for path in ("r.json", "rows")] == ["2.1"] * 2
    save(result, "again")
    assert load("again").inputs == result.inputs
    assert "on old.conll, version 2.1" in result.to("latex")
    assert "key version 2.1" in str(aune.evaluate("ner", {"d": [(0, 1, "X")]}, {"a": {"d": []}}, key_version="2.1"))
    assert run(["report", "ner", "old.conll", "a.conll", *VERSION, "-o", "page.html"]) == 0
    assert "old.conll</bdi>, version 2.1" in Path("page.html").read_text()
    ranked = aune.doubts("ner", "old.conll", {"b": "b.conll"}, key_version="2.1")
    assert ranked.to_dict()["key"]["version"] == "2.1"
    annotators = aune.score_annotators("ner", {"x": "old.conll", "y": "new.conll"}, {"a": "a.conll"}, key_version="7")
    assert [record.get("version") for record in annotators.to_dict()["inputs"]] == ["7", "7", None]


def test_without_a_name_nothing_changes(files: Path) -> None:
    named, plain = (aune.evaluate("ner", "old.conll", {"a": "a.conll"}, **options)
                    for options in ({"key_version": "2.1"}, {}))  # fmt: skip
    assert "version" not in plain.to_dict()["inputs"][0]
    assert [score.signature for score in named] == [score.signature for score in plain]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("key", "version", "message"),
    [
        ("old.conll", "3", "different versions of the key of the same file (version 2.1 and version 3)"),
        ("new.conll", "3", "the results are of different keys (version 2.1 and version 3): score the systems against"),
        ("new.conll", None, "the results are of different keys (version 2.1 and no named version)"),
        ("old.conll", "2.1", ""),
        ("old.conll", None, ""),
    ],
)  # fmt: skip
def test_versions_of_different_names_are_not_compared(
    key: str, version: str | None, message: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score(*VERSION, "--rows", "rows")
    named = ["--key-version", version] if version else []
    code = run(["compare", "ner", key, "b.conll", "--reference", "rows", "--draws", "50", *named])
    assert code == (2 if message else 0)
    assert message in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_structures_of_different_versions_are_not_compared() -> None:
    """They have no digest: only the names tell them apart."""
    key = {"d": [(0, 1, "PER")]}
    results = {name: aune.evaluate("ner", key, {name: key}, key_version=name) for name in ("1", "2")}
    with pytest.raises(aune.UsageError, match="different versions of the key"):
        aune.compare(results)


@pytest.mark.filterwarnings("ignore")
def test_unchanged_units_name_both_versions(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(*VERSION, "--rows", "rows")
    capsys.readouterr()
    compare = ["compare", "ner", "new.conll", "b.conll", "--reference", "rows", "--unchanged", "old.conll"]
    assert run([*compare, "--key-version", "3", "--draws", "50", "--format", "json"]) == 0
    inputs = json.loads(capsys.readouterr().out)["inputs"]
    assert [(record["role"], record.get("version")) for record in inputs[:2]] == [("key", "3"), ("older key", "2.1")]
    assert run([*compare, "--key-version", "2.1"]) == 2
    assert "expected one name for each" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_rescoring_names_both_versions(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(*VERSION, "--by", "document", "-o", "r.json")
    rescore = ["rescore", "ner", "r.json", "new.conll", "--draws", "50"]
    assert run([*rescore, "--new-version", "3"]) == 0
    out = capsys.readouterr().out
    assert "before: old.conll, version 2.1, digest" in out and "after: new.conll, version 3, digest" in out
    assert run([*rescore, "--new-version", "2.1"]) == 2
    assert run([*rescore, "--old-version", "2"]) == 2
    refusals = capsys.readouterr().err
    assert "as the name of both versions" in refusals and "the stored result is by version 2.1" in refusals
    rescored = aune.rescore("ner", "old.conll", "new.conll", {"a": "a.conll"}, old_version="1", new_version="2")
    assert [key["version"] for key in rescored.to_dict()["keys"]] == ["1", "2"]
    assert [result.inputs[0].version for result in (rescored.before, rescored.after)] == ["1", "2"]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 81, 2.1])
def test_what_is_no_name_is_refused(name: Any, files: Path) -> None:
    with pytest.raises((aune.UsageError, TypeError)):
        aune.evaluate("ner", "old.conll", {"a": "a.conll"}, key_version=name)


def test_the_option_is_refused_where_no_result_is_shown(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["errors", "ner", "old.conll", "a.conll", *VERSION]) == 2
    assert "unknown option --key-version" in capsys.readouterr().err
    score("--rows", "rows")
    assert run(["score", "--from-rows", "rows", *VERSION]) == 2
