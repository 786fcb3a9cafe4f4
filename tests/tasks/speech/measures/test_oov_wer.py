"""The error rate on words out of the vocabulary: by hand, and word by word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.oracles import PAIRS, score_pairs


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("oov") / "words"
    path.write_text("THE  dh ax\na\nb\n")
    return str(path)


def test_by_hand(vocabulary: str) -> None:
    """cat and c are unknown: one of the two is wrong. Of the two known words one is, and a word is put in."""
    result = score_pairs("oov_wer", [("the cat a c", "the cut d c x")], vocabulary=vocabulary)
    assert (result.oov_wer, result.known_wer) == (0.5, 1.0)
    assert result.counts["unknown"] == 2


@given(PAIRS)
def test_word_by_word(vocabulary: str, pairs: list[tuple[str, str]]) -> None:
    """With jiwer's alignment."""
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    words = wrong = 0
    for key, response in pairs:
        spoken = key.split()
        words += sum(word in ("c", "cat") for word in spoken)
        for step in jiwer.process_words(key, response).alignments[0] if key else []:
            if step.type in ("substitute", "delete"):
                wrong += sum(word in ("c", "cat") for word in spoken[step.ref_start_idx : step.ref_end_idx])
    result = score_pairs("oov_wer", pairs, vocabulary=vocabulary, alignment="levenshtein")
    assert result.oov_wer == (wrong / words if words else None)


def test_a_vocabulary_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(aune.UsageError, match="vocabulary="):
        score_pairs("oov_wer", [("a", "b")], vocabulary=str(tmp_path / "none"))
