"""WER: by hand, by trying every alignment, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, jiwer_errors, score_pairs, total_errors


def test_by_hand() -> None:
    """The thesis's example of a rate above one: two words said, five recognised, none of them right."""
    result = score_pairs("wer", [("good morning", "a b c d e")])
    assert result.wer == 5 / 2 and result.recognition == 0
    assert score_pairs("wer", [("", "a b"), ("c", "c")]).wer == 2  # insertions of an empty key count in the total


def test_of_nothing_is_undefined() -> None:
    assert score_pairs("wer", [("", "")]).reasons["wer"] == "the key has no word"


@given(PAIRS)
def test_every_alignment_and_jiwer(pairs: list[tuple[str, str]]) -> None:
    counts = score_pairs("wer", pairs).counts
    peer = [sum(column) for column in zip(*jiwer_errors(pairs), strict=True)]
    assert [counts[name] for name in ("correct", "substitutions", "deletions", "insertions")] == peer
    assert sum(peer[1:]) == total_errors(pairs)


@pytest.mark.parametrize("alignment", ["sclite", "similar"])
@given(pairs=PAIRS)
def test_other_alignments_have_no_fewer_errors(alignment: str, pairs: list[tuple[str, str]]) -> None:
    counts = score_pairs("wer", pairs, alignment=alignment).counts
    errors = counts["substitutions"] + counts["deletions"] + counts["insertions"]
    assert errors >= total_errors(pairs) if alignment == "sclite" else errors == total_errors(pairs)
