"""Recall, precision and F of words: by hand and from counts."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, jiwer_errors, score_pairs


def test_by_hand() -> None:
    result = score_pairs("word_prf", [("a b c d", "a b x")])
    assert (result.recall, result.precision) == (2 / 4, pytest.approx(2 / 3))
    assert result.f1 == pytest.approx(4 / 7)


@given(PAIRS)
def test_from_the_counts(pairs: list[tuple[str, str]]) -> None:
    h, s, d, i = (sum(column) for column in zip(*jiwer_errors(pairs), strict=True))
    result = score_pairs("word_prf", pairs)
    assert result.recall == (pytest.approx(h / (h + s + d)) if h + s + d else None)
    assert result.precision == (pytest.approx(h / (h + s + i)) if h + s + i else None)
    if result.f1 is not None:
        assert result.f1 == pytest.approx(2 * h / (2 * h + 2 * s + d + i))
