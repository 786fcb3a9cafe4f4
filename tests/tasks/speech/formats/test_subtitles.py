"""Subtitles: numbers and times are no words, whatever the cues."""

from __future__ import annotations

from pathlib import Path

from aune import score


def test_cues_cut_in_another_way(tmp_path: Path) -> None:
    (tmp_path / "said.srt").write_text(
        "1\n00:00:00,000 --> 00:00:01,200\nhello world\n\n2\n00:00:01,200 --> 00:00:02,000\ngood morning bob\n",
        encoding="utf-8",
    )
    (tmp_path / "heard.vtt").write_text(
        "WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ann>hello word\ngood morning\n", encoding="utf-8"
    )
    wer = score("asr", tmp_path / "said.srt", tmp_path / "heard.vtt")["wer"]
    assert (wer.wer, wer.substitutions, wer.deletions) == (2 / 5, 1 / 5, 1 / 5)
