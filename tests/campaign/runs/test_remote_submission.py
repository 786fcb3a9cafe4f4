"""A server that answers whatever it likes: each answer is told in one line, and no other machine gets the token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from aune.cli import run

GOOD = {"submission": "s-1", "state": "scored"}


class Answering(BaseHTTPRequestHandler):
    """Says what it is told to say, and remembers what it was asked."""

    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b""
    headed: ClassVar[dict[str, str]] = {}
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        self.send_response(self.status)
        for name, value in {"Content-Length": str(len(self.body)), **self.headed}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Answering, "asked", [])
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "code", "text"),
    [
        (200, json.dumps(GOOD).encode(), 0, ""),
        (200, b"", 2, "does not answer"),
        (200, b"[]", 2, "does not answer"),
        (200, b"[" * 50_000, 2, "does not answer"),
        (200, b"\xff", 2, "does not answer"),
        (200, json.dumps({**GOOD, "submission": 5}).encode(), 2, "does not answer"),
        (200, json.dumps({**GOOD, "problems": [["a"]]}).encode(), 2, "does not answer"),
        (200, json.dumps({**GOOD, "problems": [["a", 1, 1, "\x1b[31mred"]]}).encode(), 3, "a:1:1: \\x1b[31mred"),
        (404, json.dumps({"problems": ["no \x1b[2J"]}).encode(), 2, "no \\x1b[2J"),
        (422, b'{"problems": 5}', 2, "refused (422)"),
        (500, b"[" * 50_000, 2, "refused (500)"),
    ],
)
def test_whatever_a_server_says(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], status: int,
    body: bytes, code: int, text: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(Answering, "status", status)
    monkeypatch.setattr(Answering, "body", body)
    (tmp_path / "run.tsv").write_text("a\tN\n")
    line = ["campaign", "submit", address, str(tmp_path / "run.tsv"), "--data", "try", "--token", "secret"]
    assert run(line) == code
    errors = capsys.readouterr().err
    assert text in errors and "\x1b" not in errors and len(errors.splitlines()) <= 2


def test_the_token_goes_nowhere_else(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Answering, "status", 302)
    monkeypatch.setattr(Answering, "headed", {"Location": f"{address.replace('127.0.0.1', 'localhost')}/elsewhere"})
    (tmp_path / "run.tsv").write_text("a\tN\n")
    line = ["campaign", "submit", address, str(tmp_path / "run.tsv"), "--data", "try", "--token", "secret"]
    assert run(line) == 2
    assert "/elsewhere, type that" in capsys.readouterr().err
    assert Answering.asked == [("/api/campaign/submit/try", "Bearer secret")]
