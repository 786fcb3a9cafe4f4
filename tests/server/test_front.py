"""Requests that come in slowly, lie, or break: each is answered or ended, and nobody else waits."""

from __future__ import annotations

import asyncio
import errno
import io
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any

import pytest
from django.db import OperationalError

from aune.server import front
from aune.server.front import UNREAD, Front, environ_of
from aune.server.policy import broken
from tests.server.conftest import Team
from tests.server.serving import Served

MANY = 300  # more connections than there are threads, or than were allowed once


@pytest.fixture(scope="module")
def door(team: Team) -> Served:
    return team.served


def head(served: Served, path: str, length: str, kind: str = "application/x-www-form-urlencoded", **more: str) -> bytes:
    lines = {"Host": f"127.0.0.1:{served.port}", "Content-Type": kind, "Content-Length": length, **more}
    said = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{said}\r\n".encode()


@contextmanager
def connected(served: Served, number: int, said: bytes) -> Iterator[Sequence[socket.socket]]:
    """So many connections that have begun to say something."""
    with ExitStack() as stack:
        made = [stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 30)) for _ in range(number)]
        for one in made:
            one.sendall(said)
        yield made


def answer_to(served: Served, said: bytes) -> tuple[int, bytes]:
    """The status and the body of what a server says, until it closes the connection."""
    with connected(served, 1, said) as [one]:
        found = b""
        while piece := one.recv(1 << 16):
            found += piece
    return int(found.split(b" ")[1]), found.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("said", ["nothing", "half a header", "half a body"])
def test_slow_clients_keep_nobody_waiting(door: Served, said: str) -> None:
    begun = {
        "nothing": b"",
        "half a header": b"POST /sign-in HTTP/1.1\r\nHost: ",
        "half a body": head(door, "/sign-in", "5000") + b"name=",
    }[said]
    with connected(door, MANY, begun):
        time.sleep(0.5)
        began = time.monotonic()
        assert door.stranger().get("/sign-in").status == 200
        assert time.monotonic() - began < 5


def test_a_stranger_sends_little(door: Served) -> None:
    """Refused by what it says of itself, before a byte of it is read."""
    for length in (str(1 << 17), "0" * 30 + str(1 << 30), "9" * 18):
        status, said = answer_to(door, head(door, "/sign-in", length, Connection="close"))
        assert status == 413 and b"expected at most 65,536" in said


@pytest.mark.parametrize(
    ("kind", "body", "status", "told"),
    [
        ("multipart/form-data; boundary=x", b"nothing of the kind", 403, "did not come from a page"),
        ("multipart/form-data", b"no boundary", 400, "damaged"),
        ("multipart/form-data; boundary=x; charset=zlib_codec", b"--x\r\n", 415, "expected UTF-8"),
        ("application/x-www-form-urlencoded; charset=utf-7", b"name=+AG8-", 415, "expected UTF-8"),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=1" % one for one in range(2000)), 413, "too many fields"),
    ],
)
def test_damaged_forms_are_said_to_be(door: Served, kind: str, body: bytes, status: int, told: str) -> None:
    """And not that the server has another name."""
    said = head(door, "/sign-in", str(len(body)), kind, Connection="close", Accept="application/json") + body
    found, text = answer_to(door, said)
    assert (found, told in text.decode()) == (status, True), text


def test_no_header_stands_for_another() -> None:
    """One with an underscore is not taken for what a proxy says."""
    scope: dict[str, Any] = {
        "method": "GET", "path": "/é", "raw_path": b"/%C3%A9", "query_string": b"a=1", "http_version": "1.1",
        "scheme": "http", "client": ("10.0.0.1", 5), "server": ("127.0.0.1", 8765),
        "headers": [(b"x_forwarded_for", b"1"), (b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"accept", b"x")],
    }  # fmt: skip
    found = environ_of(scope)
    assert found["HTTP_COOKIE"] == "a=1; b=2" and found["HTTP_ACCEPT"] == "x"
    assert "HTTP_X_FORWARDED_FOR" not in found
    assert found["PATH_INFO"].encode("latin-1").decode() == "/é"


def asked(application: Any, *messages: dict[str, Any] | None) -> list[int]:
    """The statuses that are sent to somebody who sends some messages; None is one that never comes."""
    waiting, sent = iter(messages), []

    async def receive() -> Any:
        message = next(waiting)
        return message if message is not None else await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    scope = {"method": "POST", "path": "/", "query_string": b"", "http_version": "1.1", "scheme": "http", "headers": []}
    with ThreadPoolExecutor(1) as another:  # this one may have the event loop of a browser
        another.submit(lambda: asyncio.run(Front(application, None)(scope, receive, send))).result()
    return [status for status in sent if status]


def reading(environ: dict[str, Any], start: Any) -> list[bytes]:
    """An application that reads bodies."""
    if UNREAD in environ:
        start("100 Continue", [])
        return [b""]
    start(f"200 {environ['wsgi.input'].read()!r}", [])
    return [b""]


def test_a_body_that_never_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "PATIENCE", (0.1, 0.1))
    part = {"type": "http.request", "body": b"a", "more_body": True}
    assert asked(reading, part, None) == [HTTPStatus.REQUEST_TIMEOUT]
    assert asked(reading, part, {"type": "http.disconnect"}) == [HTTPStatus.BAD_REQUEST]
    assert asked(reading, part, {"type": "http.request", "body": b"b", "more_body": False}) == [200]


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
    assert asked(application, {"type": "http.request", "body": b"a", "more_body": False}) == [507]


def test_a_full_disk_is_no_bug_of_ours(rf: Any) -> None:
    """Wherever it is noticed, it is said."""
    for error in (OSError(errno.ENOSPC, "no room"), OperationalError("database or disk is full")):
        try:
            raise error
        except (OSError, OperationalError):
            assert broken(rf.get("/api/")).status_code == HTTPStatus.INSUFFICIENT_STORAGE
    try:
        raise ValueError
    except ValueError:
        assert broken(rf.get("/api/")).status_code == HTTPStatus.INTERNAL_SERVER_ERROR
