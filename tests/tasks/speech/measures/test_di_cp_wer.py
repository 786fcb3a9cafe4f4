"""DI-cpWER by hand; `test_orc_wer.py` has meeteval."""

from __future__ import annotations

from pathlib import Path

import aune
from tests.tasks.speech.measures.test_cp_wer import seglst


def test_the_speakers_of_the_response_do_not_matter(tmp_path: Path) -> None:
    key = seglst(tmp_path / "key.json", ("ann", 0, 1, "a b"), ("bo", 1, 2, "c d"), ("ann", 2, 3, "e"))
    response = seglst(tmp_path / "r.json", ("1", 0, 1, "a b"), ("1", 1, 2, "c x"), ("2", 2, 3, "e"))
    result = aune.score("speech", key, response, measures=["cp_wer", "di_cp_wer"], group="meeting")
    assert result["di_cp_wer"].di_cp_wer == 1 / 5 and result["di_cp_wer"].counts["substitutions"] == 1
    assert result["cp_wer"].cp_wer == 4 / 5
