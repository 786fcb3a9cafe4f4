"""Runs by two versions of a key: values, intervals of changes, ranks, corrections, stored results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.cli import run
from aune.errors import UsageError
from aune.explain.correction_effects import read_runs
from aune.explain.rescoring import ADDED, REMOVED, score_again

OLD = {f"d{number}": [("the", "D"), ("cat", "N"), ("sat", "V" if number else "N")] for number in range(12)}
NEW = {**OLD, "d0": [("the", "D"), ("cat", "N"), ("sat", "V")], "d1": [("the", "X"), ("cat", "N"), ("sat", "V")]}
SYSTEMS = {"a": {**NEW, "d2": [("the", "D"), ("cat", "V"), ("sat", "V")]}, "b": OLD}


def rescore_runs(**options: Any) -> Any:
    return score_again("tagging", OLD, NEW, SYSTEMS, measures=["accuracy"], draws=200, **options)


def test_before_and_after_are_the_scores_by_each_key() -> None:
    output = rescore_runs()
    for key, attribute in ((OLD, "before"), (NEW, "after")):
        result = aune.evaluate("tagging", key, SYSTEMS, measures=["accuracy"], ci=True, draws=200)
        for change in output.changes:
            score = result[change.system, "accuracy"]
            assert getattr(change, attribute) == score.main
            assert getattr(change, f"{attribute}_interval") == score.intervals["accuracy"]
    assert [(change.rank_before, change.rank_after) for change in output.changes] == [(2, 1), (1, 2)]


def test_a_change_has_the_interval_of_the_same_texts() -> None:
    for change in rescore_runs().changes:
        low, high = change.change_interval
        assert low <= change.change <= high
        assert low < high


def test_corrections_are_the_edits_with_their_effects_the_largest_first() -> None:
    output = rescore_runs()
    assert [(row.document, row.text) for row in output.corrections] == [
        ("d0", "“sat” (word 2): N becomes V"), ("d1", "“the” (word 0): D becomes X"),
    ]  # fmt: skip
    for row in output.corrections:
        runs = read_runs("tagging", OLD, SYSTEMS, ["accuracy"], {})
        assert row.effects == tuple(runs.effects([(row.document, row.edit)])[0])
    total = {name: sum(effect.change for row in output.corrections for effect in row.effects if effect.system == name)
             for name in SYSTEMS}  # fmt: skip
    assert total == pytest.approx({change.system: change.change for change in output.changes}), "these two do not meet"


def test_the_same_key_changes_nothing() -> None:
    output = score_again("tagging", OLD, OLD, SYSTEMS, measures=["accuracy"], draws=50)
    assert [change.change for change in output.changes] == [0.0, 0.0]
    assert output.corrections == []


def test_documents_that_come_and_go_are_said() -> None:
    new = {name: sentence for name, sentence in OLD.items() if name != "d3"} | {"d99": OLD["d3"]}
    output = score_again("tagging", OLD, new, SYSTEMS, measures=["accuracy"], draws=50)
    assert {(row.document, row.text) for row in output.corrections} == {("d3", REMOVED), ("d99", ADDED)}
    assert output.changes[0].change_interval is None


def files(folder: Path) -> dict[str, str]:
    paths = {}
    for name, documents in {"old": OLD, "new": NEW, **SYSTEMS}.items():
        lines = [f"# {key}\n" + "".join(f"{word}\t{tag}\n" for word, tag in text) for key, text in documents.items()]
        paths[name] = str(folder / f"{name}.tsv")
        Path(paths[name]).write_text("\n".join(lines))
    return paths


def test_a_stored_result_is_scored_again_from_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path)
    stored = tmp_path / "stored.json"
    words = ["score", "tagging", paths["old"], paths["a"], paths["b"], "-m", "accuracy", "--json", "-o", str(stored)]
    assert run(words) == 0
    for command in (
        ["tagging", str(stored), paths["new"]],
        ["tagging", paths["old"], paths["new"], paths["a"], paths["b"]],
    ):
        assert run(["rescore", *command, "--draws", "50", "-m", "accuracy"]) == 0
    output = capsys.readouterr().out
    first, second = output.split("tagging: tagging.accuracy")[1:]
    assert first == second
    assert "2 → 1" in first and "“sat” (word 2): N becomes V" in first and "digest" in first
    Path(paths["a"]).write_text(Path(paths["b"]).read_text())
    assert run(["rescore", "tagging", str(stored), paths["new"]]) == 2
    assert "is not the file that was scored" in capsys.readouterr().err


def test_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path)
    for format in ("json", "csv", "markdown", "latex", "html"):
        assert run(["rescore", "tagging", paths["old"], paths["new"], paths["a"], "--draws", "50", "-f", format]) == 0
        out = capsys.readouterr().out
        assert "a" in out
        if format == "json":
            data = json.loads(out)
            assert [len(key["sha256"]) for key in data["keys"]] == [64, 64]
            assert len(data["corrections"]) == 2


def test_results_of_different_versions_are_not_compared(tmp_path: Path) -> None:
    paths = files(tmp_path)
    results = {key: aune.score("tagging", paths[key], paths["a"], measures=["accuracy"]) for key in ("old", "new")}
    with pytest.raises(UsageError, match="the results are of different keys"):
        aune.compare(results)


def test_responses_must_be_named() -> None:
    with pytest.raises(UsageError, match="expected at least one response to score again"):
        aune.rescore("tagging", OLD, NEW)
