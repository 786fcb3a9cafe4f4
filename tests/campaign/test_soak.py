"""Load and kills, small: `make soak` runs the same at full size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SOAK = Path(__file__).resolve().parents[2] / "benchmarks" / "campaign_soak.py"
spec = importlib.util.spec_from_file_location("campaign_soak", SOAK)
assert spec is not None and spec.loader is not None
soak = importlib.util.module_from_spec(spec)
spec.loader.exec_module(soak)


def test_uploads_at_once_are_all_there(tmp_path: Path) -> None:
    assert soak.uploads(tmp_path / "c", 24, 20_000, processes=6).receipts == 24


def test_no_receipt_is_lost_to_a_kill(tmp_path: Path) -> None:
    killed, receipts = soak.kills(tmp_path / "c", 8)
    assert killed == 8 and receipts > 0


def test_a_rescoring_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    _, left = soak.rescoring(tmp_path / "c", 6, 40)
    assert 0 < left <= 3
