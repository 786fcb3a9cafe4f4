from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from tests.tasks.entities.measures.test_muc import CREDIT, slow_counts
from tests.tasks.entities.pairings import Triple

ERR = measure("entities.err")


def test_share_of_what_is_wrong() -> None:
    key = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A")]
    response = [(0, 2, "A"), (4, 6, "B"), (11, 12, "A")]
    assert ERR(key, response).err == 3 / 4  # one substitution, one omission, one insertion, one correct
    assert ERR(key, [(0, 2, "A"), (4, 7, "A"), (8, 9, "A")], schema="partial").err == 0.5 / 3
    assert ERR(key, key).err == 0.0
    assert ERR([], []).err is None


spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]


@given(spans(5, 7), spans(5, 7), st.sampled_from(sorted(CREDIT)))
def test_share_by_trying_every_pairing(key: list[Triple], response: list[Triple], schema: str) -> None:
    counts = slow_counts(key, response, schema)
    wrong = sum(counts[name] for name in ("incorrect", "missing", "spurious")) + counts["partial"] / 2
    total = sum(counts.values())
    assert ERR(key, response, schema=schema).err == (pytest.approx(wrong / total) if total else None)
