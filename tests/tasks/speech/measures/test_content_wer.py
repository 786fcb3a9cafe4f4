"""The error rate on content words: by hand, and step by step over the alignment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.oracles import PAIRS, score_pairs


def test_by_hand() -> None:
    counts = score_pairs("content_wer", [("the cat is on the mat", "a cat is on hat the mat")]).counts
    assert counts == {"correct": 2, "substitutions": 0, "deletions": 0, "insertions": 1}


@given(PAIRS)
def test_step_by_step(pairs: list[tuple[str, str]]) -> None:
    """jiwer's own alignment, a word said or put in counted unless it is on the list."""
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    wrong = words = 0
    for key, response in pairs:
        spoken, given_words = key.split(), response.split()
        words += sum(word not in ("the", "a") for word in spoken)
        for step in jiwer.process_words(key, response).alignments[0] if key else []:
            if step.type == "insert":
                wrong += sum(word not in ("the", "a") for word in given_words[step.hyp_start_idx : step.hyp_end_idx])
            elif step.type != "equal":
                wrong += sum(word not in ("the", "a") for word in spoken[step.ref_start_idx : step.ref_end_idx])
        wrong += 0 if key else sum(word not in ("the", "a") for word in given_words)
    result = score_pairs("content_wer", pairs)
    assert result.wer == (pytest.approx(wrong / words) if words else None)


def test_without_stop_words_it_is_the_wer() -> None:
    pairs = [("the cat", "a cat sat")]
    assert score_pairs("content_wer", pairs, stop="none").counts == score_pairs("wer", pairs).counts


def test_stop_lists_come_from_files_too(tmp_path: Path) -> None:
    (tmp_path / "stop").write_text("cat\nmat\n")
    score = aune.score("speech", ["the cat"], ["a mat"], measures=["content_wer"], stop=str(tmp_path / "stop"))
    assert score["content_wer"].counts == {"correct": 0, "substitutions": 1, "deletions": 0, "insertions": 0}
    with pytest.raises(aune.UsageError, match="expected en, fr, none or a file"):
        aune.score("speech", ["a"], ["b"], measures=["content_wer"], stop=str(tmp_path / "none"))


def test_parts_of_speech_can_be_left_out() -> None:
    pytest.importorskip("gruut")
    options = {"stop": "none", "pos": ("DT", "IN")}
    score = aune.score(
        "speech", ["the cat sat on the mat"], ["a cat sat in a hat"], measures=["content_wer"], **options
    )
    assert score["content_wer"].counts == {"correct": 2, "substitutions": 1, "deletions": 0, "insertions": 0}


def test_a_language_is_that_of_the_tagger() -> None:
    """French stop words are chosen with `stop`; `language` alone changed nothing but the signature."""
    with pytest.raises(aune.UsageError, match="expected pos, for whose tagger it is"):
        aune.score("speech", ["le chat"], ["le chien"], measures=["content_wer"], language="fr")
