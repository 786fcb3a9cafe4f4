"""`aune cite`: entries for a paper's bibliography."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aune
from aune.cli import run


def keys(text: str) -> list[str]:
    return [line.partition("{")[2].rstrip(",") for line in text.splitlines() if line.startswith("@")]


def test_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cite", "coref.muc", "lea"]) == 0
    output = capsys.readouterr()
    assert keys(output.out) == ["aune", "moosavi2016", "popescubelis1999", "vilain1995"] and not output.err
    assert "author = {Vilain, Marc and Burger, John" in output.out

    assert run(["cite", "coref.muc", "--json"]) == 0
    assert {"key": "vilain1995", "year": "1995"}.items() <= json.loads(capsys.readouterr().out)[-1].items()


def test_the_measures_of_a_saved_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    aune.save(aune.score("coref", [{1, 2}], [{1, 2}], measures=["lea", "mean(muc.f1, lea.f1)"]), tmp_path / "run.json")
    assert run(["cite", str(tmp_path / "run.json"), "--output", str(tmp_path / "works.bib")]) == 0
    assert keys((tmp_path / "works.bib").read_text()) == ["aune", "moosavi2016", "popescubelis1999", "vilain1995"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ([], "aune: expected a measure or a saved result: aune cite coref.muc, aune cite run.json"),
        (["muc"], "aune: muc: several tasks have it: coref.muc, entities.muc: name one of them"),
    ],
)
def test_what_cannot_be_cited(what: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cite", *what]) == 2
    assert capsys.readouterr().err.strip() == message


def test_something_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["cite", "nothing_of_the_kind"]) == 2
    assert "found no measure and no file of that name" in capsys.readouterr().err
    (tmp_path / "x.json").write_text("{}")
    assert run(["cite", str(tmp_path / "x.json")]) == 3
