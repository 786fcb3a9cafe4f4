"""JER by hand; `test_der.py` has pyannote.metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from tests.tasks.speech.measures.test_der import write_rttm


def test_every_speaker_counts_the_same(tmp_path: Path) -> None:
    """One speaks 90 seconds and is found, one speaks 10 and is not."""
    key = write_rttm(tmp_path / "key.rttm", [[("ann", 0, 90), ("bo", 90, 100)]])
    response = write_rttm(tmp_path / "r.rttm", [[("1", 0, 90)]])
    result = aune.score("speech", key, response, measures=["der", "jer"])
    assert result["der"].der == pytest.approx(0.1) and result["jer"].jer == pytest.approx(0.5)
