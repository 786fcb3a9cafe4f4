"""NE-SWER: by hand, and story by story."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from aune.tasks.speech.model import documents, outermost_entities
from tests.tasks.speech.oracles import make_annotation, rate, steps


def test_by_hand() -> None:
    """One name of two wrong in a long story, the only one wrong in a short one: (1/2 + 1) / 2."""
    key = {
        "a": {"text": "ann met bob there", "document": "long", "entities": [(0, 1, "PER"), (2, 3, "PER")]},
        "b": {"text": "paris", "document": "short", "entities": [(0, 1, "LOC")]},
    }
    result = aune.score("speech", key, {"a": "ann met rob there", "b": "pairs"}, measures=["story_ne_wer"])
    assert result["story_ne_wer"].ne_wer == pytest.approx(0.75)


@given(make_annotation())
def test_story_by_story(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    listed = [error for error in steps(key, response) if error[3]]
    rates = []
    for story in sorted({item["document"] for item in key.values()}):
        own_value = {name for name, item in key.items() if item["document"] == story}
        spans = [
            span
            for document in documents(key)
            if document.id in own_value
            for span in outermost_entities(document.entities)
        ]
        words = sum(end - start for start, end, _ in spans)
        rates += [rate([error for error in listed if error[0] in own_value], words)] if words else []
    result = aune.score("speech", key, response, measures=["story_ne_wer"])["story_ne_wer"].ne_wer
    assert result == (pytest.approx(sum(rates) / len(rates)) if rates else None)
