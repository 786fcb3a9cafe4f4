"""NE-SWER: by hand, and story by story."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from aune.tasks.speech.model import documents, outermost_entities
from tests.tasks.speech.oracles import annotated, rate, steps


def test_by_hand() -> None:
    """One name of two wrong in a long story, the only one wrong in a short one: (1/2 + 1) / 2."""
    key = {
        "a": {"text": "ann met bob there", "document": "long", "entities": [(0, 1, "PER"), (2, 3, "PER")]},
        "b": {"text": "paris", "document": "short", "entities": [(0, 1, "LOC")]},
    }
    found = aune.score("speech", key, {"a": "ann met rob there", "b": "pairs"}, measures=["story_ne_wer"])
    assert found["story_ne_wer"].ne_wer == pytest.approx(0.75)


@given(annotated())
def test_story_by_story(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    listed = [error for error in steps(key, response) if error[3]]
    rates = []
    for story in sorted({one["document"] for one in key.values()}):
        mine = {name for name, one in key.items() if one["document"] == story}
        spans = [span for one in documents(key) if one.id in mine for span in outermost_entities(one.entities)]
        words = sum(end - start for start, end, _ in spans)
        rates += [rate([error for error in listed if error[0] in mine], words)] if words else []
    found = aune.score("speech", key, response, measures=["story_ne_wer"])["story_ne_wer"].ne_wer
    assert found == (pytest.approx(sum(rates) / len(rates)) if rates else None)
