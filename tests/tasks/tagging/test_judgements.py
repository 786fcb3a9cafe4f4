"""The judgements of annotators of tags, and the words that they do not share."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.explain.annotators import annotators_agreement

WHOLE = [("au", "P+D"), ("chat", "N"), ("noir", "A")]
CUT = [("a", "P"), ("u", "D"), ("chat", "N"), ("noir", "A")]


def test_words_that_annotators_cut_differently_are_reported() -> None:
    """They dropped out, so that annotators who agree on the rest had a κ of 1 without a note."""
    result = annotators_agreement("tagging", {"Ann": WHOLE, "Ben": CUT})
    assert result["Ann–Ben", "cohen"].kappa == 1.0
    [note] = result.warnings
    assert note == "3 of 5 words that annotators segment differently: the coefficients leave them out"


def test_words_that_one_annotator_leaves_without_a_tag_are_reported() -> None:
    untagged = [*WHOLE[:2], ("noir", "_")]
    [note] = annotators_agreement("tagging", {"Ann": WHOLE, "Ben": untagged}).warnings
    assert note == "1 of 3 words without a tag from one annotator: the coefficients leave them out"


COLUMNS = """1\tla\tle\tDET\t{}1\t_\t0\troot\t_\t_
2\tmer\tmer\tNOUN\t{}2\t_\t1\tobj\t_\t_

"""


def test_the_column_that_is_named_is_judged(tmp_path: Path) -> None:
    """κ was of the universal tags whatever the column, beside an accuracy of the one that was named."""
    paths = {}
    for name in "DE":
        paths[name] = str(tmp_path / f"{name}.conllu")
        Path(paths[name]).write_text(COLUMNS.format(name, name), encoding="utf-8")
    assert annotators_agreement("tagging", paths)["D–E", "cohen"].kappa == 1
    for measures in ([], ["accuracy"]):
        result = annotators_agreement("tagging", paths, measures=measures, column="xpos")
        assert result["D–E", "cohen"].kappa == 0
        assert {score.signature.options["column"] for score in result.scores} == {"xpos"}
    assert result["D–E", "accuracy"].main == 0
    with pytest.raises(aune.AuneError, match="--column feats2: an annotator has only"):
        annotators_agreement("tagging", paths, column="feats2")


def test_a_column_without_tags_is_not_judged(tmp_path: Path) -> None:
    """A column of underscores was taken before the one that has tags, so that nothing was compared."""
    paths = {}
    for name in "DE":
        paths[name] = str(tmp_path / f"{name}.conllu")
        text = COLUMNS.format("X", "X").replace("DET", "_").replace("NOUN", "_")
        Path(paths[name]).write_text(text, encoding="utf-8")
    assert annotators_agreement("tagging", paths)["D–E", "cohen"].kappa == 1


def test_the_same_words_have_no_note() -> None:
    assert not annotators_agreement("tagging", {"Ann": WHOLE, "Ben": WHOLE}).warnings
    with pytest.raises(aune.AuneError):
        annotators_agreement("tagging", {"Ann": WHOLE})
