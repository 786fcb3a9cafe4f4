"""The simple systems for transcripts: what they write is read and scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import score
from aune.baselines import baseline
from aune.errors import UsageError
from aune.tasks.speech.model import Recording, Utterance, documents

KEY = documents({"a": "good morning to you", "b": "yes"})


def test_silence_deletes_every_word() -> None:
    response = baseline("speech", "silence")(KEY)
    assert score("speech", KEY, response)["wer"].wer == 1.0
    recording = Recording("r", (Utterance("u", "one", span=(0.0, 1.0), times=[(0.0, 1.0)]),))
    [silent] = baseline("speech", "silence")([recording])
    assert silent.utterances[0].words == [] and silent.utterances[0].span == (0.0, 1.0)


def test_random_words_are_those_of_the_training_as_often(tmp_path: Path) -> None:
    path = tmp_path / "training.jsonl"
    path.write_text('{"id":"t","text":"no no no yes"}\n{"id":"s","text":"no no"}\n', "utf-8")
    system = baseline("speech", "random_words")
    many = [Utterance(str(number), "") for number in range(400)]
    words = [word for response in system(many, training=str(path)) for word in response.words]
    assert len(words) == 400 * 3 and 0.78 < words.count("no") / len(words) < 0.88, "five of six"
    assert system(many, training=str(path)) == system(many, training=str(path))
    assert system(many, training=str(path)) != system(many, training=str(path), seed=1)


def test_without_training_it_says_what_it_needs() -> None:
    for training in ("", documents({"a": ""})):
        with pytest.raises(UsageError, match="--training"):
            baseline("speech", "random_words")(KEY, training=training)
