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
    assert result["Ann–Ben", "krippendorff(words)"].alpha < 0.5
    [note] = result.warnings
    assert note == "3 of 5 words that annotators segment differently: the coefficients of labels leave them out"


def test_words_that_one_annotator_leaves_without_a_tag_are_reported() -> None:
    untagged = [*WHOLE[:2], ("noir", "_")]
    result = annotators_agreement("tagging", {"Ann": WHOLE, "Ben": untagged})
    assert result["Ann–Ben", "krippendorff(column=tag)"].alpha < 1
    [note] = result.warnings
    assert note == "1 of 3 words without a tag from one annotator: the coefficients of labels leave them out"


def treebank(path: Path, lines: str) -> str:
    path.write_text("".join("\t".join(line.split()) + "\n" for line in lines.splitlines()) + "\n")
    return str(path)


TREE = """1 la le DET D Gender=Fem 2 det 2:det _
2 mer mer NOUN N Gender=Fem|Number=Sing 0 root 0:root|2:dep _
3 dort dormir VERB V _ 2 acl 2:acl _
"""
OTHERS = {
    "xpos": ("NOUN N", "NOUN NN"), "feats": ("|Number=Sing", ""), "lemma": ("mer mer", "mer mère"),
    "head": ("_ 2 acl", "_ 1 acl"), "deprel": ("2 acl 2", "2 dep 2"), "deps": ("0:root|2:dep", "0:root"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_annotators_decide_beyond_the_tag_has_a_coefficient_where_they_differ(name: str, tmp_path: Path) -> None:
    """κ of the tags was all that was printed, beside measures of lemmas, features and trees that were not perfect."""
    first = treebank(tmp_path / "a.conllu", TREE)
    second = treebank(tmp_path / "b.conllu", TREE.replace(*OTHERS[name]))
    result = annotators_agreement("tagging", {"A": first, "B": second})
    assert {score.name: score.main for score in result} == {
        "cohen": 1, "krippendorff": 1, f"krippendorff(column={name})": pytest.approx(0.6, abs=0.3),
    }  # fmt: skip
    assert [score.name for score in annotators_agreement("tagging", {"A": first, "B": first})] == [
        "cohen", "krippendorff",
    ]  # fmt: skip
    chosen = annotators_agreement("tagging", {"A": first, "B": second}, column="upos")
    assert [score.name for score in chosen] == ["cohen", "krippendorff"]


def test_other_cuts_into_sentences_and_compounds_count() -> None:
    words = [("a", "N"), ("b", "N"), ("c", "V")]
    cut = annotators_agreement("tagging", {"A": {"d": [words]}, "B": {"d": [words[:1], words[1:]]}})
    assert cut["A–B", "cohen"].kappa == 1
    assert 0 < cut["A–B", "krippendorff(words)"].alpha < 1


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
