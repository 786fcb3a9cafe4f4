"""`aune coref correspond` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run


def test_figure_3(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = examples / "coref" / "denotation"
    assert run(["coref", "correspond", str(folder / "key.jsonl"), str(folder / "response.jsonl")]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "{Clinton, his, he} ⇔ {Clinton}   (0.86)" in shown
    assert "∅ ⇔ {it}" in shown
    assert "missing: key: it denotes slavery" in shown


def test_pairs_as_json_and_no_format_that_is_not_given(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(examples / "coref" / "denotation" / f"{name}.jsonl") for name in ("key", "response")]
    assert run(["coref", "correspond", *paths, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"][0]["pairs"]
    assert run(["coref", "correspond", *paths, "--format", "latex"]) == 2
    assert "are text or json, not latex" in capsys.readouterr().err


def test_options_are_those_of_the_measure(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = examples / "coref" / "denotation"
    paths = [str(folder / "key.jsonl"), str(folder / "response.jsonl")]
    assert run(["coref", "correspond", *paths, "--specificity", "name=1,noun=2"]) == 2
    assert "decrease" in capsys.readouterr().err
    assert run(["coref", "correspond", *paths, "--kinds", "english"]) == 0


def test_other_correspondences_and_views(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(examples / "coref" / "key.conll"), str(examples / "coref" / "neural.conll")]
    for pairing in ("core", "exclusive_core", "ceaf"):
        assert run(["coref", "correspond", *paths, "--with", pairing, "--format", "csv"]) == 0
        assert capsys.readouterr().out.startswith("document,key,response,shared")
    assert run(["coref", "correspond", *paths, "--by", "chain", "--taken", "empty", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["side"] for row in rows} == {"key", "response"}
    assert run(["coref", "correspond", *paths, "--by", "mention"]) == 0
    assert "precision" in capsys.readouterr().out.splitlines()[1]


def test_describe_gives_kinds_by_rule(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["describe", "coref", str(examples / "coref" / "key.conll"), "--kinds", "english"]) == 0
    assert "mentions of kind pronoun" in capsys.readouterr().out
