"""Real servers for tests: `aune serve` in a process of its own, on SQLite or on a private PostgreSQL, and a client."""

from __future__ import annotations

import http.client
import http.cookies
import json
import os
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT = 60  # seconds until a server must be there, on a busy machine
MAX_IDLE = 10  # seconds after which a connection is not used again: the server closes it after 15, perhaps just then
ANSWER_WAIT = 240  # seconds until it must answer: 50 of waiting for turns, 120 of work, and a busy machine


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Answer:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Cookie(NamedTuple):
    """What a server wants to be told again."""

    name: str
    value: str


@dataclass
class Client:
    """A browser without a window: cookies, the CSRF token of the last page, open connections, no redirects."""

    address: str
    bearer: str = ""
    cookies: dict[str, str] = field(default_factory=dict)
    csrf: str = ""
    _idle: list[tuple[float, http.client.HTTPConnection]] = field(default_factory=list, repr=False)
    """Connections that are open, and since when nothing was asked of them."""

    def __del__(self) -> None:
        for _, connection in self._idle:
            connection.close()

    @property
    def jar(self) -> list[Cookie]:
        return [Cookie(name, value) for name, value in self.cookies.items()]

    def ask(self, path: str, data: bytes | None = None, headers: Mapping[str, str] = {}, method: str = "") -> Answer:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.address, path))
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        method = method or ("GET" if data is None else "POST")
        connection = self._connection(parts.netloc)
        try:
            connection.request(method, target, data, {**self._known(), **headers})
            response = connection.getresponse()
            answer = Answer(response.status, _headers(response), response.read())
        except http.client.HTTPException as error:  # an answer cut short: the server is gone
            connection.close()
            raise ConnectionError(f"{path}: {error!r}") from error
        except OSError:
            connection.close()
            raise
        self._remember(response, answer)
        if method != "GET" and answer.status >= HTTPStatus.BAD_REQUEST:
            connection.close()  # a server that has not read what it refuses hangs up, sooner or later
        else:
            self._idle.append((time.monotonic(), connection))
        return answer

    def _connection(self, place: str) -> http.client.HTTPConnection:
        """One that is open and that no other thread uses; a new one where there is none."""
        while self._idle:
            since, known = self._idle.pop()
            is_over = known.sock is not None and bool(select.select([known.sock], [], [], 0)[0])
            is_fresh = time.monotonic() - since < MAX_IDLE
            if f"{known.host}:{known.port}" == place and is_fresh and not is_over:
                return known
            known.close()
        return http.client.HTTPConnection(place, timeout=ANSWER_WAIT)

    def _known(self) -> dict[str, str]:
        """What is told with every request: who asks."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        bearer = {"Authorization": f"Bearer {self.bearer}"} if self.bearer else {}
        return {**({"Cookie": cookies} if cookies else {}), **bearer}

    def _remember(self, response: http.client.HTTPResponse, answer: Answer) -> None:
        for line in response.headers.get_all("Set-Cookie", ()):
            for name, cookie in http.cookies.SimpleCookie(line).items():
                if cookie["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = cookie.coded_value
        match = re.search(rb'<meta name="csrf" content="(\w+)"', answer.body)
        if match and answer.status != HTTPStatus.UNAUTHORIZED:  # the door has no forms
            self.csrf = match[1].decode()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask(path, headers=headers)

    def form(self, path: str, /, **fields: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        token = {"csrfmiddlewaretoken": self.csrf}
        return self.ask(path, urllib.parse.urlencode({**token, **fields}).encode(), kind)

    def post(self, path: str, content: Any) -> Answer:
        kind = {"Content-Type": "application/json", "X-CSRFToken": self.csrf}
        return self.ask(path, json.dumps(content).encode(), kind)

    def upload(self, *files: Path | tuple[str, bytes], to: str = "/files", **fields: str) -> Answer:
        named = [file if isinstance(file, tuple) else (file.name, file.read_bytes()) for file in files]
        edge = uuid.uuid4().hex
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        for name, data in named:
            head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
            parts.append(head.encode() + data + b"\r\n")
        kind = {"Content-Type": f"multipart/form-data; boundary={edge}", "X-CSRFToken": self.csrf}
        return self.ask(to, b"".join(parts) + f"--{edge}--\r\n".encode(), kind)


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    """All headers by name; those that come several times have a line each."""
    result: dict[str, str] = {}
    for name, value in response.headers.items():
        known = result.get(name.title())
        result[name.title()] = value if known is None else f"{known}\n{value}"
    return result


@dataclass
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int
    site: Path
    printed: str
    arguments: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> tuple[str, ...]:
        """The options that name its database; none for the one in its folder."""
        place = self.arguments.index("--database") if "--database" in self.arguments else len(self.arguments)
        return self.arguments[place : place + 2]

    def stranger(self) -> Client:
        return Client(self.address)

    def run_inside(self, program: str) -> Any:
        """What a program prints as JSON that works with the site's database, as the server's own code does."""
        database = {"database": self.database[1]} if self.database else {}
        named = {"folder": str(self.site), "accounts": "--accounts" in self.arguments, **database}
        start = (
            "from aune.server.site import Site\nfrom aune.server.startup import site_database\n"
            f"with site_database(Site(**{named!r})):\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", start + textwrap.indent(program, "    ")],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def killed(self) -> None:
        """The server and all its processes, with no time to say goodbye."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stopped(self) -> int:
        """The exit code after Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(30)


def start(site: Path, *arguments: str | Path, port: int = 0, folder: Path = ROOT) -> Served:
    """`aune serve` with a site, when it answers, started in a folder."""
    port = port or free_port()
    command = [sys.executable, "-P", "-m", "aune", "serve", "--no-browser", "--port", str(port), "--site", str(site)]
    modules = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True,
        env={**os.environ, "PYTHONPATH": modules},
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    printed = process.stdout.readline().strip()
    if not printed:
        raise AssertionError(process.stderr.read())
    served = Served(process, port, site, printed, tuple(map(str, arguments)))
    for _ in range(WAIT * 10):
        try:
            served.stranger().get("/enter")
            return served
        except OSError:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@contextmanager
def serving(site: Path, *arguments: str | Path, folder: Path = ROOT) -> Iterator[Served]:
    served = start(site, *arguments, folder=folder)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.killed()
        for stream in (served.process.stdout, served.process.stderr):
            if stream:
                stream.close()


def enter_server(served: Served) -> Client:
    """The one person of a server without accounts."""
    client = served.stranger()
    assert client.get(served.printed).status == 302
    assert client.get("/").status == 200
    return client


PASSPHRASE = "grue bleuet lanterne 7"


def accept_invitation(served: Served, invitation: str, name: str) -> Client:
    """Somebody who took an invitation."""
    client = served.stranger()
    assert client.get(invitation).status == 200
    assert client.form(invitation, name=name, passphrase=PASSPHRASE, again=PASSPHRASE).status == 302
    assert client.get("/").status in (200, 302)  # participants of a campaign go on to it
    return client


def invite_person(organiser: Client, role: str) -> str:
    """The address of a new invitation."""
    shown = organiser.form("/people/invite", role=role).text
    match = re.search(r"http\S+/invitation/[\w-]+", shown)
    assert match, shown
    return match[0]


def layers_of(client: Client, name: str) -> dict[str, str]:
    """The layers on the page of the text with a name, by their names."""
    home = client.get(f"/?name={urllib.parse.quote(name)}").text
    text = re.search(rf'<a href="(/text/[\w-]+/)"><bdi>{re.escape(name)}</bdi>', home)
    assert text, f"no text {name} on the home page"
    page = client.get(text[1]).text
    return {label: layer for layer, label in re.findall(r'<a href="/layer/([\w-]+)/"><bdi>(.*?)</bdi>', page)}


def text_of(client: Client, name: str) -> str:
    """The address of a text."""
    home = client.get(f"/?name={urllib.parse.quote(name)}").text
    match = re.search(rf'<a href="(/text/[\w-]+/)"><bdi>{re.escape(name)}</bdi>', home)
    assert match, f"no text {name} on the home page"
    return match[1]


def adjudication(client: Client, text: str, *layers: str) -> str:
    """The address of a new key from layers of a text."""
    home = text_of(client, text)
    client.get(home)
    fields = [("csrfmiddlewaretoken", client.csrf), ("name", "the key"), *(("layer", layer) for layer in layers)]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    begun = client.ask(f"{home}adjudicate", urllib.parse.urlencode(fields).encode(), kind)
    assert begun.status == 302, begun.text
    return begun.headers["Location"]


def event(*changes: Sequence[Any], **fields: Any) -> dict[str, Any]:
    return {"id": str(uuid.uuid4()), "operation": "test", "changes": list(changes), **fields}


BINARIES = [
    *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *map(Path, os.environ["PATH"].split(os.pathsep)),
]  # fmt: skip


@contextmanager
def postgresql() -> Iterator[Callable[[], str]]:
    """What gives the address of a new database of a private PostgreSQL; or a skip that says what is missing."""
    home = next((path for path in BINARIES if (path / "pg_isready").exists() and (path / "initdb").exists()), None)
    if home is None:
        pytest.skip("no PostgreSQL: apt-get install postgresql")
    user, port = _unprivileged_user(), free_port()
    with tempfile.TemporaryDirectory(prefix="aune-postgresql-") as folder:  # not pytest's, which is the user's alone
        if user:
            shutil.chown(folder, user)
        run: dict[str, Any] = {"user": user, "cwd": "/", "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}}
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        data = Path(folder, "data")
        make = [home / "initdb", "-D", data, "-U", "aune", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(make, check=True, **run, **quiet)
        settings = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}", "-p", str(port)]
        settings += ["-c", "fsync=off"]  # nobody pulls the plug: what is written here need not outlive the machine
        server = subprocess.Popen([home / "postgres", "-D", data, *settings], **run, **quiet)

        def fresh() -> str:
            name = f"aune{uuid.uuid4().hex[:8]}"
            subprocess.run([home / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "aune", name], check=True)
            return f"postgresql://aune@127.0.0.1:{port}/{name}"

        try:
            _wait(home, port)
            yield fresh
        finally:
            server.send_signal(signal.SIGQUIT)  # nothing of it is kept
            server.wait(30)


def _unprivileged_user() -> str | None:
    """Who runs PostgreSQL, which refuses to be root's."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def _wait(home: Path, port: int) -> None:
    for _ in range(WAIT * 10):
        ready = [home / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-q"]
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError("PostgreSQL does not answer")
