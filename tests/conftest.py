"""What tests share: where the real data is, a profile of hypothesis for two cores, and what was skipped and why."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["without_unix"]  # taken from the processes of test_platforms.py; imported here, it would change ours
EXAMPLES = 200 if os.environ.get("AUNE_FULL") else 30  # `make test` has ten minutes; AUNE_FULL=1 has longer
SEEDED = bool(os.environ.get("AUNE_SEEDED"))  # `make fuzz` asks the laws about other examples, by --hypothesis-seed
settings.register_profile(
    "aune", deadline=None, max_examples=EXAMPLES, derandomize=not SEEDED, suppress_health_check=[HealthCheck.too_slow]
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


@pytest.fixture(scope="session", autouse=True)
def written_licence() -> Iterator[None]:
    """New campaigns of tests have a licence of somebody: with the placeholder none can be opened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aune.campaign.scaffold.LICENCE", "For the evaluation only.\n")
        yield


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
    with BROWSING.running() as item:
        yield item


@pytest.fixture(scope="session")
def visiting() -> Any:
    """`visiting(browser, path, …)`: a visit to a page."""
    return BROWSING.visiting


ROOMS = ("tests/server/campaign/", "tests/server/", "tests/web/", "tests/reports/")
"""Whose tests wait for servers and browsers: each goes to one process, which starts them once, and before the rest."""


def _room(nodeid: str) -> int:
    """Which of the rooms a test is in; the number of rooms for one that is in none."""
    return next((place for place, room in enumerate(ROOMS) if nodeid.startswith(room)), len(ROOMS))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Eight thousand tests and all they import stay to the end: nothing of them is looked through for garbage again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _room(item.nodeid))
    for item in items:
        if isinstance(item, pytest.Function) and "given" in item.function.__code__.co_names:
            item.add_marker("hypothesis")  # a law that is made for each task: only those at the top of a file have it


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one room, or else of one file, share what they have built: they stay with one process.

    Those of the fuzzer take long and share nothing: each goes where there is time.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByRoom(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            alone = nodeid.startswith("tests/fuzz/test_damage")
            return nodeid if alone else (*ROOMS, super()._split_scope(nodeid))[_room(nodeid)]

    return ByRoom(config, log)


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
