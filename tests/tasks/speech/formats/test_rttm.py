"""NIST's RTTM."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read as read_corpus
from tests.exports import EXPORTS, needs_exports
from tests.tasks.formats import read as read_text
from tests.tasks.formats import read_with_warnings, write_text

SAMPLE = (Path(__file__).parent / "samples" / "rttm-words.rttm").read_text()


def test_words_are_in_the_segments_of_their_speakers() -> None:
    [meeting], warnings = read_with_warnings("speech", "rttm", SAMPLE)
    assert meeting.id == "m1" and warnings == ["not read: 1 rows SPKR-INFO"]
    assert [(part.attributes["speaker"], part.span, list(part.words)) for part in meeting.utterances] == [
        ("ann", (0.5, 1.75), ["good", "morning"]), ("ben", (1.5, 2.5), ["hi"]),
    ]  # fmt: skip
    assert meeting.utterances[0].times == [(0.5, 0.9), (0.9, 1.5)]


def test_what_is_written_comes_back() -> None:
    documents = read_text("speech", "rttm", SAMPLE)
    assert read_text("speech", "rttm", write_text("speech", "rttm", documents))[0]._replace(line=0) is not None
    once = write_text("speech", "rttm", documents)
    assert write_text("speech", "rttm", read_text("speech", "rttm", once)) == once
    with pytest.raises(UsageError, match="an utterance without times"):
        write_text("speech", "rttm", read_text("speech", "lines", "a b"))


@needs_exports
@pytest.mark.parametrize(
    ("name", "lines", "speakers", "seconds"),
    [("afjiv", 28, 5, 123.64), ("ahnss", 87, 4, 723.08), ("ES2011a", 215, 4, 938.28)],
)
def test_exports(name: str, lines: int, speakers: int, seconds: float) -> None:
    corpus = read_corpus(registry.task("speech"), str(EXPORTS / f"rttm/{name}.rttm"))
    assert corpus.format == "rttm"
    [meeting] = corpus.documents
    parts = meeting.utterances
    assert (len(parts), len({part.attributes["speaker"] for part in parts})) == (lines, speakers)
    assert sum(part.span[1] - part.span[0] for part in parts) == pytest.approx(seconds, abs=0.005)
