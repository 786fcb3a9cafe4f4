"""MER: by hand, from counts, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, assert_rate, score_pairs


def test_by_hand() -> None:
    assert score_pairs("mer", [("a b c d e", "a b x d")]).mer == pytest.approx(2 / 5)


def test_all_wrong_is_all_lost_whatever_the_length() -> None:
    """§2.5.1: WER 100 % and 200 %, and both tell nothing."""
    assert score_pairs("mer", [("a b c", "x y z")]).mer == score_pairs("mer", [("a b c", "x y z x y z")]).mer


@given(PAIRS)
def test_from_the_counts_and_by_jiwer(pairs: list[tuple[str, str]]) -> None:
    assert_rate("mer", pairs, lambda h, s, d, i: (s + d + i) / (h + s + d + i))
