"""cpWER by hand; `alignment/test_meetings.py` has the slow implementation and meeteval."""

from __future__ import annotations

import json
from pathlib import Path

import aune


def seglst(path: Path, *arguments: tuple[str, float, float, str]) -> str:
    keys = ("speaker", "start_time", "end_time", "words")
    path.write_text(json.dumps([{"session_id": "m", **dict(zip(keys, item, strict=True))} for item in arguments]))
    return str(path)


def test_by_hand_from_files(tmp_path: Path) -> None:
    """Four words; the response calls its speakers otherwise, has one word wrong, and a third speaker with one more."""
    key = seglst(tmp_path / "key.json", ("ann", 0, 2, "good morning"), ("bo", 1, 3, "all right"))
    response = seglst(tmp_path / "r.json", ("1", 1, 3, "all write"), ("2", 0, 2, "good morning"), ("3", 9, 10, "uh"))
    result = aune.score("speech", key, response, measures=["cp_wer", "tcp_wer"], group="meeting", collar=1.0)
    assert result["cp_wer"].cp_wer == result["tcp_wer"].tcp_wer == 2 / 4
    assert result["cp_wer"].counts["insertions"] == 1
    speakers = result["cp_wer"].details[0]["speakers"]
    assert {(pair["key"], pair["response"]) for pair in speakers} == {("ann", "2"), ("bo", "1"), ("", "3")}


def test_what_is_not_to_be_scored_is_left_out_on_both_sides(tmp_path: Path) -> None:
    (tmp_path / "key.stm").write_text("m 1 ann 0 2 good morning\nm 1 ann 2 4 IGNORE_TIME_SEGMENT_IN_SCORING\n")
    (tmp_path / "r.stm").write_text("m 1 one 0 2 good morning\nm 1 one 2 4 blah blah\n")
    result = aune.score("speech", str(tmp_path / "key.stm"), str(tmp_path / "r.stm"), measures=["cp_wer"])
    assert result["cp_wer"].cp_wer == 0
