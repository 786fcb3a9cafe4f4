"""Digests of very many names."""

from __future__ import annotations

import numpy as np
import pytest

from aune.evaluation import leftovers
from aune.evaluation.leftovers import all_different
from aune.numeric.digests import digests


@pytest.mark.parametrize("most", [0, 1 << 20], ids=["in threads", "at once"])
def test_all_different(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "MOST_SORTED_AT_ONCE", most)
    parts = [digests([f"{part} {number}" for number in range(part)]) for part in range(60)]
    assert all_different(parts)
    for part in (1, 30, 59):
        repeated = parts[part][-1:]
        assert not all_different([*parts, repeated])
        assert not all_different([repeated, *parts])
    assert all_different([np.zeros(0, np.uint64), np.zeros(1, np.uint64)])
