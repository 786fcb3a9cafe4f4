"""Plain lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.tasks.speech.formats.lines import FORMAT
from tests.tasks.formats import messages, read, write_text


def test_line_n_is_utterance_n() -> None:
    documents = read("speech", "lines", "good morning\n\nthe end\n")
    assert [(document.id, document.text) for document in documents] == [
        ("1", "good morning"),
        ("2", ""),
        ("3", "the end"),
    ]
    assert write_text("speech", "lines", documents) == "good morning\n\nthe end\n"


def test_any_text_will_do_and_no_other_format_is_asked() -> None:
    assert FORMAT.sniff("anything") and FORMAT.sniff("a (u_1)\n") and not FORMAT.sniff("") and not FORMAT.sniff("a\0b")


def test_a_tag_that_closes_nothing() -> None:
    assert messages("speech", "lines", "a </PER>", markup="inline") == [
        "1:3: found </PER>, expected <PER> before it and nothing left open between: mend the tags"
    ]


def test_a_file_of_blank_lines_is_empty_transcripts(tmp_path: Path) -> None:
    key, response = tmp_path / "key", tmp_path / "response"
    key.write_text("\n\n")
    response.write_text("a b\n\n")
    result = aune.score("speech", key, response, measures=["wer", "sentence_error"])
    assert result["wer"].wer is None and result["wer"].counts["insertions"] == 2
    assert result["sentence_error"].counts == {"wrong": 1, "utterances": 2}


def test_a_name_says_more_than_plain_lines(tmp_path: Path) -> None:
    bad = tmp_path / "bad.trn"
    bad.write_text("good morning\nthe end (u-1)\n")
    with pytest.raises(aune.InputError, match=r"bad.trn:1:13: found 'good morning', expected the utterance's name"):
        aune.score("speech", bad, bad)
