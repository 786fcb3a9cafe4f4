"""NIST's stm."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.tasks.speech.model import Recording, Utterance
from tests.tasks.formats import read, write_text

SAMPLE = Path(__file__).parent / "samples" / "stm-two-channels.stm"


def test_recordings_and_their_segments() -> None:
    first, second = read("speech", "stm", SAMPLE.read_text())
    assert isinstance(first, Recording) and (first.id, second.id) == ("f1/a", "f1/b")
    assert [utterance.span for utterance in first.utterances] == [(0.0, 1.5), (1.5, 3.0), (3.0, 4.25)]
    assert [utterance.ignored for utterance in first.utterances] == [False, True, False]
    assert first.utterances[0].attributes == {"document": "f1", "channel": "A", "speaker": "ann", "labels": "o,f0"}
    assert first.utterances[0].tree == ["good", [["morning"], ["evening"]]]
    assert first.utterances[2].id == "f1/a/3-4.25"


def test_a_file_comes_back_line_by_line() -> None:
    comment, *lines = SAMPLE.read_text().splitlines()
    assert comment.startswith(";;")
    assert write_text("speech", "stm", read("speech", "stm", SAMPLE.read_text())).splitlines() == lines


@pytest.mark.parametrize(
    ("utterance", "what"),
    [
        (Utterance("u", ["a"]), "utterances without a begin and an end"),
        (Utterance("u", ["<unk>", "a"], span=(0, 1)), "the first word '<unk>', which is read as labels"),
        (Utterance("u", ["{"], span=(0, 1)), "the word '{', which has a meaning there"),
        (Utterance("u", ["a"], {"speaker": "Ann Lee"}, span=(0, 1)), "the speaker 'Ann Lee', which is not one word"),
        (Utterance("u", ["a"], {"document": ";;x"}, span=(0, 1)), "the name ';;x', which would begin a comment"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused(utterance: Utterance, what: str) -> None:
    with pytest.raises(aune.UsageError) as refusal:
        write_text("speech", "stm", [utterance])
    assert str(refusal.value) == (
        f"stm cannot represent {what} (utterance 'u'): choose another format, such as manifest"
    )


def test_semicolons_are_escaped() -> None:
    utterance = Utterance("u", [";;", "a;b"], {"document": "f", "channel": "A"}, span=(0.0, 1.0))
    assert write_text("speech", "stm", [utterance]) == "f A unknown 0 1 \\;\\; a\\;b\n"
    assert read("speech", "stm", write_text("speech", "stm", [utterance]))[0].utterances[0].words == [";;", "a;b"]


def test_nothing_but_ignored_segments_is_nothing_to_score(tmp_path: Path) -> None:
    key, response = tmp_path / "key.stm", tmp_path / "response.ctm"
    key.write_text("f A s 0 1 IGNORE_TIME_SEGMENT_IN_SCORING\n")
    response.write_text("f A 0 1 word\n")
    with pytest.raises(aune.NothingToScoreError):
        aune.score("speech", key, response, measures=["wer"])
