"""Rows on disk say what the result said."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.contract import registry
from aune.contract.measure import Layout, Measure
from aune.results import rows as rows_module
from aune.results.rows import Rows, group, group_into_blocks
from aune.statistics.intervals import with_intervals
from tests.evaluation.test_streaming import corpus, measures, write_text

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("task", ["speech", "coref", "entities", "tagging", "anaphora"])
def test_everything_comes_back(task: str, tmp_path: Path) -> None:
    key, response = corpus(task)
    result = aune.evaluate(
        task, write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "a", response)}, measures=measures(task)
    )
    aune.save(result, tmp_path / "rows")
    again = aune.load(tmp_path / "rows")
    assert again.inputs == result.inputs and again.warnings == result.warnings
    for before, after in zip(result, again, strict=True):
        assert after.values == before.values and after.signature == before.signature
        assert after.rows.matrix.tolist() == before.rows.matrix.tolist()
        assert {name: list(attribute) for name, attribute in after.rows.attributes.items()} == {
            name: list(attribute) for name, attribute in before.rows.attributes.items()
        }
    assert [interval.intervals for interval in with_intervals(again, draws=100)] == [
        interval.intervals for interval in with_intervals(result, draws=100)
    ]


def test_averages_and_options_come_back(tmp_path: Path) -> None:
    names = ["mean(muc.f1, conll)", "macro(mean(muc.f1, b_cubed.f1), by=document)", "macro(muc, by=document)"]
    key, response = corpus("coref")
    result = aune.evaluate(
        "coref", write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "a", response)}, measures=names
    )
    aune.save(result, tmp_path / "rows")
    again = aune.load(tmp_path / "rows")
    assert [score.values for score in again] == [score.values for score in result]
    assert [item.rows.layout for item in again] == [item.rows.layout for item in result]


def test_rows_of_another_version_say_so(tmp_path: Path) -> None:
    aune.save(aune.score("speech", ["one two"], ["one"]), tmp_path)
    record = json.loads((tmp_path / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps({**record, "version": 99}))
    with pytest.raises(aune.InputError, match=r"result\.json:1:1: found rows of version 99, expected 1: read"):
        aune.load(tmp_path)


EVERY = [measure for task in registry.task_names() for measure in registry.measures(task)]


@pytest.mark.parametrize("measure", EVERY, ids=lambda measure: measure.name)
def test_every_measure_declares_its_counts(measure: Measure) -> None:
    """Rows come back by what the measure says of its counts, so that no file has to name a type."""

    def check(kind: Any) -> None:
        types = get_type_hints(kind)
        assert set(types) == set(kind._fields)
        for inner in types.values():
            if hasattr(inner, "_fields"):
                check(inner)

    check(measure.counts)


OWN = """
from pathlib import Path
Path({mark!r}).write_text("imported")
from aune.contract.registry import measure
from dataclasses import replace
WER = replace(measure("speech.wer"), label="{name}:WER")
"""


def test_nothing_is_imported_because_rows_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither as the measure nor inside one; a measure of one's own comes back when its module is named."""
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "mark"
    (tmp_path / "rows_own.py").write_text(OWN.format(mark=str(mark), name="rows_own"))
    aune.save(aune.score("speech", ["a b"], ["a c"], measures=["rows_own:WER"]), "rows")
    stored = Path("rows/result.json").read_text()
    sys.modules.pop("rows_own")
    mark.unlink()
    for name in ("rows_own:WER", "macro(rows_own:WER,by=document)", "mean(wer.wer,rows_own:WER.wer)"):
        Path("rows/result.json").write_text(stored.replace('"rows_own:WER"', json.dumps(name)))
        with pytest.raises(aune.AuneError, match="its module rows_own is imported only if you name it"):
            aune.load("rows")
        assert run(["score", "--from-rows", "rows"]) == 2
    assert not mark.exists() and "rows_own" not in sys.modules
    Path("rows/result.json").write_text(stored)
    capsys.readouterr()
    assert aune.load("rows", modules=["rows_own"]).scores[0].main == 0.5
    assert run(["score", "--from-rows", "rows", "-m", "rows_own:WER"]) == 0
    assert "50.00" in capsys.readouterr().out


def _counts_named(table: dict[str, Any]) -> None:
    table["layout"]["names"] = ["os", "system"]


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "other counts": _counts_named,
    "no layout": lambda table: table.pop("layout"),
    "too few fields": lambda table: table["layout"]["fields"].pop(),
    "a shape of words": lambda table: table["layout"]["fields"].__setitem__(0, ["two"]),
    "a layout for a number": lambda table: table["layout"]["fields"].__setitem__(0, {"names": ["a"], "fields": [[]]}),
    "a column too many": lambda table: table["columns"].append("c0"),
    "a wide shape": lambda table: table["layout"]["fields"].__setitem__(0, [7]),
    "no such column": lambda table: table["columns"].__setitem__(0, "c99"),
    "a column of names": lambda table: table["columns"].__setitem__(0, "@document"),
    "no such table": lambda table: table.update(table=9),
}


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_rows_that_do_not_fit_are_refused(damage: str, tmp_path: Path) -> None:
    aune.save(aune.score("speech", ["a b"], ["a c"], measures=["wer"]), tmp_path)
    record = json.loads((tmp_path / "result.json").read_text())
    DAMAGES[damage](record["scores"][0])
    (tmp_path / "result.json").write_text(json.dumps(record))
    with pytest.raises(aune.InputError, match="found no rows that aune wrote"):
        aune.load(tmp_path)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, response = corpus("speech")
    paths = write_text(tmp_path, "key", key), write_text(tmp_path, "a", response)
    folder = str(tmp_path / "rows")
    assert run(["score", "speech", *paths, "-m", "wer,cer", "--rows", folder, "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run(["score", "--from-rows", folder, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert run(["score", "--from-rows", folder, "-m", "cer", "--by", "speaker"]) == 0
    assert "s1" in capsys.readouterr().out
    assert run(["score", "speech", "--from-rows", folder]) == 2
    assert run(["score", "--from-rows", str(tmp_path)]) == 3
    assert run(["score", "speech"]) == 2


def test_many_units_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MOST_UNITS", 50)
    monkeypatch.setattr(rows_module, "BLOCK_COUNT", 20)
    names = [f"u{number}" for number in range(200)]
    matrix = np.random.default_rng(1).integers(0, 9, (200, 2)).astype(float)
    layout = Layout(tuple, ("a", "b"), ((), ()))
    result = group_into_blocks(Rows({"document": names}, matrix, layout), "document")
    assert result is not None and len(result) == 20
    assert result.total.tolist() == matrix.sum(axis=0).tolist()
    order = np.random.default_rng(2).permutation(200)
    again = group_into_blocks(Rows({"document": [names[place] for place in order]}, matrix[order], layout), "document")
    assert again is not None and again.matrix.tolist() == result.matrix.tolist()
    few = Rows({"document": [f"u{number % 40}" for number in range(200)]}, matrix, layout)
    assert group_into_blocks(few, "document") is None and len(group(few, "document")) == 40


def test_the_signature_says_that_blocks_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MOST_UNITS", 10)
    texts = [f"one two {number}" for number in range(30)]
    result = aune.score("speech", texts, [text.replace("two", "too") for text in texts], measures=["wer"])
    assert "blocks" in with_intervals(result, draws=50)["wer"].signature.options


# The JSON envelope, read back: a row per document.


@pytest.mark.parametrize("task", ["speech", "coref", "entities", "tagging", "anaphora"])
def test_json_comes_back(task: str, tmp_path: Path) -> None:
    key, response = corpus(task)
    result = aune.evaluate(
        task, write_text(tmp_path, "key", key), {"A": write_text(tmp_path, "a", response)}, measures=measures(task)
    )
    result = with_intervals(result, draws=50)
    again = aune.Result.from_json(result.to_json(by="document"))
    assert again.to_json() == result.to_json()
    assert again.to_json(by="document") == result.to_json(by="document")
    assert str(again) == str(result)
    for before, after in zip(result, again, strict=True):
        assert after.counts == pytest.approx(before.counts)
        if before.measure.by in ("", "document"):
            assert after.by("document") == before.by("document")


def test_a_file_of_json(tmp_path: Path) -> None:
    result = aune.score("coref", {"a": [{1, 2}], "b": [{1, 2, 3}]}, {"a": [{1, 2}], "b": [{1}, {2, 3}]})
    aune.save(result, tmp_path / "run.json")
    assert (tmp_path / "run.json").read_text() == result.to_json(by="document")
    assert aune.load(tmp_path / "run.json").to_json() == aune.load(str(tmp_path / "run.json")).to_json()
    with (tmp_path / "run.json").open() as opened:
        assert aune.load(opened)["muc"].values == result["muc"].values


def test_a_path_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(aune.InputError, match=r"no.json:1:1: found nothing there, expected a result written"):
        aune.load(tmp_path / "no.json")


def test_json_of_something_else(tmp_path: Path) -> None:
    for text in ("{}", "[1]", "nothing", '{"schema": 7, "scores": []}', "3"):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(aune.InputError, match=r"run\.json:1:1: found no result that aune wrote"):
            aune.load(tmp_path / "run.json")
    with pytest.raises(aune.InputError, match=r"^the JSON given:1:1: found no result that aune wrote"):
        aune.Result.from_json("{}")


def test_json_whose_counts_are_others_is_refused() -> None:
    result = aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc"])
    changed = result.to_json().replace("common_links", "links")
    with pytest.raises(aune.InputError, match="counts links"):
        aune.Result.from_json(changed)
