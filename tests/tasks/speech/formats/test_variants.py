"""What real answers of recognisers and subtitles vary in: all their words are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.errors import InputError
from aune.reading.corpus import read
from aune.tasks.speech.model import utterances

TASK = registry.task("speech")
GOOGLE = {"results": [{"alternatives": [{"transcript": "hello there"}]}]}
UTTERANCES = [{"speaker": "A", "text": "hello", "words": [{"text": "hello", "start": 1, "end": 2}]},
              {"speaker": "B", "text": "there", "start": 3, "end": 4, "words": []}]  # fmt: skip
ANSWERS: dict[str, Any] = {
    "a finished operation of Google": {"name": "x", "done": True, "response": GOOGLE},
    "one file of a batch of Google": {"results": {"gs://a": {"transcript": GOOGLE}}},
    "the simple answer of Azure": {"RecognitionStatus": "Success", "Offset": 1, "Duration": 2,
                                   "DisplayText": "hello there"},
    "utterances of AssemblyAI without words": {"text": "hello there", "words": [{"text": "hello"}],
                                               "utterances": UTTERANCES},
}  # fmt: skip


def words(folder: Path, name: str, text: str) -> list[str]:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    corpus = read(TASK, str(path))
    return [word for utterance in utterances(corpus.documents) for word in utterance.words]


@pytest.mark.parametrize("kind", ANSWERS)
def test_answers_of_recognisers(kind: str, tmp_path: Path) -> None:
    assert words(tmp_path, "a.json", json.dumps(ANSWERS[kind])) == ["hello", "there"]


def test_nothing_recognised_is_no_words(tmp_path: Path) -> None:
    assert words(tmp_path, "a.json", '{"RecognitionStatus": "NoMatch", "Offset": 1, "Duration": 2}') == []


def test_numbers_of_cues_without_blank_lines_are_no_words(tmp_path: Path) -> None:
    cues = "1\n00:00:00,000 --> 00:00:01,000\nhello\n2\n00:00:01,000 --> 00:00:02,000\nthere\n"
    assert words(tmp_path, "a.srt", cues) == ["hello", "there"]
    counted = "1\n00:00:00,000 --> 00:00:01,000\nhello\n7\n00:00:01,000 --> 00:00:02,000\nthere\n"
    assert words(tmp_path, "b.srt", counted) == ["hello", "7", "there"]  # not the number that would come next


def test_a_data_folder_of_kaldi_is_its_transcripts(tmp_path: Path) -> None:
    for name, text in {"utt2spk": "u1 A\n", "segments": "u1 rec 0.0 1.0\n", "wav.scp": "rec a.wav\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "text").write_text("u1 hello there\nu2 bye\n", encoding="utf-8")
    corpus = read(TASK, str(tmp_path))
    assert corpus.format == "kaldi" and [document.id for document in corpus.documents] == ["u1", "u2"]


def test_a_textgrid_of_points_is_refused_in_words(tmp_path: Path) -> None:
    text = (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n"TextTier"\n"t"\n0\n2\n1\n0.5\n"H"\n'
    )
    with pytest.raises(InputError, match="expected a tier of annotations with their times: add a tier"):
        words(tmp_path, "a.TextGrid", text)
