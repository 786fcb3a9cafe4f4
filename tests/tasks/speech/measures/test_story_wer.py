"""SWER: by hand, and story by story."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.oracles import fewest_errors, make_annotation


def test_stories_weigh_the_same() -> None:
    key = {
        "a1": {"text": "one two", "document": "a", "entities": [(0, 1, "N")]},
        "a2": {"text": "three four", "document": "a"},
        "b1": {"text": "five", "document": "b", "entities": [(0, 1, "N")]},
    }
    response = {"a1": "one", "a2": "three four", "b1": "six"}
    result = aune.score(
        "speech", key, response, measures=["wer", "story_wer", "story_ne_wer", "macro(wer, by=document)"]
    )
    assert result["wer"].wer == pytest.approx(2 / 5)
    assert result["story_wer"].wer == pytest.approx((1 / 4 + 1) / 2) == result["macro(speech.wer,by=document)"].wer
    assert result["story_ne_wer"].ne_wer == pytest.approx((0 + 1) / 2)


@given(make_annotation())
def test_story_by_story(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    rates = []
    for story in sorted({item["document"] for item in key.values()}):
        own_value = [name for name, item in key.items() if item["document"] == story]
        words = sum(len(key[name]["words"]) for name in own_value)
        if words:
            rates.append(sum(fewest_errors(tuple(key[n]["words"]), tuple(response[n])) for n in own_value) / words)
    result = aune.score("speech", key, response, measures=["story_wer"])["story_wer"].wer
    assert result == (pytest.approx(sum(rates) / len(rates)) if rates else None)
