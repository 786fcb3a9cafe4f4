"""`aune score --by chain` and `--by mention`, which list what is smaller than a document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run


def run_score(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["score", "coref", *arguments]) == 0
    return capsys.readouterr().out


def test_the_example_of_1999(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """§4.3: B³ of expressions 1, 6, 11, 13, 17; §4.5: the exclusive cores of K₁ to K₄."""
    paths = [str(examples / "coref" / "paper-1999" / f"{name}-1.txt") for name in ("key", "response")]
    rows = json.loads(run_score(capsys, *paths, "--by", "mention", "--format", "json"))["rows"]
    recall = {row["mention"]: row["recall"] for row in rows}
    assert [recall[name] for name in ("1", "6", "11", "13", "17")] == pytest.approx([1, 5 / 7, 2 / 7, 4 / 5, 1 / 5])
    rows = json.loads(run_score(capsys, *paths, "--by", "chain", "--taken", "empty", "--format", "json"))["rows"]
    assert [bool(row["exclusive_core"]) for row in rows if row["side"] == "key"] == [False, False, True, True]


@pytest.mark.parametrize("mentions", ["conll", "complete"])
def test_real_texts(data: Path, capsys: pytest.CaptureFixture[str], mentions: str) -> None:
    """The mean over the mentions of LitBank is its B³, and the links lost are those that MUC misses."""
    paths = [str(data / "coref" / "litbank" / f"{name}.conll.gz") for name in ("key", "s2-sieve")]
    options = ["--mentions", mentions, "--format", "json"]
    scores = {
        score["measure"]: score
        for score in json.loads(run_score(capsys, *paths, "-m", "muc,b_cubed", *options))["scores"]
    }
    rows = json.loads(run_score(capsys, *paths, "--by", "mention", *options))["rows"]
    for name in ("recall", "precision"):
        values = [row[name] for row in rows if row[name] is not None]
        assert sum(values) / len(values) == pytest.approx(scores["coref.b_cubed"]["values"][name])
    chains = json.loads(run_score(capsys, *paths, "--by", "chain", *options))["rows"]
    counts = scores["coref.muc"]["counts"]
    lost = {side: sum(row["links_lost"] for row in chains if row["side"] == side) for side in ("key", "response")}
    assert lost["key"] == counts["key_links"] - counts["common_links"]
    assert lost["response"] == counts["response_links"] - counts["common_links"]


@pytest.mark.parametrize(
    ("measure", "columns"),
    [("muc", ["links lost"]), ("core", ["core", "mentions lost"]), ("exclusive_core", ["exclusive core"]),
     ("muc,exclusive_core", ["exclusive core", "links lost"])],
)  # fmt: skip
def test_columns_are_of_the_measures_named(
    examples: Path, capsys: pytest.CaptureFixture[str], measure: str, columns: list[str]
) -> None:
    paths = [str(examples / "coref" / "paper-1999" / f"{name}-1.txt") for name in ("key", "response")]
    [heading, *_] = run_score(capsys, *paths, "--by", "chain", "-m", measure, "--format", "csv").splitlines()
    assert heading.split(",") == ["document", "side", "chain", "size", "projections", *columns]


def test_several_systems_have_a_column(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural", "strings")]
    lines = run_score(capsys, *paths, "--by", "chain", "--format", "csv").splitlines()
    assert lines[0].startswith("system,document,side,chain")
    assert {line.partition(",")[0] for line in lines[1:]} == {"neural", "strings"}


def test_what_does_not_go_together(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural")]
    assert run(["score", "coref", *paths, "--by", "mention", "-m", "lea"]) == 2
    assert "b_cubed" in capsys.readouterr().err
    assert run(["score", "coref", *paths, "--by", "mention", "--ci"]) == 2
    assert "--by mention lists every mention" in capsys.readouterr().err


def test_intervals_are_not_of_groups(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural")]
    assert run(["score", "coref", *paths, "-m", "muc", "--by", "document", "--ci", "--draws", "100"]) == 0
    assert "--by document: intervals are of everything together" in capsys.readouterr().err


OWN_MEASURE = '''
from typing import Annotated, Any, NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure
from aune.contract.options import Range


class Counts(NamedTuple):
    documents: Column


class Value(NamedTuple):
    value: Any


def count(comparison: Any) -> Counts:
    """The documents."""
    return Counts(np.ones(len(comparison.units["document"])))


def score(counts: Counts, *, gain: Annotated[float, "what it is multiplied by", Range(0)] = 1.0) -> Value:
    return Value(counts.documents * gain)


MEASURE = Measure(count, score)
'''


def test_options_of_a_measure_of_one_s_own_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`aune explain` lists them, so `aune score` accepts them, and only with the measure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gained.py").write_text(OWN_MEASURE)
    (tmp_path / "key.txt").write_text("1 2\n3 4\n")
    assert run(["explain", "gained:MEASURE"]) == 0
    assert "--gain" in capsys.readouterr().out
    values = []
    for option in ([], ["--gain", "2"]):
        command = ["score", "coref", "key.txt", "x=key.txt", "-m", "gained:MEASURE", "--json", *option]
        assert run(command) == 0
        values.append(json.loads(capsys.readouterr().out)["scores"][0]["values"]["value"])
    assert values[1] == 2 * values[0] > 0
    assert run(["score", "coref", "key.txt", "x=key.txt", "-m", "muc", "--gain", "2"]) == 2
    assert "unknown option --gain" in capsys.readouterr().err
