"""Praat's TextGrid."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.corpus import read as read_corpus
from tests.exports import EXPORTS, needs_exports
from tests.tasks.formats import messages, write_text
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
SHORT = (SAMPLES / "textgrid-short.TextGrid").read_text()
UTTERANCE = '{"id": "u", "words": ["good", "morning"], "speaker": "ann", "start_time": 0.5, "end_time": 1.5}'


def test_tiers_of_words() -> None:
    [document] = read_text("speech", "textgrid", SHORT)
    assert list(document.words) == ["good", "morning", "say", '"hi"']
    speakers = read_text("speech", "textgrid", SHORT, group="speaker")
    assert [speaker.attributes["speaker"] for speaker in speakers] == ["ann", "ben"]
    assert speakers[0].times == [(0.0, 0.5), (0.5, 1.0)]


def test_tiers_by_name() -> None:
    [document] = read_text("speech", "textgrid", SHORT, tier=("ben - words",))
    assert list(document.words) == ["say", '"hi"']
    [message] = messages("speech", "textgrid", SHORT, tier=("notes",))
    assert message.startswith("1:1: found no tier 'notes', expected one of ann - words, ben - words")


def test_what_is_written_comes_back() -> None:
    utterances = read_text("speech", "manifest", UTTERANCE)
    text = write_text("speech", "textgrid", utterances)
    [meeting] = read_text("speech", "textgrid", text, group="meeting")
    [part] = meeting.utterances
    assert (list(part.words), part.span, part.attributes["speaker"]) == (["good", "morning"], (0.5, 1.5), "ann")
    assert write_text("speech", "textgrid", [meeting]) == text


@pytest.mark.parametrize(
    ("record", "reason"),
    [('{"id": "u", "text": "a"}', "words without times"),
     ('{"id": "u", "text": "sil", "start_time": 0, "end_time": 1}', "a silence there"),
     ('{"id": "u", "text": "a b", "times": [[0, 2], [1, 3]]}', "at the same time")],
)  # fmt: skip
def test_what_has_no_place_is_refused(record: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        write_text("speech", "textgrid", read_text("speech", "manifest", record))


@needs_exports
@pytest.mark.parametrize(
    ("name", "tier", "intervals"),
    [
        ("long_format.TextGrid", "word", 45), ("short_format.TextGrid", "word", 45),
        ("long_format.TextGrid", "phone", 104), ("short_format.TextGrid", "phone", 104),
        ("mary.TextGrid", "word", 6), ("mary_longfile.TextGrid", "word", 6),
        ("mary.TextGrid", "phone", 16), ("mary_longfile.TextGrid", "phone", 16),
        ("bobby_words_with_newlines.TextGrid", "word", 6), ("bobby_words_with_newlines.TextGrid", "phrase", 3),
    ],
)  # fmt: skip
def test_exports(name: str, tier: str, intervals: int) -> None:
    """The intervals as Praat counts them, of which those without a word are not read."""
    from aune.reading.source import Source
    from aune.tasks.speech.formats.textgrid import SILENCES, _tiers, _Values

    path = EXPORTS / "textgrid" / name
    tiers = {entry.name: entry.items for entry in _tiers(_Values(Source(name, path.read_bytes()).text))}
    assert len(tiers[tier]) == intervals
    labels = [item.label.split() for item in tiers[tier] if item.label.strip() not in {"", *SILENCES}]
    [document] = read_corpus(registry.task("speech"), str(path), tier=(tier,)).documents
    assert list(document.words) == [word for label in labels for word in label]


@needs_exports
def test_the_binary_form_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="found a binary file of Praat, expected text: save it as a text file"):
        read_corpus(registry.task("speech"), str(EXPORTS / "textgrid/long_format.binary.TextGrid"))
