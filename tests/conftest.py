"""What tests share: where the real data is, a profile of hypothesis for two cores, and what was skipped and why."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """At the end of a run: how many tests were skipped for which reason, and in which rooms."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons: dict[str, Counter[str]] = {}
    for report in skipped:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        why = re.sub(r"/\S+", "…", why.removeprefix("Skipped: "))
        home = "/".join(report.nodeid.partition("::")[0].split("/")[1:3])
        reasons.setdefault(why, Counter())[home] += 1
    if reasons:
        terminalreporter.section(f"{len(skipped)} tests skipped")
    for why, homes in sorted(reasons.items(), key=lambda item: -item[1].total()):
        rooms = ", ".join(f"{home} {count}" for home, count in homes.most_common())
        terminalreporter.write_line(f"{homes.total():5}  {why}  ({rooms})")
