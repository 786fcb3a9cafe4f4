"""Many teams at once over HTTP, and a server that is killed among them, small: `make soak` runs it at full size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SOAK = Path(__file__).resolve().parents[3] / "benchmarks" / "campaign_soak.py"
spec = importlib.util.spec_from_file_location("campaign_soak_served", SOAK)
assert spec is not None and spec.loader is not None
soak = importlib.util.module_from_spec(spec)
spec.loader.exec_module(soak)


def test_no_receipt_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    """Whoever got no answer sends again with the same key; everybody has one receipt, and it is in the ledger."""
    assert soak.load_server(tmp_path / "c", 12, 20_000, kills=1).receipts == 12
