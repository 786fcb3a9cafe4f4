"""Recall, precision and F of words: by hand and from counts."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, jiwer_errors, scored


def test_by_hand() -> None:
    found = scored("word_prf", [("a b c d", "a b x")])
    assert (found.recall, found.precision) == (2 / 4, pytest.approx(2 / 3))
    assert found.f1 == pytest.approx(4 / 7)


@given(PAIRS)
def test_from_the_counts(pairs: list[tuple[str, str]]) -> None:
    h, s, d, i = (sum(column) for column in zip(*jiwer_errors(pairs), strict=True))
    found = scored("word_prf", pairs)
    assert found.recall == (pytest.approx(h / (h + s + d)) if h + s + d else None)
    assert found.precision == (pytest.approx(h / (h + s + i)) if h + s + i else None)
    if found.f1 is not None:
        assert found.f1 == pytest.approx(2 * h / (2 * h + 2 * s + d + i))
