"""cpWER in two parts: they add up, and are those of the other measures."""

from __future__ import annotations

import pytest

import aune
from tests.tasks.speech.alignment.test_meetings import recordings
from tests.tasks.speech.measures.test_orc_wer import errors, random_meetings


def test_the_parts_add_up() -> None:
    for key, response in random_meetings(25):
        score = aune.score("speech", recordings(key), recordings(response), measures=["cp_split"])["cp_split"]
        assert score.counts["errors"] == errors("cp_wer", key, response)[0]
        assert score.counts["recognition_errors"] == errors("di_cp_wer", key, response)[0]
        if score.cp_wer is not None:
            assert score.cp_wer == pytest.approx(score.recognition + score.attribution) and score.attribution >= 0
