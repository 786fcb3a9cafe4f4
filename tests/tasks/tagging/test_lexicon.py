"""Lexicons from lists and from tagged corpora."""

from __future__ import annotations

from pathlib import Path

from aune.tasks.tagging.lexicon import tags_by_word, words_of
from aune.tasks.tagging.model import documents


def test_a_list_and_a_corpus(tmp_path: Path) -> None:
    listed, corpus = tmp_path / "words.txt", tmp_path / "corpus.tsv"
    listed.write_text("le\n\nchat\n")
    corpus.write_text("le\tD\nchat\tN\n")
    assert words_of(str(listed)) == words_of(str(corpus)) == {"le", "chat"}


def test_tags_by_word() -> None:
    found = tags_by_word(documents({"a": [("la", "D"), ("la", "P|D")], "b": [("la", "_"), ("mer", "N")]}))
    assert found == {"la": {"D": 2, "P": 1}, "mer": {"N": 1}}
