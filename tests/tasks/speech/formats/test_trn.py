"""NIST's trn."""

from __future__ import annotations

import pytest

import aune
from aune.reading.source import Source
from aune.tasks.speech.alignment.networks import OptionalWord
from aune.tasks.speech.formats.trn import read as read_trn
from aune.tasks.speech.model import Entity, Utterance
from tests.tasks.formats import messages, read, write_text


def test_words_names_and_speakers() -> None:
    documents = read("speech", "trn", ";; comment\ngood morning (spk1_1)\n\n(SPK1_2)\nthe end (spk2-3)\n")
    assert [(document.id, list(document.words), document.attributes["speaker"]) for document in documents] == [
        ("spk1_1", ["good", "morning"], "spk1"), ("spk1_2", [], "spk1"), ("spk2-3", ["the", "end"], "spk2"),
    ]  # fmt: skip
    assert read("speech", "trn", "a (4T0C01)\n", ids="wsj")[0].attributes == {"speaker": "4t0"}


def test_choices_words_that_may_be_missing_and_tags() -> None:
    (document,) = read("speech", "trn", "a { b / c d / @ } (e) f;tag g\\;h (u)")
    assert document.tree == ["a", [["b"], ["c", "d"], ["@"]], "e", "f", "g;h"] and isinstance(
        document.tree[2], OptionalWord
    )
    assert list(document.words) == ["a", "b", "e", "f", "g;h"]
    assert read("speech", "trn", "a (e) (u)", optional=False)[0].words == ["a", "(e)"]


def test_choices_are_written() -> None:
    text = "a { b / c d / @ } (e) f g\\;h (u)\n"
    assert write_text("speech", "trn", read("speech", "trn", text)) == text


@pytest.mark.parametrize("word", ["{", "a}", "@", "(uh)", "new york", ""])
def test_words_with_a_meaning_are_refused(word: str) -> None:
    with pytest.raises(aune.UsageError, match="trn cannot represent the word"):
        write_text("speech", "trn", [Utterance("u", ["a", word])])


@pytest.mark.parametrize("name", ["a(b)", "", " a", "a\nb"])
def test_names_that_end_the_line_are_refused(name: str) -> None:
    with pytest.raises(aune.UsageError, match="trn cannot represent the name"):
        write_text("speech", "trn", [Utterance(name, ["a"])])


def test_entities_beside_alternatives_are_told_not_read() -> None:
    source = Source("file", b"in <LOC> new { york / yorke } </LOC> <unk> (u-1)\n")
    (trn,) = read_trn(source, markup="inline")
    assert list(trn.words) == ["in", "new", "york", "<unk>"] and trn.entities == ()
    assert source.warnings == ["file: line 1: entities left out, since the utterance has several wordings"]


def test_entities_in_tags() -> None:
    (document,) = read("speech", "trn", "in <LOC> new york </LOC> (u)", markup="inline")
    assert document.entities == (Entity(1, 3, "LOC"),)


def test_all_problems_at_once() -> None:
    assert len(messages("speech", "trn", "a\nb\nc (u)\n")) == 2
