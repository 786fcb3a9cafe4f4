"""What tests share: where the real data is, and a hypothesis profile that suits two cores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "aune", deadline=None, max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("aune")

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora, beside the repository."""
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}: set AUNE_DATA to the folder that holds it")
    return DATA


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"
