"""One server for all tests of pages, with the example of the README, and the one person it lets in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.serving import Client, Served, enter_server, serving
from tests.web.benches import README


@pytest.fixture(scope="session")
def workbench_site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("workbench") / "site", README) as running:
        yield running


@pytest.fixture(scope="session")
def me(workbench_site: Served) -> Client:
    return enter_server(workbench_site)
