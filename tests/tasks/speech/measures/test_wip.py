"""WIP: by hand, from counts, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, assert_rate, score_pairs


def test_by_hand() -> None:
    assert score_pairs("wip", [("a b c d e", "a b x d")]).wip == pytest.approx(3 / 5 * 3 / 4)


def test_all_wrong_is_all_lost_whatever_the_length() -> None:
    """§2.5.1: WER 100 % and 200 %, and both tell nothing."""
    assert score_pairs("wip", [("a b c", "x y z")]).wip == score_pairs("wip", [("a b c", "x y z x y z")]).wip


@given(PAIRS)
def test_from_the_counts_and_by_jiwer(pairs: list[tuple[str, str]]) -> None:
    assert_rate("wip", pairs, lambda h, s, d, i: h / (h + s + d) * h / (h + s + i))
