"""Lexicons from lists and from tagged corpora."""

from __future__ import annotations

from pathlib import Path

from aune.tasks.tagging.lexicon import read_words, tags_by_word
from aune.tasks.tagging.model import documents


def test_a_list_and_a_corpus(tmp_path: Path) -> None:
    listed, corpus = tmp_path / "words.txt", tmp_path / "corpus.tsv"
    listed.write_text("le\n\nchat\n")
    corpus.write_text("le\tD\nchat\tN\n")
    assert read_words(str(listed)) == read_words(str(corpus)) == {"le", "chat"}


def test_tags_by_word() -> None:
    result = tags_by_word(documents({"a": [("la", "D"), ("la", "P|D")], "b": [("la", "_"), ("mer", "N")]}))
    assert result == {"la": {"D": 2, "P": 1}, "mer": {"N": 1}}
