"""WIP: by hand, from counts, and as jiwer has it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tasks.speech.oracles import PAIRS, by_jiwer, jiwer_errors, scored


def test_by_hand() -> None:
    pairs, expected = [("a b c d e", "a b x d")], 3 / 5 * 3 / 4
    assert scored("wip", pairs).wip == pytest.approx(expected)


def test_all_wrong_is_all_lost_whatever_the_length() -> None:
    """§2.5.1: WER 100 % and 200 %, and both tell nothing."""
    assert scored("wip", [("a b c", "x y z")]).wip == scored("wip", [("a b c", "x y z x y z")]).wip


@given(PAIRS)
def test_from_the_counts_and_by_jiwer(pairs: list[tuple[str, str]]) -> None:
    pairs, peer = by_jiwer(pairs)
    if not pairs:
        return
    h, s, d, i = (sum(column) for column in zip(*jiwer_errors(pairs), strict=True))
    found = scored("wip", pairs).wip
    if h + s + i:
        assert found == pytest.approx(h / (h + s + d) * h / (h + s + i))
        assert found == pytest.approx(peer.wip)
