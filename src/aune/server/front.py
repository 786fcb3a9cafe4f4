"""Where requests come in: nobody who sends slowly keeps others waiting.

Django answers in a few threads. A body that comes in drop by drop must not hold one, so that a request has three steps:
Django is asked by its headers alone, and most often answers; where it would read the body it says *continue*, and the
body is read here, where a thousand can come in at once; then Django is asked again, with the whole body at hand. What
it answers goes out as fast as it is taken in.

A body that is work, a long one or one with files in it, waits for its turn, on the disk: few are worked on at once, so
that neither the memory nor the threads are theirs.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, nullcontext, suppress
from http import HTTPStatus
from typing import IO, Any, NamedTuple
from urllib.parse import unquote_to_bytes
from weakref import WeakValueDictionary

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]
Headers = Iterable[tuple[bytes, bytes]]
Wsgi = Callable[[Environ, Callable[..., Any]], Any]

THREADS = 16
UNREAD = "aune.unread"
"""In an environment: the body has not been read yet, and whoever wants it answers `100 Continue`."""
IN_MEMORY = 1 << 16  # bytes of a body that no file is made for, and that is no work
AT_ONCE, AT_ONCE_OF_ONE = 4, 2  # bodies that are worked on: of all clients, and of one
WAIT = 50.0  # seconds until a turn must come: proxies wait for a minute
SLOWEST = 1000  # bytes in a second, after the first minute
BLOCK, LONG = 1 << 16, 1 << 18  # bytes of an answer that are sent at once, and of one that is
MOST, MOST_OF_ONE = 1 << 32, 1 << 29  # bytes that are under way: of all clients, and of one
PLAIN = [(b"connection", b"close"), (b"content-type", b"text/plain"), (b"x-content-type-options", b"nosniff")]
LONGEST = 1 << 14  # bytes of a header: parameters of longer ones take Django seconds to tell apart
OVERLOADED = (
    "Too much is sent from your address at once, and this was not taken: wait for the rest, then send it again."
)
BUSY = "Too many files are being read, and this was not taken: wait a minute, then send it again."
BROKEN_OFF = "This never came whole, and nothing was taken: send it again."
RETRY = (b"retry-after", b"30")
PATIENCE = (60.0, 3600.0)  # seconds that a body or an answer may take: a short one, and the longest


class Answer(NamedTuple):
    """What Django says; a long body lies on the disk."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes | IO[bytes]


class Load(NamedTuple):
    """Bytes that a client sends or takes in, which lie on the disk meanwhile; `end` is how long they may."""

    client: str
    size: int
    end: asyncio.Timeout


class Loads:
    """What is under way. Where it is too much, whoever has the most of it loses the oldest."""

    def __init__(self) -> None:
        self._loads: list[Load] = []

    @asynccontextmanager
    async def carrying(self, client: str, size: int) -> AsyncIterator[None]:
        """As long as it may take; a `TimeoutError` then, an `OverloadedError` where there was no room for it."""
        try:
            async with asyncio.timeout(patience(size)) as end:
                load = Load(client, size, end)
                self._loads.append(load)
                self._make_room()
                yield
        except TimeoutError:
            if load not in self._loads:
                raise OverloadedError from None
            raise
        finally:
            self._loads = [one for one in self._loads if one is not load]

    def _make_room(self) -> None:
        sizes = Counter[str]()
        for one in self._loads:
            sizes[one.client] += one.size
        while sizes.total() > MOST or max(sizes.values()) > MOST_OF_ONE:
            [(client, held)] = sizes.most_common(1)
            oldest = next(one for one in self._loads if one.client == client)
            if oldest.size == held:  # its only one, which may be as long as it is
                break
            self._loads.remove(oldest)
            oldest.end.reschedule(0)
            sizes[client] -= oldest.size


class OverloadedError(Exception):
    """A client had more under way than there is room for."""


class Turns:
    """Whose body is worked on: so many at once, and few of one client."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(AT_ONCE)
        self._by_client: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def taken(self, client: str) -> AsyncIterator[None]:
        """A turn, when it has come; a `BusyError` where it does not come soon."""
        own = self._by_client.setdefault(client, asyncio.Semaphore(AT_ONCE_OF_ONE))
        async with AsyncExitStack() as turn:
            try:
                async with asyncio.timeout(WAIT):
                    await turn.enter_async_context(own)
                    await turn.enter_async_context(self._all)
            except TimeoutError:
                raise BusyError from None
            yield


class BusyError(Exception):
    """Others had all the turns for too long."""


class Front:
    """Django as a WSGI application, behind the asynchronous interface of the server."""

    def __init__(self, application: Wsgi, room: str | None) -> None:
        self._application, self._room = application, room
        """Where bodies lie that are too long for memory."""
        self._threads = ThreadPoolExecutor(THREADS, "django")
        self._loads, self._turns = Loads(), Turns()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        environ = environ_of(scope)
        await self._said(send, await self._answer(environ, scope["headers"], receive), client_of(environ))

    async def _answer(self, environ: Environ, headers: Headers, receive: Receive) -> Answer:
        if any(len(value) > LONGEST for _, value in headers):
            return plain(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "A header is too long.")
        answer = await self._asked({**environ, UNREAD: True, "wsgi.input": io.BytesIO()})
        return await self._asked_again(environ, receive) if answer.status == HTTPStatus.CONTINUE else answer

    async def _asked_again(self, environ: Environ, receive: Receive) -> Answer:
        """What Django answers to a request with its body; one that never comes whole is not waited for for ever."""
        async with AsyncExitStack() as until_answered:
            client = client_of(environ)
            try:
                async with self._loads.carrying(client, length_of(environ)):
                    body = await self._read(receive)
                    if body is None:
                        return plain(
                            HTTPStatus.BAD_REQUEST, "This never came whole, and nothing was taken: send it again."
                        )
                    until_answered.enter_context(body)
                    if is_work(environ):
                        await until_answered.enter_async_context(self._turns.taken(client))
            except TimeoutError:
                return plain(HTTPStatus.REQUEST_TIMEOUT, "This came too slowly, and nothing was taken: send it again.")
            except OverloadedError:
                return plain(HTTPStatus.SERVICE_UNAVAILABLE, OVERLOADED, RETRY)
            except BusyError:
                return plain(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, RETRY)
            return await self._asked({**environ, "wsgi.input": body})

    async def _asked(self, environ: Environ) -> Answer:
        """What Django answers, in one of its threads; a long body is laid down there, before another is made."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, answered, self._application, environ, self._room
        )

    async def _said(self, send: Send, answer: Answer, client: str) -> None:
        """Send an answer; where nobody listens any more, or takes it in too slowly, that is all.

        A long one waits on the disk, and is in memory block by block.
        """
        status, headers, body = answer
        kept = nullcontext() if isinstance(body, bytes) else body
        with suppress(OSError, RuntimeError, TimeoutError, OverloadedError), kept:
            await send({"type": "http.response.start", "status": status, "headers": headers})
            if isinstance(body, bytes):
                await send({"type": "http.response.body", "body": body})
                return
            async with self._loads.carrying(client, body.seek(0, io.SEEK_END)):
                body.seek(0)
                while block := body.read(BLOCK):
                    await send({"type": "http.response.body", "body": block, "more_body": True})
                await send({"type": "http.response.body", "body": b""})

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
    if environ.get("CONTENT_LENGTH"):  # thousands of zeros before a number are none that Python reads
        environ["CONTENT_LENGTH"] = environ["CONTENT_LENGTH"].lstrip("0") or "0"
    return environ


def length_of(environ: Environ) -> int:
    """How long a body says it is."""
    return int(environ.get("CONTENT_LENGTH") or 0)


def is_work(environ: Environ) -> bool:
    """Whether a body takes more than a moment: a long one, or one with files in it, which somebody has to read."""
    kind = str(environ.get("CONTENT_TYPE", "")).strip().lower()
    return length_of(environ) > IN_MEMORY or kind.startswith("multipart/")


def plain(status: int, sentence: str, *more: tuple[bytes, bytes]) -> Answer:
    """An answer that Django has no part in."""
    return Answer(status, [*PLAIN, *more], f"{sentence}\n".encode())


def client_of(environ: Environ) -> str:
    """Where a request comes from. A proxy on this machine says so in the last place of its header; others are not
    believed.
    """
    peer, forwarded = str(environ.get("REMOTE_ADDR", "")), str(environ.get("HTTP_X_FORWARDED_FOR", ""))
    return forwarded.rpartition(",")[2].strip() if forwarded and peer in ("127.0.0.1", "::1") else peer


def patience(size: int) -> float:
    """How many seconds so many bytes may take.

    >>> patience(64_000), patience(100_000_000), patience(0)
    (124.0, 3600.0, 60.0)
    """
    least, most = PATIENCE
    return min(least + size / SLOWEST, most)


class Lent:
    """A file that is the body of an answer: it is sent as it lies, and closed then."""

    def __init__(self, file: IO[bytes], size: int = 0) -> None:
        self.file, self.close = file, file.close

    def __iter__(self) -> Iterator[bytes]:
        """Its blocks, where it is a part of one."""
        return iter(lambda: self.file.read(BLOCK), b"")


def answered(application: Wsgi, environ: Environ, room: str | None) -> Answer:
    """What a WSGI application answers, whole."""
    told: list[Any] = []
    lending = {**environ, "wsgi.file_wrapper": Lent}
    parts = application(lending, lambda status, headers, exc_info=None: told.append((status, headers)))
    status, headers = told[-1]
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    is_lent = isinstance(parts, Lent) and parts.file.seekable()
    return Answer(int(status.split(" ", 1)[0]), encoded, parts.file if is_lent else _whole(parts, room))


def _whole(parts: Any, room: str | None) -> bytes | IO[bytes]:
    """The body of an answer; a long one is laid down."""
    try:
        body = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    return laid_down(body, room) if len(body) > LONG else body


def laid_down(body: bytes, room: str | None) -> IO[bytes]:
    """A long answer on the disk; in memory where that is full."""
    with ExitStack() as unless_whole:
        try:
            kept = unless_whole.enter_context(tempfile.TemporaryFile(dir=room))
            kept.write(body)
            kept.flush()
        except OSError:
            return io.BytesIO(body)
        unless_whole.pop_all()
        return kept
