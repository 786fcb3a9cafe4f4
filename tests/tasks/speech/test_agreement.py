"""Transcribers who agree on the words can differ in who speaks, and when."""

from __future__ import annotations

from typing import Any

import pytest

from aune.explain.annotators import annotators_agreement
from aune.tasks.speech.agreement import MEASURES
from aune.tasks.speech.model import Recording, Utterance

USUAL = ["wer", "mer", "wil", "cer", "sentence_error"]


def meeting(*segments: tuple[str, float, float]) -> list[Recording]:
    return [Recording("m", tuple(Utterance("u", "yes", {"speaker": who}, span=(a, b)) for who, a, b in segments))]


@pytest.mark.parametrize("other", [(("x", 0, 2), ("x", 5, 7)), (("x", 0, 2), ("y", 5, 8))])
def test_speakers_and_times_are_measured_where_they_differ(other: Any) -> None:
    """The usual measures compare words alone: all of them were 0."""
    first = meeting(("x", 0, 2), ("y", 5, 7))
    result = annotators_agreement("speech", {"Ann": first, "Ben": meeting(*other)})
    assert [score.measure.short for score in result] == [*USUAL, *MEASURES]
    assert {score.main for score in result.scores[: len(USUAL)]} == {0}
    assert (result["Ann–Ben", "der"].der or 0) > 0
    assert [score.measure.short for score in annotators_agreement("speech", {"Ann": first, "Ben": first})] == USUAL


def test_named_measures_are_the_only_ones() -> None:
    sides = {"Ann": meeting(("x", 0, 2)), "Ben": meeting(("x", 0, 3))}
    assert [score.measure.short for score in annotators_agreement("speech", sides, measures=["wer"])] == ["wer"]
