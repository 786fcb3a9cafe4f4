"""What tests share: where the real data is, and a hypothesis profile that suits two cores."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

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


def _browsing() -> ModuleType:
    """`browsing.py` beside this file, which tests of pages share."""
    spec = importlib.util.spec_from_file_location("browsing", Path(__file__).with_name("browsing.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["browsing"] = module
    spec.loader.exec_module(module)
    return module


BROWSING = _browsing()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser."""
    with BROWSING.running() as one:
        yield one


@pytest.fixture(scope="session")
def visiting() -> Any:
    """`visiting(browser, path, …)`: a visit to a page."""
    return BROWSING.visiting


@pytest.fixture(params=["as they are", "wide"])
def letters(request: pytest.FixtureRequest) -> str:
    """Two sets of fonts: those of the machine, whatever they are, and wide ones."""
    return str(BROWSING.WIDE_LETTERS) if request.param == "wide" else ""
