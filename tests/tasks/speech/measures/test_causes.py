"""The measure of causes by hand; `tests/tasks/speech/test_causes.py` has the rules."""

from __future__ import annotations

import aune


def test_by_hand() -> None:
    """Ten words: a number in three words for one, a compound in two for one, and one other error."""
    key, response = "it cost twenty one dollars in the white paper here", "it cost $21 in the whitepaper there"
    score = aune.score("speech", [key], [response], measures=["causes"])["causes"]
    assert (score.wer, score.number_format, score.compound, score.other) == (0.6, 0.3, 0.2, 0.1)
