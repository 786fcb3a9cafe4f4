"""The measures of the CoNLL 2018 scorer: their particular rules, and udtools on random files."""

from __future__ import annotations

import pytest

from aune import score


def row(form: str, **columns: str) -> dict[str, str]:
    return {"form": form, **columns}


def test_a_key_lemma_that_says_nothing_is_right() -> None:
    key = [row("a", lemma="_"), row("b", lemma="b")]
    assert score("tagging", key, [row("a", lemma="x"), row("b", lemma="x")])["lemmas"].f1 == 0.5


@pytest.mark.parametrize(("features", "expected"), [("universal", 1.0), ("all", 0.0)])
def test_only_universal_features_count(features: str, expected: float) -> None:
    key, response = [row("a", feats="Typo=Yes|Number=Sing")], [row("a", feats="Number=Sing")]
    assert score("tagging", key, response, features=features)["feats"].f1 == expected


def test_the_order_of_features_does_not_matter() -> None:
    key, response = [row("a", feats="Number=Sing|Case=Nom")], [row("a", feats="Case=Nom|Number=Sing")]
    assert score("tagging", key, response, features="all")["feats"].f1 == 1.0


def test_a_column_that_is_not_there_is_undefined() -> None:
    result = score("tagging", [("a", "N")], [("a", "N")], measures=["xpos"])
    assert result["xpos"].f1 is None and "no such column" in result["xpos"].reasons["f1"]


def test_words_of_both_sides_count() -> None:
    found = score("tagging", [row("ab", upos="X"), row("c", upos="X")], [row(form, upos="X") for form in "abc"])["upos"]
    assert (found.precision, found.recall, found.f1, found.accuracy) == (1 / 3, 1 / 2, 2 / 5, 1.0)
