"""A disk that is full, a database that goes away: what was acknowledged is there, the rest is told, and it goes on.

The site lies on a small disk of its own, which is filled to its last bytes.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from aune.campaign.archive.verification import verify_folder
from aune.campaign.scaffold import create_campaign
from tests.disks import fill_disk, small_disk
from tests.server.campaign.conftest import Hosted, fill_campaign, send_messages
from tests.server.serving import Answer, enter_server, event, free_port, layers_of, postgresql, serving

ROOM = range(0, 200, 4) if os.environ.get("AUNE_FULL") else (0, 8, 20, 80)
"""Kilobytes that are left, so that what is done fails anywhere on its way."""
RUN = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"
TEXT = b"<DOC><DOCNO>%s</DOCNO><TEXT>Ann met Ben.</TEXT></DOC>\n"


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with small_disk(tmp_path_factory.mktemp("disk")) as place:
        yield place


@pytest.fixture(scope="module")
def hosted_campaign(disk: Path) -> Iterator[Hosted]:
    create_campaign(disk / "site", "demo", "tagging")
    with serving(disk / "site", "--accounts") as served:
        yield fill_campaign(served, disk / "site")


def test_a_full_disk(hosted_campaign: Hosted, disk: Path) -> None:
    """Whatever is done, with however little room: done and there, or 507 and one sentence; then it goes on."""
    hosted_campaign.phase("training")
    hosted_campaign.phase("dry run")
    olga, team = hosted_campaign.organiser, hosted_campaign.one
    olga.upload(("a.sgm", TEXT % b"first"))
    layer = layers_of(olga, "first")["a.sgm"]
    team.get("/campaign/team")
    remaining = Kept(hosted_campaign, layer)
    for room in ROOM:
        filler = fill_disk(disk, room)
        for name, act in remaining.acts(room):
            answer = act()
            assert answer.status in (200, 201, 302, 507), (name, room, answer.status, answer.text)
            message = answer.json["problems"] if name == "event" and answer.status == 507 else [answer.text]
            assert answer.status != 507 or any("disk of this server is full" in item for item in message), answer.text
            remaining.note(name, answer)
        assert team.get("/campaign/team").status == 200, "pages are shown all the same"
        filler.unlink()
        remaining.check()
    assert {status for _, status in remaining.statuses} >= {302, 507}


class Kept:
    """What was acknowledged."""

    def __init__(self, hosted: Hosted, layer: str) -> None:
        self.hosted, self.layer = hosted, layer
        self.version = 0
        self.runs: list[str] = []
        self.events: list[str] = []
        self.statuses: list[tuple[str, int]] = []
        self._made = event()

    def acts(self, room: int) -> list[tuple[str, Callable[[], Answer]]]:
        olga, team = self.hosted.organiser, self.hosted.one
        submit = lambda: send_messages(team, "/campaign/submit/try", "run.tsv", RUN, run=f"r{room}")  # noqa: E731
        return [
            ("run", submit), ("event", self._event), ("run", submit),
            ("file", lambda: olga.upload((f"{room}.sgm", TEXT % f"text{room}".encode()))),
            ("invitation", lambda: olga.form("/people/invite", role="annotator")),
            ("event", self._event),
        ]  # fmt: skip

    def _event(self) -> Answer:
        self._made = event(["chains", f"c{len(self.statuses)}", {"name": "x" * 3000}])
        body: dict[str, Any] = {"base": self.version, "events": [self._made]}
        return self.hosted.organiser.post(f"/api/layer/{self.layer}/events", body)

    def note(self, name: str, answer: Answer) -> None:
        self.statuses.append((name, answer.status))
        if name == "run" and answer.status == 302:
            self.runs.append(answer.headers["Location"].rpartition("/")[2])
        if name == "event" and answer.status == 200:
            self.version = answer.json["version"]
            self.events.append(self._made["id"])

    def check(self) -> None:
        """What was acknowledged is there, nothing is torn, and what waits is done."""
        assert verify_folder(self.hosted.folder).problems == []
        history = self.hosted.organiser.get(f"/api/layer/{self.layer}/history").json
        assert [item["id"] for item in history["events"]] == self.events
        for run in self.runs:
            assert self.hosted.ended(self.hosted.one, run)["state"] == "scored"
        assert self._event_is_taken()

    def _event_is_taken(self) -> bool:
        answer = self._event()
        self.note("event", answer)
        return answer.status == 200


class Line:
    """The way to a database, which can be cut: what goes through breaks off, and nobody answers."""

    def __init__(self, port: int) -> None:
        self.port, self._beyond, self.is_cut = free_port(), port, False
        self._door = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._open, daemon=True).start()

    def _open(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._carry, args=(self._door.accept()[0],), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, suppress(OSError):
            if self.is_cut:
                return
            with socket.create_connection(("127.0.0.1", self._beyond)) as far:
                while not self.is_cut:
                    for item in select.select([near, far], [], [], 0.01)[0]:
                        data = item.recv(1 << 16)
                        if not data:
                            return
                        (far if item is near else near).sendall(data)

    @contextmanager
    def cut(self) -> Iterator[None]:
        self.is_cut = True
        yield
        self.is_cut = False


def test_a_database_that_goes_away(tmp_path: Path) -> None:
    """In the middle of what people do: each event is there once, whatever was answered; and it goes on."""
    with postgresql() as fresh:
        address = urlsplit(fresh())
        assert address.port
        line = Line(address.port)
        through = address._replace(netloc=address.netloc.replace(f":{address.port}", f":{line.port}")).geturl()
        with serving(tmp_path / "site", "--database", through) as served:
            me = enter_server(served)
            assert me.upload(("a.sgm", TEXT % b"first")).status == 302
            layer = layers_of(me, "first")["a.sgm"]
            with line.cut():
                for path in ("/", f"/api/layer/{layer}/"):
                    message = me.get(path)
                    assert (message.status, "does not answer now" in message.text) == (503, True)
            sent_ids, statuses = [], []
            for number in range(40):
                item = event(["chains", f"c{number}", {"name": "x"}])
                sent_ids.append(item["id"])
                cutting = threading.Thread(target=_cut_for_a_moment, args=(line, number / 2000))
                if number % 4 == 0:
                    cutting.start()
                for _ in range(200):
                    answer = me.post(f"/api/layer/{layer}/events", {"base": number, "events": [item]})
                    statuses.append(answer.status)
                    if answer.status == 200:
                        break
                    assert answer.status == 503, answer.text
                    time.sleep(0.05)
                if number % 4 == 0:
                    cutting.join()
            assert {*statuses} == {200, 503}
            history = me.get(f"/api/layer/{layer}/history").json["events"]
            assert [entry["id"] for entry in history] == sent_ids


def _cut_for_a_moment(line: Line, after: float) -> None:
    time.sleep(after)
    with line.cut():
        time.sleep(0.1)
