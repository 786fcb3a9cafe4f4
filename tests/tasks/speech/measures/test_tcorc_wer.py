"""tcORC-WER by hand; `test_orc_wer.py` has meeteval."""

from __future__ import annotations

from pathlib import Path

import aune
from tests.tasks.speech.measures.test_cp_wer import seglst


def test_words_said_at_another_time_do_not_answer(tmp_path: Path) -> None:
    key = seglst(tmp_path / "key.json", ("ann", 0, 1, "yes"), ("ann", 60, 61, "no"))
    response = seglst(tmp_path / "r.json", ("1", 0, 1, "yes"), ("2", 70, 71, "no"))
    result = aune.score("speech", key, response, measures=["orc_wer", "tcorc_wer"], group="meeting", collar=2.0)
    assert result["orc_wer"].orc_wer == 0 and result["tcorc_wer"].tcorc_wer == 2 / 2
