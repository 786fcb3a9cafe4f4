"""`aune tagging table`: what a table does, its inverse, its shortest form, and files in the pivot's tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aune
from aune.cli import run

TABLE = "# pivot = Nc|Np|Vmn|Vmp|R\nn\tNc|Np\nv*\tVm*\nvinf\tVmn|Vmp\nx\tZz\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {"table.tsv": TABLE, "out.tsv": "chat\tn\ndort\tvp\nici\t?\n", "key.tsv": "chat\tNc\ndort\tVmp\nici\tR\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in texts]


def test_check(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tagging", "table", "check", files[0], files[1]]) == 0
    text = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert text == [
        "what number tags",
        "entries 4",
        "tags of the pivot 5",
        "outside the pivot 1 Zz",
        "with several tags 2 n 2, vp 2",
        "not expressed 1 R",
        "without an entry 1 ? 1×",
        "never used 2 vinf, x",
    ]
    assert run(["tagging", "table", "check", files[0], files[1], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["never used"] == ["vinf", "x"]


def test_invert(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tagging", "table", "invert", files[0]]) == 0
    assert capsys.readouterr().out == "Nc\tn\nNp\tn\nVmn\tv*|vinf\nVmp\tv*|vinf\nZz\tx\n"


def test_minimise(files: list[str], tmp_path: Path) -> None:
    short = tmp_path / "short.tsv"
    assert run(["tagging", "table", "minimise", files[0], "-o", str(short)]) == 0
    assert short.read_text() == "# pivot = Nc|Np|R|Vmn|Vmp\nn\tN*\nv*\tV*\nx\tZz\n"


def test_a_projected_file_scores_as_the_table_does(files: list[str], tmp_path: Path) -> None:
    table, response, key = files
    made = tmp_path / "made.tsv"
    assert run(["tagging", "table", "project", table, response, str(made)]) == 0
    assert made.read_text() == "chat\tNc|Np\ndort\tVmn|Vmp\nici\t_\n\n"
    plain = aune.score("tagging", key, str(made), measures=["precision_decision"]).scores[0].counts
    assert plain == aune.score("tagging", key, response, table=table, measures=["precision_decision"]).scores[0].counts


def test_patterns_need_a_pivot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("n\tN*\n")
    assert run(["tagging", "table", "invert", str(path)]) == 2
    assert "which nobody lists" in capsys.readouterr().err
    assert run(["tagging", "table", "invert", str(path), "--tagset", "upos"]) == 0
    assert capsys.readouterr().out == "NOUN\tn\nNUM\tn\n"
