"""Kaldi's text."""

from __future__ import annotations

import pytest

import aune
from aune.tasks.speech.formats import kaldi
from aune.tasks.speech.model import Utterance
from tests.tasks.formats import read, write_text


def test_a_name_and_words_on_each_line() -> None:
    documents = read("speech", "kaldi", "spk1-1 good morning\n\nspk1-2\nspk2-3 the end\n")
    assert [(document.id, list(document.words), document.line) for document in documents] == [
        ("spk1-1", ["good", "morning"], 1), ("spk1-2", [], 3), ("spk2-3", ["the", "end"], 4)
    ]  # fmt: skip


def test_an_empty_utterance_is_a_name_alone() -> None:
    assert write_text("speech", "kaldi", [Utterance("u1", []), Utterance("u2", "a b")]) == "u1\nu2 a b\n"


@pytest.mark.parametrize("name", ["two words", "", "a\tb"])
def test_names_with_blanks_are_refused(name: str) -> None:
    with pytest.raises(aune.UsageError, match="kaldi cannot represent the name"):
        write_text("speech", "kaldi", [Utterance(name, ["a"])])


def test_words_with_blanks_are_refused() -> None:
    with pytest.raises(aune.UsageError, match="kaldi cannot represent the word 'new york', which is not one word"):
        write_text("speech", "kaldi", [Utterance("u", ["new york"])])


def test_sorted_first_words_may_be_names() -> None:
    """As in meeteval's example files, whose utterances are named a to f; a plain text is hardly ever sorted."""
    lines = [f"{name} we need it\n" for name in "abcdef"]
    assert kaldi.perhaps("".join(lines)) and not kaldi.sniff("".join(lines))
    assert not kaldi.perhaps("".join(reversed(lines))) and not kaldi.perhaps("".join(lines[:3]))
