"""Breakdowns and values per unit: streamed, and the same as what is made in memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aune
from aune.cli import run
from aune.reports import paper, text
from aune.reports.units import units_on_success
from aune.results import rows

KEY = {f"d{number}": [{1, 2, 3}, {4, 5}] for number in range(30)}
RESPONSE = {f"d{number}": [{1, 2}, {3, 4, 5}] if number % 3 else [{1, 2, 3}] for number in range(30)}
MEASURES = ["muc", "b_cubed", "macro(muc, by=document)"]


@pytest.fixture(scope="module")
def result() -> aune.Result:
    return aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, measures=MEASURES)


def write_units(result: aune.Result, path: Path) -> Path:
    with units_on_success(result, path):
        assert not path.exists()
    return path


def test_a_line_for_each_system_and_unit(result: aune.Result, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in write_units(result, tmp_path / "units.jsonl").read_text().splitlines()]
    assert [(line["system"], line["unit"]["document"]) for line in lines] == [(s, d) for s in "AB" for d in KEY]
    for line in lines:
        for name in ("muc", "b_cubed"):
            score = result[line["system"], name]
            assert line["values"][name] == score.by("document")[line["unit"]["document"]]
            assert line["counts"][name] == score.counts_by("document")[line["unit"]["document"]]
        assert line["values"]["macro(muc,by=document)"] == {}  # an average has no value by unit


def test_parquet_has_the_same(result: aune.Result, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    lines = [json.loads(line) for line in write_units(result, tmp_path / "units.jsonl").read_text().splitlines()]
    frame = pandas.read_parquet(write_units(result, tmp_path / "units.parquet"))
    assert list(frame["unit.document"]) == [line["unit"]["document"] for line in lines]
    for column in ("values.muc.f1", "values.b_cubed.recall", "counts.muc.key_links"):
        part, measure, name = column.split(".")
        assert frame[column].tolist() == [line[part][measure][name] for line in lines]


def test_units_of_speech_have_all_attributes(tmp_path: Path) -> None:
    key = {f"u{number}": {"text": "one two %", "speaker": f"s%{number % 2}"} for number in range(5)}
    result = aune.score("speech", key, dict.fromkeys(key, "one too"), measures=["wer"])
    lines = [json.loads(line) for line in write_units(result, tmp_path / "units.jsonl").read_text().splitlines()]
    assert [line["unit"]["speaker"] for line in lines] == [f"s%{number % 2}" for number in range(5)]


def test_slices_change_nothing(result: aune.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def everything() -> list[str]:
        shown = [result.to(form, by="document") for form in ("json", "jsonl")]
        plain = aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, measures=MEASURES[:2])
        shown += [plain.to(form, by="document") for form in ("csv", "table")]
        return [*shown, write_units(result, tmp_path / "units.jsonl").read_text()]

    before = everything()
    monkeypatch.setattr(rows, "GROUPS_AT_ONCE", 7)
    (tmp_path / "units.jsonl").unlink()
    assert everything() == before


@pytest.mark.parametrize("systems", [{"A": RESPONSE}, {"A": RESPONSE, "B": KEY}])
def test_long_tables_are_the_same(systems: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    result = aune.evaluate("coref", KEY, systems, measures=MEASURES[:2])
    before = result.to("table", by="document")
    monkeypatch.setattr(paper, "MOST_ROWS", 5)
    monkeypatch.setattr(text, "MOST_ROWS", 5)
    assert result.to("table", by="document") == before


def test_groups_are_those_of_slow_sums() -> None:
    key = {f"u{number}": {"text": "a b c", "speaker": f"s{number % 4}"} for number in range(40)}
    response = {name: "a b" if number % 3 else "a b c" for number, name in enumerate(key)}
    score = aune.score("speech", key, response, measures=["wer"])["wer"]
    speakers, matrix = list(score.rows.attributes["speaker"]), score.rows.matrix
    for speaker, counts in score.counts_by("speaker").items():
        expected = matrix[[name == speaker for name in speakers]].sum(axis=0)
        assert list(counts.values()) == expected.tolist()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(Path(__file__).parents[2] / "examples" / "coref")
    target = tmp_path / "units.jsonl"
    assert run(["score", "coref", "key.conll", "neural.conll", "-m", "muc", "--per-unit", str(target)]) == 0
    assert len(target.read_text().splitlines()) == 2
    assert run(["score", "coref", "key.conll", "neural.conll", "--per-unit", str(tmp_path / "units.txt")]) == 2
    assert "units.txt: values per unit are written as .jsonl or .parquet" in capsys.readouterr().err


def test_json_is_scores_alone(result: aune.Result) -> None:
    envelope = json.loads(result.to_json())
    assert "groups" not in envelope and "documents" not in envelope
    assert aune.Result.from_json(result.to_json())["A", "muc"].values == result["A", "muc"].values


def test_json_of_earlier_versions(result: aune.Result) -> None:
    """Schema 1 had the documents always."""
    envelope = json.loads(result.to_json(by="document"))
    old = {**envelope, "schema": 1, "documents": envelope["groups"]}
    del old["groups"]
    again = aune.Result.from_json(json.dumps(old))
    assert again["A", "muc"].by("document") == result["A", "muc"].by("document")


def test_an_average_has_no_values_by_other_attributes() -> None:
    key = {f"u{number}": {"text": "a b", "speaker": f"s{number % 2}"} for number in range(4)}
    result = aune.score("speech", key, dict.fromkeys(key, "a"), measures=["macro(wer, by=speaker)"])
    with pytest.raises(aune.UsageError, match="it has no value by document"):
        result.to("csv", by="document")
