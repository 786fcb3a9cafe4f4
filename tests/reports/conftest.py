"""The browser and the pages that tests of the report share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _browsing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("browsing", Path(__file__).with_name("browsing.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["browsing"] = module
    spec.loader.exec_module(module)
    return module


BROWSING = _browsing()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with BROWSING.running() as one:
        yield one


@pytest.fixture(scope="session")
def visiting() -> Any:
    return BROWSING.visiting


@pytest.fixture(params=["as they are", "wide"])
def letters(request: pytest.FixtureRequest) -> str:
    """Two sets of fonts: those of the machine, whatever they are, and wide ones."""
    return str(BROWSING.WIDE_LETTERS) if request.param == "wide" else ""
