"""The share of utterances with any error: by hand and by comparing texts."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, score_pairs


def test_by_hand() -> None:
    assert score_pairs("sentence_error", [("a b", "a b"), ("c", "d"), ("", "")]).rate == pytest.approx(1 / 3)


@given(PAIRS)
def test_by_comparing_texts(pairs: list[tuple[str, str]]) -> None:
    wrong = sum(key.split() != response.split() for key, response in pairs)
    assert score_pairs("sentence_error", pairs).rate == wrong / len(pairs)
