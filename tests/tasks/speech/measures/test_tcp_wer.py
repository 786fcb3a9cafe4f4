"""tcpWER by hand; `alignment/test_meetings.py` has the slow implementation and meeteval."""

from __future__ import annotations

from pathlib import Path

import aune
from tests.tasks.speech.measures.test_cp_wer import seglst


def test_words_said_at_another_time_do_not_answer(tmp_path: Path) -> None:
    key = seglst(tmp_path / "key.json", ("ann", 0, 1, "yes"), ("ann", 60, 61, "no"))
    response = seglst(tmp_path / "r.json", ("1", 60, 61, "yes"), ("1", 70, 71, "no"))
    result = aune.score("speech", key, response, measures=["cp_wer", "tcp_wer"], group="meeting", collar=2.0)
    assert result["cp_wer"].cp_wer == 0 and result["tcp_wer"].tcp_wer == 3 / 2
