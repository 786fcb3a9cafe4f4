"""Where the formats' tests find samples and real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def coref_data() -> Path:
    """The folder of real coreference data."""
    root = Path(os.environ.get("AUNE_DATA", Path(__file__).parents[5] / "shared" / "data")) / "coref"
    if not root.is_dir():
        pytest.skip(f"no real data at {root}: set AUNE_DATA to the folder that holds coref/")
    return root
