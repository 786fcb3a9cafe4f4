"""CER: by hand, by trying every alignment, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, fewest_errors, scored


def test_by_hand() -> None:
    assert scored("cer", [("the cat", "the cats")]).cer == 1 / 7
    assert scored("cer", [("the cat", "thecat")]).cer == 1 / 7
    assert scored("cer", [("the cat", "thecat")], spaces=False).cer == 0


@given(PAIRS)
def test_every_alignment_and_jiwer(pairs: list[tuple[str, str]]) -> None:
    found = scored("cer", pairs)
    errors = sum(fewest_errors(tuple(key), tuple(response)) for key, response in pairs)
    counts = found.counts
    assert counts["substitutions"] + counts["deletions"] + counts["insertions"] == errors
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    kept = [(key, response) for key, response in pairs if key]
    if kept:
        peer = jiwer.process_characters([key for key, _ in kept], [response for _, response in kept])
        assert scored("cer", kept).cer == pytest.approx(peer.cer)
