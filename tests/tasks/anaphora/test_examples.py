"""The bundled examples, and the commands that take any task."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.cli import run


def test_the_examples_score(examples: Path) -> None:
    folder = examples / "anaphora"
    result = aune.score("anaphora", str(folder / "key.tsv"), str(folder / "careful.tsv"))
    assert result["accuracy"].values == {"strict": 6 / 9, "chain": 8 / 9}
    assert result["mitkov"].etiquette == 9 / 10
    gap = aune.score("anaphora", str(folder / "gap-key.tsv"), str(folder / "gap-response.tsv"), measures=["gap"])["gap"]
    assert (gap.masculine, gap.feminine) == (1, 0.4)


def test_pairs_answer_a_coreference_file(examples: Path, tmp_path: Path) -> None:
    key, response = str(examples / "coref" / "key.conll"), tmp_path / "response.tsv"
    assert run(["baseline", "anaphora", "recent", key, str(response)]) == 0
    mitkov = aune.score("anaphora", key, str(response), measures=["mitkov"])["mitkov"]
    assert mitkov.over_baseline == pytest.approx(0)


def test_describe_and_validate(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = examples / "anaphora" / "key.tsv"
    assert run(["describe", "anaphora", str(key)]) == 0
    assert "not anaphoric" in capsys.readouterr().out
    assert run(["validate", "anaphora", str(key)]) == 0
    wrong = tmp_path / "wrong.tsv"
    wrong.write_text("he\the\n")
    assert run(["validate", "anaphora", str(wrong)]) == 3
    assert "as its own antecedent" in "".join(capsys.readouterr())


def test_convert_says_what_is_lost(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, target = str(examples / "coref" / "key.conll"), tmp_path / "key.tsv"
    assert run(["convert", "anaphora", key, str(target), "--to", "pairs"]) == 0
    assert "cannot represent candidates" in capsys.readouterr().err
    whole = tmp_path / "key.jsonl"
    assert run(["convert", "anaphora", key, str(whole)]) == 0
    assert capsys.readouterr().err == ""
    before, after = (aune.score("anaphora", item, item).to_dict()["scores"] for item in (key, str(whole)))
    assert [item["counts"] for item in before] == [item["counts"] for item in after]
