"""What a server takes of the machine, whatever is sent to it at once: measured, of the process that answers."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.server.serving import Answer, Client, Served, enter_server, event, layers_of, serving

CLIENTS = 16  # as many as there are threads
TEXT = b"<DOC><DOCNO>first</DOCNO><TEXT>Ann met Ben.</TEXT></DOC>\n"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LONG = 2_000_000  # bytes of an event


@pytest.fixture(scope="module")
def served_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("memory") / "site") as result:
        yield result


@pytest.fixture(scope="module")
def me(served_site: Served) -> Client:
    client = enter_server(served_site)
    assert client.upload(("first.sgm", TEXT)).status == 302
    return client


@pytest.fixture(scope="module")
def layer(me: Client) -> str:
    """A layer of a dozen long events."""
    [layer] = layers_of(me, "first").values()
    for version in range(12):
        fields = {"base": version, "events": [event(["chains", "c", {"notes": f"{version}{'x' * LONG}"}])]}
        assert me.post(f"/api/layer/{layer}/events", fields).status == 200
    return layer


def answering(process: int) -> int:
    """The process of a server that answers: the one with most threads."""
    [*children] = map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
    return max(children, key=lambda child: len([*Path(f"/proc/{child}/task").iterdir()]))


def peak_of(process: int) -> int:
    """The megabytes that a process has had at most."""
    match = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert match
    return int(match[1]) >> 10


def measure_growth(served: Served, request: Callable[[Client], Answer], me: Client) -> tuple[set[int], int]:
    """The statuses of what many ask at once, and by how many megabytes the server is larger meanwhile."""
    process = answering(served.process.pid)
    Path(f"/proc/{process}/clear_refs").write_text("5")  # the peak begins anew
    before = peak_of(process)
    clients = [Client(served.address, cookies={**me.cookies}, csrf=me.csrf) for _ in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as together:
        statuses = {answer.status for answer in together.map(request, clients)}
    return statuses, peak_of(process) - before


def test_forms(served_site: Served, me: Client) -> None:
    """Nobody types megabytes: 16 forms of 15 MB took 8 GB."""
    body = b"name=" + b"%41" * 250_000
    statuses, size = measure_growth(served_site, lambda client: client.ask("/another", body, FORM), me)
    assert statuses <= {403, 413} and size < 300, size
    longer = {**FORM, "X-CSRFToken": me.csrf, "Content-Length": str(2 << 20)}
    assert me.ask("/another", b"", longer, "POST").status == 413


def test_events(served_site: Served, me: Client, layer: str) -> None:
    """Many that are refused, each of megabytes of JSON."""
    changes = [["mentions", f"m{number}", {"parts": [[0, 3]]}] for number in range(120_000)]
    body = json.dumps({"base": 12, "events": [event(*changes)]}).encode()
    kind = {"Content-Type": "application/json", "X-CSRFToken": me.csrf}
    statuses, size = measure_growth(
        served_site, lambda client: client.ask(f"/api/layer/{layer}/events", body, kind), me
    )
    assert statuses == {422} and size < 300, size


def test_files(served_site: Served, me: Client) -> None:
    """They are read elsewhere, and never whole in the process that answers."""
    text = b"Ann met Ben, and others. " * 120_000
    names = iter(f"{number}.txt" for number in range(CLIENTS))
    began = time.monotonic()
    statuses, size = measure_growth(served_site, lambda client: client.upload((next(names), text + b"x")), me)
    assert statuses <= {302, 503} and size < 200, (size, time.monotonic() - began)


def test_layers_with_long_events(served_site: Served, me: Client, layer: str) -> None:
    """Its history, and copies of it."""
    statuses, size = measure_growth(served_site, lambda client: client.get(f"/api/layer/{layer}/history"), me)
    assert statuses <= {200, 503} and 200 in statuses and size < 500, (statuses, size)
    copied = {"base": 12, "events": []}
    statuses, size = measure_growth(served_site, lambda client: client.post(f"/api/layer/{layer}/copy", copied), me)
    assert statuses <= {201, 503} and 201 in statuses and size < 300, (statuses, size)  # on a busy machine some wait


def test_who_asks_about_large_layers_takes_turns(served_site: Served, me: Client, layer: str) -> None:
    """Others, who ask for something else, do not notice."""
    answers: list[Answer] = []

    def ask_for_layer(client: Client) -> Answer:
        answers.append(client.get(f"/api/layer/{layer}/compare/{layer}"))
        return answers[-1]

    statuses, size = measure_growth(served_site, ask_for_layer, me)
    assert statuses <= {200, 503} and 200 in statuses and size < 200, (statuses, size)
    assert all("Retry-After" in answer.headers for answer in answers if answer.status == 503)
