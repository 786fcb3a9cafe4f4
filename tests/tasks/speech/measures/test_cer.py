"""CER: by hand, by trying every alignment, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, fewest_errors, score_pairs


def test_by_hand() -> None:
    assert score_pairs("cer", [("the cat", "the cats")]).cer == 1 / 7
    assert score_pairs("cer", [("the cat", "thecat")]).cer == 1 / 7
    assert score_pairs("cer", [("the cat", "thecat")], spaces=False).cer == 0


@given(PAIRS)
def test_every_alignment_and_jiwer(pairs: list[tuple[str, str]]) -> None:
    result = score_pairs("cer", pairs)
    errors = sum(fewest_errors(tuple(key), tuple(response)) for key, response in pairs)
    counts = result.counts
    assert counts["substitutions"] + counts["deletions"] + counts["insertions"] == errors
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    remaining = [(key, response) for key, response in pairs if key]
    if remaining:
        peer = jiwer.process_characters([key for key, _ in remaining], [response for _, response in remaining])
        assert score_pairs("cer", remaining).cer == pytest.approx(peer.cer)
