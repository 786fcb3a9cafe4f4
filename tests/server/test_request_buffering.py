"""Requests that come in slowly, lie, or break: each is answered or ended, and nobody else waits."""

from __future__ import annotations

import asyncio
import errno
import io
import socket
import threading
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from aune.errors import UsageError
from aune.server import request_buffering
from aune.server.policy import server_error
from aune.server.request_buffering import ARRIVED, UNREAD, BufferedApplication, client_address, wsgi_environ
from aune.server.site import Site, parse_proxies
from tests.server.conftest import Team
from tests.server.serving import Client, Served, layers_of

MANY = 300  # more connections than there are threads, or than were allowed once


@pytest.fixture(scope="module")
def door(team: Team) -> Served:
    return team.served


def head(served: Served, path: str, length: str, kind: str = "application/x-www-form-urlencoded", **more: str) -> bytes:
    lines = {"Host": f"127.0.0.1:{served.port}", "Content-Type": kind, "Content-Length": length, **more}
    headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{headers}\r\n".encode()


@contextmanager
def open_connections(served: Served, number: int, data: bytes) -> Iterator[Sequence[socket.socket]]:
    """So many connections that have begun to say something."""
    with ExitStack() as stack:
        made = [stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 30)) for _ in range(number)]
        for item in made:
            item.sendall(data)
        yield made


def answer_to(served: Served, data: bytes) -> tuple[int, bytes]:
    """The status and the body of what a server says, until it closes the connection."""
    with open_connections(served, 1, data) as [item]:
        result = b""
        while piece := item.recv(1 << 16):
            result += piece
    return int(result.split(b" ")[1]), result.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("data", ["nothing", "half a header", "half a body"])
def test_slow_clients_keep_nobody_waiting(door: Served, data: str) -> None:
    begun = {
        "nothing": b"",
        "half a header": b"POST /sign-in HTTP/1.1\r\nHost: ",
        "half a body": head(door, "/sign-in", "5000") + b"name=",
    }[data]
    with open_connections(door, MANY, begun):
        time.sleep(0.5)
        began = time.monotonic()
        assert door.stranger().get("/sign-in").status == 200
        assert time.monotonic() - began < 5


def test_a_stranger_sends_little(door: Served) -> None:
    """Refused by what it says of itself, before a byte of it is read."""
    for length in (str(1 << 17), "0" * 30 + str(1 << 30), "9" * 18):
        status, answer = answer_to(door, head(door, "/sign-in", length, Connection="close"))
        assert status == 413 and b"expected at most 65,536" in answer


def test_a_length_with_many_zeros_is_a_number(door: Served) -> None:
    body = b"name=a&passphrase=b"
    for zeros in (30, 5_000):
        status, answer = answer_to(
            door, head(door, "/sign-in", "0" * zeros + str(len(body)), Connection="close", Accept="text/html") + body
        )
        assert status == 403 and b"did not come from a page" in answer


@pytest.mark.parametrize("name", ["Content-Type", "Accept", "Cookie", "X-Forwarded-For"])
def test_no_header_takes_long_to_read(door: Served, name: str) -> None:
    """One with 90,000 parameters took Django three seconds, for anybody who asked."""
    began = time.monotonic()
    request = head(door, "/sign-in", "0", **{name: "text/html;" + "a=b;" * 90_000, "Connection": "close"})
    assert answer_to(door, request)[0] == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("kind", "body", "status", "message"),
    [
        ("multipart/form-data; boundary=x", b"nothing of the kind", 403, "did not come from a page"),
        ("multipart/form-data", b"no boundary", 400, "damaged"),
        ("multipart/form-data; boundary=x; charset=zlib_codec", b"--x\r\n", 415, "expected UTF-8"),
        ("application/x-www-form-urlencoded; charset=utf-7", b"name=+AG8-", 415, "expected UTF-8"),
        (
            "application/x-www-form-urlencoded",
            b"&".join(b"a%d=1" % item for item in range(2000)),
            413,
            "too many fields",
        ),
    ],
)
def test_damaged_forms_are_said_to_be(door: Served, kind: str, body: bytes, status: int, message: str) -> None:
    """And not that the server has another name."""
    request = head(door, "/sign-in", str(len(body)), kind, Connection="close", Accept="application/json") + body
    result, text = answer_to(door, request)
    assert (result, message in text.decode()) == (status, True), text


def test_no_header_stands_for_another() -> None:
    """One with an underscore is not taken for what a proxy says."""
    scope: dict[str, Any] = {
        "method": "GET", "path": "/é", "raw_path": b"/%C3%A9", "query_string": b"a=1", "http_version": "1.1",
        "scheme": "http", "client": ("10.0.0.1", 5), "server": ("127.0.0.1", 8765),
        "headers": [(b"x_forwarded_for", b"1"), (b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"accept", b"x")],
    }  # fmt: skip
    result = wsgi_environ(scope)
    assert result["HTTP_COOKIE"] == "a=1; b=2" and result["HTTP_ACCEPT"] == "x"
    assert "HTTP_X_FORWARDED_FOR" not in result
    assert result["PATH_INFO"].encode("latin-1").decode() == "/é"


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    with ThreadPoolExecutor(1) as another:  # this one may have the event loop of a browser
        another.submit(asyncio.run, coroutine).result()


SCOPE: dict[str, Any] = {
    "method": "POST", "path": "/", "query_string": b"", "http_version": "1.1", "scheme": "http", "headers": [],
}  # fmt: skip
LONG = bytes(range(256)) * 20_000


def telling(environ: Any, start: Any) -> list[bytes]:
    """An application with a long answer."""
    start("200 OK", [])
    return [bytes(LONG)]


class Reader:
    """Takes in so many blocks of an answer, and then nothing more."""

    def __init__(self, most: int = 1_000) -> None:
        self.most = most
        self.blocks: list[bytes] = []

    async def take(self, message: Any) -> None:
        if len(self.blocks) == self.most:
            await asyncio.sleep(60)
        if message["type"] == "http.response.body":
            self.blocks.append(message["body"])

    @property
    def has_all(self) -> bool:
        return b"".join(self.blocks) == LONG


def test_who_does_not_read_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long answer waits on the disk from the thread on that made it; who takes nothing in is not waited for."""
    monkeypatch.setattr(request_buffering, "TIME_LIMITS", (0.2, 0.2))
    laid = request_buffering.run_application(telling, {}, None).body
    assert not isinstance(laid, bytes)
    laid.close()
    for reader in (Reader(), Reader(3)):
        run(
            BufferedApplication(telling, None)._send_answer(
                reader.take, request_buffering.run_application(telling, {}, None), "somebody"
            )
        )
        assert reader.has_all == (reader.most > 3)
        assert max(map(len, reader.blocks)) <= request_buffering.BLOCK


@pytest.mark.parametrize(("of_all", "of_one"), [(2.5, 9), (9, 1.5)])
def test_what_is_under_way_is_bounded(monkeypatch: pytest.MonkeyPatch, of_all: float, of_one: float) -> None:
    """Of one client and of all together: whoever has the most loses the oldest, and others lose nothing."""
    monkeypatch.setattr(request_buffering, "MAX_BYTES", of_all * len(LONG))
    monkeypatch.setattr(request_buffering, "MAX_CLIENT_BYTES", of_one * len(LONG))
    monkeypatch.setattr(request_buffering, "TIME_LIMITS", (1.0, 1.0))
    readers = {"honest": Reader(), "greedy": Reader(2), "greedy again": Reader(2)}
    ended: list[str] = []

    async def serve_client(here: BufferedApplication, name: str) -> None:
        await here._send_answer(
            readers[name].take, request_buffering.run_application(telling, {}, None), name.partition(" ")[0]
        )
        ended.append(name)

    async def together() -> None:
        here = BufferedApplication(telling, None)
        await asyncio.gather(
            serve_client(here, "greedy"), serve_client(here, "greedy again"), serve_client(here, "honest")
        )

    run(together())
    assert readers["honest"].has_all
    assert ended in (["honest", "greedy", "greedy again"], ["greedy", "honest", "greedy again"])


def test_bodies_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sends more at once than one may is told, and the newest is taken."""
    monkeypatch.setattr(request_buffering, "MAX_CLIENT_BYTES", 1_500)
    statuses: list[tuple[str, int]] = []
    body = [{"type": "http.request", "body": b"a" * 1_000, "more_body": False}]

    async def send_messages(here: BufferedApplication, name: str, messages: list[Any]) -> None:
        async def receive() -> Any:
            return messages.pop(0) if messages else await asyncio.sleep(60)

        async def send(message: Any) -> None:
            if "status" in message:
                statuses.append((name, message["status"]))

        await here({**SCOPE, "headers": [(b"content-length", b"1000")], "client": ("10.0.0.1", 1)}, receive, send)

    async def together() -> None:
        here = BufferedApplication(reading, None)
        slow = asyncio.create_task(send_messages(here, "slow", []))
        await asyncio.sleep(0.2)
        await asyncio.gather(slow, send_messages(here, "quick", body))

    run(together())
    assert sorted(statuses) == [("quick", 200), ("slow", HTTPStatus.SERVICE_UNAVAILABLE)]


WORK = [(b"content-type", b"multipart/form-data; boundary=x"), (b"content-length", b"1")]


def test_bodies_that_are_work_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few at once, and of one client fewer: the others wait, and are told when that is too long. Others pass by."""
    monkeypatch.setattr(request_buffering, "SLOT_TIMEOUT", 0.3)
    statuses: list[tuple[str, int]] = []
    working, at_once, let_go = Counter[str](), [0], threading.Event()

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        if UNREAD not in environ and environ.get("CONTENT_TYPE"):
            working[environ["REMOTE_ADDR"]] += 1
            at_once.append(working.total())
            let_go.wait(5)
        return reading(environ, start)

    async def send_messages(here: BufferedApplication, name: str, headers: list[tuple[bytes, bytes]]) -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": b"a", "more_body": False}

        async def send(message: Any) -> None:
            if "status" in message:
                retry = dict(message["headers"]).get(b"retry-after")
                assert (message["status"] == HTTPStatus.SERVICE_UNAVAILABLE) == (retry is not None)
                statuses.append((name, message["status"]))

        await here({**SCOPE, "headers": headers, "client": (name, 1)}, receive, send)

    async def together() -> None:
        here = BufferedApplication(application, None)
        names = ["greedy"] * 5 + ["one", "two", "three"]
        work = [asyncio.create_task(send_messages(here, name, WORK)) for name in names]
        await asyncio.sleep(0.1)
        await send_messages(here, "passer-by", [(b"content-length", b"1")])
        assert statuses == [("passer-by", 200)]
        await asyncio.sleep(0.5)
        let_go.set()
        await asyncio.gather(*work)
        statuses.clear()
        await asyncio.gather(*(send_messages(here, name, WORK) for name in ("greedy", "one")))

    run(together())
    assert (
        max(at_once[:5]) == request_buffering.MAX_RUNNING and working["greedy"] == request_buffering.MAX_PER_CLIENT + 1
    )
    assert sorted(statuses) == [("greedy", 200), ("one", 200)]


def test_a_body_arrives_with_its_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 uploads that were whole before the deadline waited for their turns, and were refused as late."""
    arrivals: list[float] = []
    began = datetime.now(UTC)

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        if UNREAD not in environ:
            arrivals.append((environ[ARRIVED] - began).total_seconds())
            time.sleep(0.3)
        return reading(environ, start)

    async def upload(here: BufferedApplication, number: int) -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": b"a", "more_body": False}

        async def send(message: Any) -> None:
            assert message.get("status", 200) == 200

        await here({**SCOPE, "headers": WORK, "client": (f"client {number}", 1)}, receive, send)

    async def together() -> None:
        here = BufferedApplication(application, None)
        await asyncio.gather(*(upload(here, number) for number in range(24)))

    run(together())
    assert len(arrivals) == 24 and max(arrivals) < 1, "they waited for 6 turns of 0.3 seconds"


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "expected"),
    [
        ((), "127.0.0.1", "1.2.3.4", "1.2.3.4"),
        ((), "127.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        ((), "172.18.0.2", "1.2.3.4", "172.18.0.2"),
        (("172.16.0.0/12",), "172.18.0.2", "1.2.3.4", "1.2.3.4"),
        (("172.16.0.0/12",), "172.18.0.2", "6.6.6.6, 1.2.3.4, 172.18.0.7", "1.2.3.4"),
        (("172.16.0.0/12",), "9.9.9.9", "1.2.3.4", "9.9.9.9"),
        (("172.16.0.0/12",), "172.18.0.2", "", "172.18.0.2"),
    ],
)
def test_trusted_proxies_are_a_setting(
    monkeypatch: pytest.MonkeyPatch, proxies: tuple[str, ...], peer: str, forwarded: str, expected: str
) -> None:
    """Behind a proxy in another container everybody was one client, and 50 wrong passwords locked out all."""
    monkeypatch.setattr(request_buffering, "current", lambda: Site(folder="", proxies=proxies))
    environ = {"REMOTE_ADDR": peer, **({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})}
    assert client_address(environ) == expected


def test_proxies_are_addresses_or_networks() -> None:
    assert parse_proxies(" 10.0.0.1,::1/128 ") == ("10.0.0.1", "::1/128")
    with pytest.raises(UsageError, match="--proxies: found 'nginx'"):
        parse_proxies("nginx")


def test_a_file_is_lent() -> None:
    """An answer that lies on the disk is sent from there, and closed."""
    bytes_i_o = io.BytesIO(LONG)

    def application(environ: dict[str, Any], start: Any) -> Any:
        start("200 OK", [])
        return environ["wsgi.file_wrapper"](bytes_i_o)

    reader = Reader()
    run(
        BufferedApplication(application, None)._send_answer(
            reader.take, request_buffering.run_application(application, {}, None), "somebody"
        )
    )
    assert reader.has_all and bytes_i_o.closed


def test_long_answers_come_whole(me: Client) -> None:
    text = "".join(f"word{number} " for number in range(40_000)).encode()
    assert me.upload(("long.txt", text), task="entities").status == 302
    whole = me.get(f"/api/layer/{layers_of(me, 'long')['long.txt']}/")
    assert (whole.status, len(whole.body)) == (200, int(whole.headers["Content-Length"]))
    assert (
        len(whole.body) > request_buffering.MAX_MEMORY_ANSWER
        and whole.json["text"]["characters"].encode().split() == text.split()
    )


def send_requests(application: Any, *messages: dict[str, Any] | None) -> list[int]:
    """The statuses that are sent to somebody who sends some messages; None is one that never comes."""
    waiting, sent = iter(messages), []

    async def receive() -> Any:
        message = next(waiting)
        return message if message is not None else await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    run(BufferedApplication(application, None)(SCOPE, receive, send))
    return [status for status in sent if status]


def reading(environ: dict[str, Any], start: Any) -> list[bytes]:
    """An application that reads bodies."""
    if UNREAD in environ:
        start("100 Continue", [])
        return [b""]
    start(f"200 {environ['wsgi.input'].read()!r}", [])
    return [b""]


def test_a_body_that_never_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_buffering, "TIME_LIMITS", (0.1, 0.1))
    part = {"type": "http.request", "body": b"a", "more_body": True}
    assert send_requests(reading, part, None) == [HTTPStatus.REQUEST_TIMEOUT]
    assert send_requests(reading, part, {"type": "http.disconnect"}) == [HTTPStatus.BAD_REQUEST]
    assert send_requests(reading, part, {"type": "http.request", "body": b"b", "more_body": False}) == [200]


def test_a_disk_without_room_is_told_to_whoever_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "no room")

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        try:
            return reading(environ, start)
        except OSError as error:
            start(f"507 {error}", [])
            return [b""]

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", lambda *_, **__: Full())
    assert send_requests(application, {"type": "http.request", "body": b"a", "more_body": False}) == [507]


def test_a_full_disk_is_no_bug_of_ours(rf: Any) -> None:
    """Wherever it is noticed, it is said."""
    for error in (OSError(errno.ENOSPC, "no room"), OperationalError("database or disk is full")):
        try:
            raise error
        except (OSError, OperationalError):
            assert server_error(rf.get("/api/")).status_code == HTTPStatus.INSUFFICIENT_STORAGE
    try:
        raise ValueError
    except ValueError:
        assert server_error(rf.get("/api/")).status_code == HTTPStatus.INTERNAL_SERVER_ERROR


@pytest.mark.parametrize("address", ["/people", "/api/layer/x/"])
def test_a_database_that_is_away_is_no_bug_of_ours(rf: Any, address: str) -> None:
    """It is not asked for the page that says so."""
    for error in (OperationalError("database is locked"), InterfaceError("connection already closed")):
        try:
            raise error
        except (OperationalError, InterfaceError):
            answer = server_error(rf.get(address))
        assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE and answer["Retry-After"]
        assert b"does not answer now" in answer.content
