"""Real servers for benchmarks: those of the tests, by their file, for installed packages are called `tests` too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.harness import of_tests

if TYPE_CHECKING:
    from tests.server import serving as helpers
    from tests.server.serving import Client, Served
else:
    helpers = of_tests("server/serving.py")
    Client, Served = helpers.Client, helpers.Served

adjudication, entered, event, free_port = helpers.adjudication, helpers.enter_server, helpers.event, helpers.free_port
invited, joined, layers_of, text_of = (
    helpers.invite_person,
    helpers.accept_invitation,
    helpers.layers_of,
    helpers.text_of,
)
postgresql, serving, start = helpers.postgresql, helpers.serving, helpers.start

__all__ = [
    "Client", "Served", "adjudication", "entered", "event", "free_port", "invited", "joined", "layers_of", "postgresql",
    "serving", "start", "text_of",
]  # fmt: skip
