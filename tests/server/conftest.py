"""Servers that tests share: one alone and one of a team, on each database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.serving import Client, Served, accept_invitation, enter_server, invite_person, postgresql, serving

Database = Callable[[], list[str]]
DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="session", params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """What gives the options that name a new database."""
    if request.param == "sqlite":
        yield list
    else:
        with postgresql() as fresh:
            yield lambda: ["--database", fresh()]


@pytest.fixture(scope="session")
def alone(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of one person."""
    with serving(tmp_path_factory.mktemp("alone") / "site", *database()) as served:
        yield served


@pytest.fixture(scope="session")
def me(alone: Served) -> Client:
    return enter_server(alone)


@pytest.fixture
def samples() -> Path:
    return Path(__file__).resolve().parents[1] / "tasks"


class Team:
    """A server with accounts: an organiser and two annotators."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.organiser = accept_invitation(served, served.printed, "Olga")
        self.ann = accept_invitation(served, invite_person(self.organiser, "annotator"), "Ann")
        self.ben = accept_invitation(served, invite_person(self.organiser, "annotator"), "Ben")
        self.participant = accept_invitation(served, invite_person(self.organiser, "participant"), "Pat")


@pytest.fixture(scope="session")
def team(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with serving(tmp_path_factory.mktemp("team") / "site", "--accounts", *database()) as served:
        yield Team(served)


@pytest.fixture(scope="module")
def beside_a_browser() -> Iterator[None]:
    """A browser of other tests keeps an event loop in this process, where Django would refuse its database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield
