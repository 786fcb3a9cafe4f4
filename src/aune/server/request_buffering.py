"""Request buffering: a slow client does not delay other clients.

Django answers in a few threads, and a body that arrives slowly must not occupy one. A request therefore has three
steps. Django first sees the headers alone, and usually answers. Where it needs the body, this module sends
`100 Continue` and reads the body; a thousand bodies can arrive at once. Then Django sees the request again, with the
whole body. Its answer is sent as fast as the client reads it.

A long body, or one with files, is stored on the disk and waits for a slot: few are processed at once, so that uploads
take neither all the memory nor all the threads.

Waitress buffers bodies too, but it reads every body before it calls the application: a refusal by the headers alone (no
session, no quota) would come after the upload. It has a time limit for idle connections, and none for slow ones, and no
limits of bytes and of uploads per client.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import IO, Any, NamedTuple
from urllib.parse import unquote_to_bytes
from weakref import WeakValueDictionary

from aune.server.site import current

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]
Headers = Iterable[tuple[bytes, bytes]]
Wsgi = Callable[[Environ, Callable[..., Any]], Any]

THREADS = 16
ARRIVED = "aune.arrived"
"""Key of the WSGI environ: when the last byte of the body arrived. Deadlines are compared with this time."""
WAIT_START = "aune.wait_start"
"""Key of the WSGI environ: the same moment on the monotonic clock, from which the waiting time is counted."""
UNREAD = "aune.unread"
"""Key of the WSGI environ: the body has not been read yet; a response with status 100 requests it."""
IN_MEMORY = 1 << 16  # bytes of a body that is kept in memory and needs no slot
MAX_RUNNING, MAX_PER_CLIENT = 4, 2  # bodies processed at once, for all clients together and per client
SLOT_TIMEOUT = 50.0  # seconds that a request waits for a slot: proxies wait for a minute
MIN_BYTES_PER_SECOND = 1000  # the lowest allowed transfer rate, after the first minute
BLOCK, MAX_MEMORY_ANSWER = 1 << 16, 1 << 18  # bytes of a response: sent at once, and kept in memory at most
MAX_BYTES, MAX_CLIENT_BYTES = 1 << 32, 1 << 29  # bytes being transferred, for all clients together and per client
PLAIN = [(b"connection", b"close"), (b"content-type", b"text/plain"), (b"x-content-type-options", b"nosniff")]
MAX_HEADER_BYTES = 1 << 14  # bytes of a header: Django needs seconds to parse the parameters of longer ones
OVERLOADED = (
    "Too much is sent from your address at once, and this was not taken: wait for the rest, then send it again."
)
BUSY = "Too many files are being read, and this was not taken: wait a minute, then send it again."
BROKEN_OFF = "This never came whole, and nothing was taken: send it again."
RETRY = (b"retry-after", b"30")
TIME_LIMITS = (60.0, 3600.0)  # seconds that the transfer of a body may take: of a short one, and of any


class Answer(NamedTuple):
    """A response of Django; a long body is a file on the disk."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes | IO[bytes]


class Transfer(NamedTuple):
    """Bytes that a client sends or receives, which are on the disk meanwhile; `end` is the timeout of the transfer."""

    client: str
    size: int
    end: asyncio.Timeout


class Transfers:
    """The current transfers. Above the limits, the oldest one of the client with the most bytes is cancelled."""

    def __init__(self) -> None:
        self._transfers: list[Transfer] = []

    @asynccontextmanager
    async def track(self, client: str, size: int) -> AsyncIterator[None]:
        """Track a transfer. Raises `TimeoutError` if it takes too long, `OverloadedError` if the limits cancel it."""
        try:
            async with asyncio.timeout(time_allowance(size)) as end:
                transfer = Transfer(client, size, end)
                self._transfers.append(transfer)
                self._make_room()
                yield
        except TimeoutError:
            if transfer not in self._transfers:
                raise OverloadedError from None
            raise
        finally:
            self._transfers = [other for other in self._transfers if other is not transfer]

    def _make_room(self) -> None:
        sizes = Counter[str]()
        for transfer in self._transfers:
            sizes[transfer.client] += transfer.size
        while sizes.total() > MAX_BYTES or max(sizes.values()) > MAX_CLIENT_BYTES:
            [(client, total)] = sizes.most_common(1)
            oldest = next(transfer for transfer in self._transfers if transfer.client == client)
            if oldest.size == total:  # the client's only transfer, which may have any size
                break
            self._transfers.remove(oldest)
            oldest.end.reschedule(0)
            sizes[client] -= oldest.size


class OverloadedError(Exception):
    """A client had more bytes in transfer than allowed."""


class BodySlots:
    """Slots for processing bodies: a limited number in all, and fewer per client."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(MAX_RUNNING)
        self._by_client: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def acquire(self, client: str) -> AsyncIterator[None]:
        """Wait for a slot; `NoSlotError` if none becomes free in time."""
        client_slots = self._by_client.setdefault(client, asyncio.Semaphore(MAX_PER_CLIENT))
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(SLOT_TIMEOUT):
                    await stack.enter_async_context(client_slots)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise NoSlotError from None
            yield


class NoSlotError(Exception):
    """No slot became free in time."""


class BufferedApplication:
    """Django as a WSGI application, behind the ASGI interface of the server."""

    def __init__(self, application: Wsgi, folder: str | None) -> None:
        self._application, self._folder = application, folder
        """The folder for bodies that are too long for memory."""
        self._threads = ThreadPoolExecutor(THREADS, "django")
        self._transfers, self._slots = Transfers(), BodySlots()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        environ = wsgi_environ(scope)
        await self._send_answer(send, await self._answer(environ, scope["headers"], receive), client_address(environ))

    async def _answer(self, environ: Environ, headers: Headers, receive: Receive) -> Answer:
        if any(len(value) > MAX_HEADER_BYTES for _, value in headers):
            return plain_answer(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "A header is too long.")
        answer = await self._call_application({**environ, UNREAD: True, "wsgi.input": io.BytesIO()})
        return await self._answer_with_body(environ, receive) if answer.status == HTTPStatus.CONTINUE else answer

    async def _answer_with_body(self, environ: Environ, receive: Receive) -> Answer:
        """Django's response to a request with its body; a body that arrives too slowly is refused after a time."""
        async with AsyncExitStack() as until_answered:
            client = client_address(environ)
            try:
                async with self._transfers.track(client, body_length(environ)):
                    body = await self._read(receive)
                    arrived, wait_start = datetime.now(UTC), time.monotonic()  # before it waits for a slot
                    if body is None:
                        return plain_answer(
                            HTTPStatus.BAD_REQUEST, "This never came whole, and nothing was taken: send it again."
                        )
                    until_answered.enter_context(body)
                    if is_heavy(environ):
                        await until_answered.enter_async_context(self._slots.acquire(client))
            except TimeoutError:
                return plain_answer(
                    HTTPStatus.REQUEST_TIMEOUT, "This came too slowly, and nothing was taken: send it again."
                )
            except OverloadedError:
                return plain_answer(HTTPStatus.SERVICE_UNAVAILABLE, OVERLOADED, RETRY)
            except NoSlotError:
                return plain_answer(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, RETRY)
            timing = {ARRIVED: arrived, WAIT_START: wait_start}
            return await self._call_application({**environ, "wsgi.input": body, **timing})

    async def _call_application(self, environ: Environ) -> Answer:
        """Call Django in one of its threads. A long response body is stored on the disk in that thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, run_application, self._application, environ, self._folder
        )

    async def _send_answer(self, send: Send, answer: Answer, client: str) -> None:
        """Send a response; stop silently if the client has gone or receives it too slowly.

        A long response is on the disk and is read block by block.
        """
        status, headers, body = answer
        closing = nullcontext() if isinstance(body, bytes) else body
        with suppress(OSError, RuntimeError, TimeoutError, OverloadedError), closing:
            await send({"type": "http.response.start", "status": status, "headers": headers})
            if isinstance(body, bytes):
                await send({"type": "http.response.body", "body": body})
                return
            async with self._transfers.track(client, body.seek(0, io.SEEK_END)):
                body.seek(0)
                while block := body.read(BLOCK):
                    await send({"type": "http.response.body", "body": block, "more_body": True})
                await send({"type": "http.response.body", "body": b""})

    async def _read(self, receive: Receive) -> Any:
        """The body as a file, positioned at its start; None if the client has disconnected."""
        with ExitStack() as unless_whole:
            body: Any = unless_whole.enter_context(tempfile.SpooledTemporaryFile(IN_MEMORY, dir=self._folder))
            while (message := await receive())["type"] == "http.request":
                try:
                    body.write(message.get("body", b""))
                except OSError as error:
                    return _FailedBody(error)
                if not message.get("more_body"):
                    unless_whole.pop_all()
                    body.seek(0)
                    return body
        return None


class _FailedBody(io.RawIOBase):
    """A body that could not be stored: reading it raises the error."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    def read(self, size: int = -1) -> bytes:
        raise self._error


def wsgi_environ(scope: Mapping[str, Any]) -> Environ:
    """The WSGI environ of a request."""
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
        if b"_" in name:  # it would be confused with the name with a hyphen, which a proxy may have set
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        prefix = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}" if key in environ else ""
        environ[key] = prefix + value.decode("latin-1")
    if environ.get("CONTENT_LENGTH"):  # Python refuses to parse a number with thousands of leading zeros
        environ["CONTENT_LENGTH"] = environ["CONTENT_LENGTH"].lstrip("0") or "0"
    return environ


def body_length(environ: Environ) -> int:
    """The declared length of a body."""
    return int(environ.get("CONTENT_LENGTH") or 0)


def is_heavy(environ: Environ) -> bool:
    """Whether the body takes time to process: it is long, or it may contain files, which must be parsed."""
    kind = str(environ.get("CONTENT_TYPE", "")).strip().lower()
    return body_length(environ) > IN_MEMORY or kind.startswith("multipart/")


def plain_answer(status: int, sentence: str, *more: tuple[bytes, bytes]) -> Answer:
    """A plain-text response that Django is not involved in."""
    return Answer(status, [*PLAIN, *more], f"{sentence}\n".encode())


def client_address(environ: Environ) -> str:
    """The address of the client of a request.

    A trusted proxy appends the address of its client to the header X-Forwarded-For. If that is the address of a trusted
    proxy too, the one before it counts. Addresses from any other sender are ignored.
    """
    client = str(environ.get("REMOTE_ADDR", ""))
    forwarded = str(environ.get("HTTP_X_FORWARDED_FOR", ""))
    for address in reversed(forwarded.split(",") if forwarded else []):
        if not is_trusted_proxy(client):
            break
        client = address.strip()
    return client


def is_trusted_proxy(address: str) -> bool:
    """Whether an address belongs to a proxy that the settings of the site trust."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in trusted_networks(current().proxies))


@lru_cache
def trusted_networks(proxies: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    """The networks of trusted proxies, which always include this machine.

    >>> [str(network) for network in trusted_networks(("10.0.0.0/8",))]
    ['127.0.0.1/32', '::1/128', '10.0.0.0/8']
    """
    return tuple(ip_network(proxy) for proxy in ("127.0.0.1", "::1", *proxies))


def time_allowance(size: int) -> float:
    """How many seconds the transfer of so many bytes may take.

    >>> time_allowance(64_000), time_allowance(100_000_000), time_allowance(0)
    (124.0, 3600.0, 60.0)
    """
    least, most = TIME_LIMITS
    return min(least + size / MIN_BYTES_PER_SECOND, most)


class FileBody:
    """A response body that is a file: it is sent unchanged and then closed."""

    def __init__(self, file: IO[bytes], size: int = 0) -> None:
        self.file, self.close = file, file.close

    def __iter__(self) -> Iterator[bytes]:
        """The blocks of the file, for when it is only a part of the response."""
        return iter(lambda: self.file.read(BLOCK), b"")


def run_application(application: Wsgi, environ: Environ, folder: str | None) -> Answer:
    """The complete response of a WSGI application."""
    started: list[Any] = []
    lending_environ = {**environ, "wsgi.file_wrapper": FileBody}
    parts = application(lending_environ, lambda status, headers, exc_info=None: started.append((status, headers)))
    status, headers = started[-1]
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    is_lent = isinstance(parts, FileBody) and parts.file.seekable()
    return Answer(int(status.split(" ", 1)[0]), encoded, parts.file if is_lent else _read_body(parts, folder))


def _read_body(parts: Any, folder: str | None) -> bytes | IO[bytes]:
    """The body of a response; a long one is stored on the disk."""
    try:
        body = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    return spool(body, folder) if len(body) > MAX_MEMORY_ANSWER else body


def spool(body: bytes, folder: str | None) -> IO[bytes]:
    """Store a long response on the disk; in memory if the disk is full."""
    with ExitStack() as unless_whole:
        try:
            spooled = unless_whole.enter_context(tempfile.TemporaryFile(dir=folder))
            spooled.write(body)
            spooled.flush()
        except OSError:
            return io.BytesIO(body)
        unless_whole.pop_all()
        return spooled
