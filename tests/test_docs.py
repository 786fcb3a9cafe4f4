"""Every command that the documentation shows prints today what the page says it prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

REFRESH = Path(__file__).resolve().parent.parent / "docs" / "refresh.py"
spec = importlib.util.spec_from_file_location("refresh", REFRESH)
assert spec is not None and spec.loader is not None
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.mark.parametrize("page", refresh.pages(), ids=lambda page: str(page.relative_to(refresh.ROOT)))
def test_outputs_are_real(page: Path) -> None:
    text = page.read_text()
    assert refresh.refreshed(text) == text, "run: python docs/refresh.py"
