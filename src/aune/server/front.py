"""Where requests come in: nobody who sends slowly keeps others waiting.

Django answers in a few threads. A body that comes in drop by drop must not hold one, so that a request has three steps:
Django is asked by its headers alone, and most often answers; where it would read the body it says *continue*, and the
body is read here, where a thousand can come in at once; then Django is asked again, with the whole body at hand.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Any]

THREADS = 16
UNREAD = "aune.unread"
"""In an environment: the body has not been read yet, and whoever wants it answers `100 Continue`."""
IN_MEMORY = 1 << 16  # bytes of a body that no file is made for
SLOWEST = 1000  # bytes in a second, after the first minute
CLOSE = [(b"connection", b"close")]
PATIENCE = (60.0, 3600.0)  # seconds that a body may take: a short one, and the longest


class Answer(NamedTuple):
    """What Django says."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Front:
    """Django as a WSGI application, behind the asynchronous interface of the server."""

    def __init__(self, application: Wsgi, room: str | None) -> None:
        self._application, self._room = application, room
        """Where bodies lie that are too long for memory."""
        self._threads = ThreadPoolExecutor(THREADS, "django")

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        environ = environ_of(scope)
        answer = await self._asked({**environ, UNREAD: True, "wsgi.input": io.BytesIO()})
        if answer.status == HTTPStatus.CONTINUE:
            answer = await self._asked_again(environ, receive)
        await said(send, answer)

    async def _asked_again(self, environ: Environ, receive: Receive) -> Answer:
        """What Django answers to a request with its body; one that never comes whole is not waited for for ever."""
        try:
            async with asyncio.timeout(patience(environ)):
                body = await self._read(receive)
        except TimeoutError:
            return Answer(HTTPStatus.REQUEST_TIMEOUT, CLOSE, b"")
        if body is None:
            return Answer(HTTPStatus.BAD_REQUEST, CLOSE, b"")
        with body:
            return await self._asked({**environ, "wsgi.input": body})

    async def _asked(self, environ: Environ) -> Answer:
        """What Django answers, in one of its threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, answered, self._application, environ)

    async def _read(self, receive: Receive) -> Any:
        """The body as a file at its beginning; None where whoever sent it has gone."""
        with ExitStack() as unless_whole:
            body: Any = unless_whole.enter_context(tempfile.SpooledTemporaryFile(IN_MEMORY, dir=self._room))
            while (message := await receive())["type"] == "http.request":
                try:
                    body.write(message.get("body", b""))
                except OSError as error:
                    return _Lost(error)
                if not message.get("more_body"):
                    unless_whole.pop_all()
                    body.seek(0)
                    return body
        return None


class _Lost(io.RawIOBase):
    """A body that could not be kept: who reads it learns why."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    def read(self, size: int = -1) -> bytes:
        raise self._error


def environ_of(scope: Mapping[str, Any]) -> Environ:
    """What a WSGI application knows of a request."""
    peer, here = scope.get("client") or ("", 0), scope.get("server") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope.get("raw_path") or scope["path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": here[0],
        "SERVER_PORT": str(here[1]),
        "REMOTE_ADDR": peer[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" in name:  # would be taken for one with a hyphen, which a proxy may have set
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        said_before = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}" if key in environ else ""
        environ[key] = said_before + value.decode("latin-1")
    return environ


def patience(environ: Environ) -> float:
    """How many seconds a body may take.

    >>> patience({"CONTENT_LENGTH": "64000"}), patience({"CONTENT_LENGTH": "100000000"}), patience({})
    (124.0, 3600.0, 60.0)
    """
    least, most = PATIENCE
    return min(least + int(environ.get("CONTENT_LENGTH") or 0) / SLOWEST, most)


def answered(application: Wsgi, environ: Environ) -> Answer:
    """What a WSGI application answers, whole."""
    told: list[Any] = []
    parts = application(environ, lambda status, headers, exc_info=None: told.append((status, headers)))
    try:
        body = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    status, headers = told[-1]
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return Answer(int(status.split(" ", 1)[0]), encoded, body)


async def said(send: Send, answer: Answer) -> None:
    """Send an answer; where nobody listens any more, that is all."""
    with suppress(OSError, RuntimeError):
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        await send({"type": "http.response.body", "body": answer.body})
