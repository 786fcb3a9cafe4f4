"""The judgements of annotators of tags, and the words that they do not share."""

from __future__ import annotations

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


def test_the_same_words_have_no_note() -> None:
    assert not annotators_agreement("tagging", {"Ann": WHOLE, "Ben": WHOLE}).warnings
    with pytest.raises(aune.AuneError):
        annotators_agreement("tagging", {"Ann": WHOLE})
