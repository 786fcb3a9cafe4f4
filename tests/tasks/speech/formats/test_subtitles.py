"""Subtitles: numbers and times are no words, whatever the cues."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import score
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read as read_corpus
from tests.exports import EXPORTS, needs_exports
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text


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


def test_speakers_and_what_is_written() -> None:
    record = '{"id": "u", "text": "a <b> &amp; c", "speaker": "Ann & Bo", "start_time": 0.5, "end_time": 61.25}'
    text = write_text("speech", "subtitles", read_text("speech", "manifest", record))
    assert text == "WEBVTT\n\n00:00:00.500 --> 00:01:01.250\n<v Ann &amp; Bo>a &lt;b&gt; &amp;amp; c\n\n"
    [meeting] = read_text("speech", "subtitles", text, group="meeting")
    [part] = meeting.utterances
    assert (part.attributes["speaker"], part.span) == ("Ann & Bo", (0.5, 61.25))
    assert write_text("speech", "subtitles", [meeting]) == text
    with pytest.raises(UsageError, match="words without times"):
        write_text("speech", "subtitles", read_text("speech", "lines", "a b"))


@needs_exports
@pytest.mark.parametrize(
    ("name", "cues", "empty"),
    [("sample.vtt", 16, 0), ("sample.srt", 5, 0), ("sample.sbv", 5, 0), ("youtube_dl.vtt", 4, 0),
     ("cue_tags.vtt", 3, 0), ("comments.vtt", 3, 0), ("captions_with_bom.vtt", 4, 0), ("dg_speakers.vtt", 38, 0),
     ("dg_speakers.srt", 38, 0)],
)  # fmt: skip
def test_exports(name: str, cues: int, empty: int) -> None:
    corpus = read_corpus(registry.task("speech"), str(EXPORTS / "subtitles" / name), group="meeting")
    assert corpus.format == "subtitles"
    assert len(corpus.documents[0].utterances) == cues - empty
