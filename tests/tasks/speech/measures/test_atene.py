"""ATENE: the mean of its two parts, or of ATENE_I and another measure (§5.8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.strategies import CORPORA, tiny_model

PARTS = ["atene", "atene_ds", "atene_i", "ne_wer", "word_prf"]


@given(CORPORA)
def test_is_the_mean_of_its_parts(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    result = aune.score("speech", *corpora, measures=PARTS, model=tiny_model(), alignment="similar")
    ds, i = result["atene_ds"].atene_ds, result["atene_i"].atene_i
    assert ds is not None and i is not None
    assert result["atene"].atene == pytest.approx(-(ds + i) / 2)
    for name, other in (("ne_wer", result["ne_wer"].ne_wer), ("recall", 1 - (result["word_prf"].recall or 0.0))):
        combined = aune.score("speech", *corpora, measures=["atene"], model=tiny_model(), combine=name)["atene"].atene
        assert combined == pytest.approx((other - i) / 2)


def test_eq_5_12_by_hand() -> None:
    assert -100 * (-0.25 + 0.0) / 2 == 12.5
    equal = {"u": {"text": "said paris", "entities": [(1, 2, "LOC")]}}
    assert aune.score("speech", equal, {"u": "said paris"}, measures=["atene"], model=tiny_model())["atene"].atene == 0
