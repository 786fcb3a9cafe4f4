"""PER: by hand, and by trying every alignment of the sounds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import aune
from tests.tasks.speech.oracles import PAIRS, fewest_errors, score_pairs


def test_phonemes() -> None:
    pytest.importorskip("gruut")
    assert aune.score("speech", ["their books"], ["there books"], measures=["per"])["per"].per == 0.0
    assert (aune.score("speech", ["their books"], ["the books"], measures=["per"])["per"].per or 0) > 0


@settings(max_examples=30)
@given(PAIRS)
def test_every_alignment(pairs: list[tuple[str, str]]) -> None:
    pytest.importorskip("gruut")
    from aune.tasks.speech.text.phonemes import pronouncer

    sounds = pronouncer("en")
    sides = [(tuple(sounds(key.split())), tuple(sounds(response.split()))) for key, response in pairs]
    total = sum(len(key) for key, _ in sides)
    errors = sum(fewest_errors(*side) for side in sides)
    assert score_pairs("per", pairs).per == (pytest.approx(errors / total) if total else None)


def test_a_missing_package_is_told_before_any_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    import aune.contract.measure

    monkeypatch.setattr(aune.contract.measure, "find_spec", lambda name: None)
    with pytest.raises(aune.UsageError, match=r"speech.per needs the package gruut: .*'aune\[phonemes\]'"):
        aune.score("speech", "no-such-file", "no-such-file", measures=["per"])
