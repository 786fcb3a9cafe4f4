"""`aune baseline`, `aune coref ablate` and `aune score --against-baseline` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run

KEY = (
    '{"doc_key": "d", "sentences": [["Ann", "saw", "herself", "and", "Ann"]], "clusters": [[[0, 0], [2, 2], [4, 4]]]}\n'
)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.jsonl"
    path.write_text(KEY)
    return path


def test_a_response_is_written_in_the_format_of_the_target(key: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert run(["baseline", "coref", "same_string", str(key), str(target)]) == 0
    assert json.loads(target.read_text())["clusters"] == [[[0, 0], [4, 4]], [[2, 2]]]
    assert run(["baseline", "coref", "one-chain", str(key), str(tmp_path / "out.partition")]) == 0
    assert (tmp_path / "out.partition").read_text() == "# document d\n0 2 4\n"


def test_scores_without_a_target(key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["baseline", "coref", "one_chain", str(key), "-m", "muc"]) == 0
    assert "100.00" in capsys.readouterr().out
    assert run(["baseline", "coref", "random_profile", str(key), "-m", "muc", "--draws", "3", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"][0]["draws"] == 3


def test_anaphora(key: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.tsv"
    assert run(["baseline", "anaphora", "recent", str(key), str(target)]) == 0
    assert target.read_text().splitlines()[1].split("\t")[:3] == ["d", "2", "0"]


def test_against_baseline(key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["score", "coref", str(key), str(key), "--against-baseline", "same_string", "-m", "muc", "-f", "json"]) == 0
    )
    [score] = json.loads(capsys.readouterr().out)["scores"]
    assert score["measure"] == "over(coref.muc,same_string)"
    assert score["values"]["f1"] == 1
    assert "baseline:same_string" in score["signature"]


def test_ablate(key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["coref", "ablate", str(key), "-m", "b_cubed", "--most", "1", "-f", "csv"]) == 0
    assert len(capsys.readouterr().out.strip().splitlines()) == 1 + 5


def test_mistakes(key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["baseline", "coref", "one_chian", str(key)]) == 2
    assert "did you mean 'one_chain'" in capsys.readouterr().err
    assert run(["baseline", "coref", "one_chain", str(key), "x.jsonl", "--seed", "1"]) == 2
    assert run(["baseline", "coref", "one_chain", "nothing.here", "x.jsonl"]) == 3
    assert run(["score", "coref", str(key), str(key), "--against-baseline", "nobody"]) == 2


def test_standard_output(key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["baseline", "coref", "one_chain", str(key), "-"]) == 0
    assert json.loads(capsys.readouterr().out)["doc_key"] == "d"
