"""The JSON of recognisers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aune.contract import registry
from aune.reading.corpus import read as read_corpus
from aune.tasks.speech.formats._foreign import is_one_recording
from aune.tasks.speech.model import Recording
from tests.exports import EXPORTS, needs_exports
from tests.tasks.formats import read as read_text

WORDS = [{"word": "Hi,", "start": "0.5s", "end": "0.9s", "confidence": 0.9}, {"word": "Bo.", "start": 1, "end": 1.5}]


def words_of(answer: Any, **options: Any) -> list[str]:
    [document] = read_text("speech", "recogniser_json", json.dumps(answer), **options)
    return list(document.words)


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "Hi, Bo.", "segments": [{"start": 0, "end": 1, "text": " Hi,"}, {"text": " Bo."}]},
        {"text": "Hi, Bo.", "chunks": [{"timestamp": [0.0, 1.5], "text": " Hi, Bo."}]},
        {"transcription": [{"timestamps": {"from": "00:00:00,500", "to": "00:00:01,500"}, "text": " Hi, Bo."}]},
        {"result": [{"conf": 1.0, "start": 0.5, "end": 0.9, "word": "Hi,"}, {"word": "Bo."}], "text": "Hi, Bo."},
        {"text": "Hi, Bo.", "words": WORDS},
        {"results": {"items": [
            {"type": "pronunciation", "start_time": "0.5", "end_time": "0.9", "alternatives": [{"content": "Hi"}]},
            {"type": "punctuation", "alternatives": [{"content": ","}]},
            {"type": "pronunciation", "start_time": "1.0", "end_time": "1.5", "alternatives": [{"content": "Bo."}]}]}},
        {"results": [{"type": "word", "alternatives": [{"content": "Hi,"}]},
                     {"type": "word", "alternatives": [{"content": "Bo"}]},
                     {"type": "punctuation", "alternatives": [{"content": "."}]}]},
        {"results": [{"alternatives": [{"transcript": "Hi,"}]}, {"alternatives": [{"transcript": "Bo."}]},
                     {"languageCode": "en"}]},
        {"monologues": [{"speaker": 0, "elements": [
            {"type": "text", "value": "Hi"}, {"type": "punct", "value": ", "}, {"type": "text", "value": "Bo"},
            {"type": "punct", "value": "."}]}]},
        {"DisplayText": "Hi, Bo.", "Offset": 5, "Duration": 9, "NBest": [{"Lexical": "x"}]},
        {"recognizedPhrases": [], "combinedRecognizedPhrases": [{"channel": 0, "display": "Hi, Bo."}]},
        {"combinedPhrases": [{"text": "x"}], "phrases": [{"text": "Hi, Bo.", "offsetMilliseconds": 0,
                                                          "durationMilliseconds": 9}]},
        {"language_code": "en", "language_probability": 1, "text": "Hi, Bo.", "words": [
            {"text": "Hi,", "start": 0, "end": 1, "type": "word", "speaker_id": "a"}, {"text": " ", "type": "spacing"},
            {"text": "Bo.", "start": 1, "end": 2, "type": "word", "speaker_id": "a"}]},
        {"result": {"transcription": {"utterances": [{"text": "Hi, Bo.", "start": 0, "end": 1, "speaker": 0}]}}},
        [{"start": 0.0, "end": 1.0, "text": " Hi,"}, {"start": 1.0, "end": 2.0, "text": " Bo."}],
        {"recognizedPhrases": [{"offset": "PT0.5S", "duration": "PT1S", "nBest": [{"display": "Hi, Bo."}]}]},
    ],
)  # fmt: skip
def test_answers_of_services(answer: Any) -> None:
    assert words_of(answer) == ["Hi,", "Bo."]
    assert is_one_recording(json.dumps(answer))


def test_times_and_speakers() -> None:
    answer = {"text": "", "segments": [
        {"start": 2, "end": 3, "text": " hi", "speaker": "B"},
        {"start": 0, "end": 1, "text": "good day", "speaker": "A",
         "words": [{"word": "good", "start": 0, "end": 0.5}, {"word": "day", "start": 0.5, "end": 1}]}]}  # fmt: skip
    assert words_of(answer) == ["good", "day", "hi"]
    text = json.dumps(answer)
    speakers = read_text("speech", "recogniser_json", text, group="speaker")
    assert [(speaker.id, list(speaker.words)) for speaker in speakers] == [
        ("file/A", ["good", "day"]),
        ("file/B", ["hi"]),
    ]
    assert speakers[0].times == [(0.0, 0.5), (0.5, 1.0)]
    [meeting] = read_text("speech", "recogniser_json", text, group="meeting")
    assert isinstance(meeting, Recording) and [part.span for part in meeting.utterances] == [(0.0, 1.0), (2.0, 3.0)]


def test_google_repeats_all_words_with_their_speakers() -> None:
    words = [
        {"word": word, "startTime": "1s", "endTime": "2s", "speakerTag": tag} for word, tag in (("Hi", 1), ("Bo", 2))
    ]
    answer = {"results": [{"alternatives": [{"transcript": "Hi Bo"}]}, {"alternatives": [{"words": words}]}]}
    assert words_of(answer) == ["Hi", "Bo"]
    speakers = read_text("speech", "recogniser_json", json.dumps(answer), group="speaker")
    assert [speaker.attributes["speaker"] for speaker in speakers] == ["1", "2"]


@needs_exports
@pytest.mark.parametrize(
    ("name", "words", "speakers"),
    [
        ("whisper-json/whisper_timestamped.json", 59, 1), ("whisperx-json/aligned_transcript.json", 13, 1),
        ("assemblyai-json/assemblyai_transcription.json", 60, 1), ("deepgram-json/dg_transcription.json", 62, 1),
        ("deepgram-json/dg_whisper_transcription.json", 59, 1), ("deepgram-json/dg_speakers.json.gz", 226, 3),
        ("cloud-asr-json/google_cloud_v1.json", 3, 2), ("cloud-asr-json/azure.json", 3, 2),
        ("cloud-asr-json/rev.json", 4, 2),
    ],
)  # fmt: skip
def test_exports(name: str, words: int, speakers: int) -> None:
    task = registry.task("speech")
    corpus = read_corpus(task, str(EXPORTS / name))
    assert corpus.format == "recogniser_json"
    [document] = corpus.documents
    assert len(document.words) == words and len(document.times or ()) == words
    parts = read_corpus(task, str(EXPORTS / name), group="speaker").documents
    assert len(parts) == speakers and sum(len(part.words) for part in parts) == words


@needs_exports
def test_speaker_segments_without_words_are_refused() -> None:
    with pytest.raises(Exception, match="found no text, expected a field text"):
        read_corpus(registry.task("speech"), str(EXPORTS / "whisperx-json/diarazition.json"))
