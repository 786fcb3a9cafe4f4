"""Forged requests: other hosts, other pages, no key, bodies too long. Each is refused, and nothing changes."""

from __future__ import annotations

import http.client
import re
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse

from aune.cli.campaign._prepare import serve as serve_campaign
from aune.cli.serve import serve
from aune.server import policy
from aune.server.site import Site
from tests.server.serving import Client, Served, event, layers_of

ROOT = Path(__file__).resolve().parents[2]


def test_a_stranger_sees_nothing(alone: Served, me: Client) -> None:
    me.upload(("secret.sgm", b"<DOC><DOCNO>canary-text</DOCNO><TEXT>Ann.</TEXT></DOC>\n"))
    (layer,) = layers_of(me, "canary-text").values()
    addresses = ["/", f"/layer/{layer}/", f"/api/layer/{layer}/", f"/layer/{layer}/export", "/enter", "/enter?key=x"]
    for address in addresses:
        answer = alone.stranger().get(address)
        assert answer.status == 403, address
        assert "canary" not in answer.text
    assert alone.stranger().post(f"/api/layer/{layer}/events", {"base": 0, "events": []}).status == 403


def test_the_key_works_once(alone: Served, me: Client) -> None:
    assert alone.stranger().get(alone.printed).status == 403  # `me` has used it
    page = me.form("/another").text
    match = re.search(r"http\S+/enter\?key=[\w-]+", page)
    assert match
    assert alone.stranger().get(match[0]).status == 302
    assert alone.stranger().get(match[0]).status == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", ""])
def test_other_hosts_are_refused(alone: Served, me: Client, host: str) -> None:
    """A page elsewhere whose name points at this machine gets nothing, cookie or not."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in me.jar)
    for cookie in ("", cookies):
        connection = http.client.HTTPConnection("127.0.0.1", alone.port)
        connection.putrequest("GET", "/", skip_host=True)
        connection.putheader("Host", host.format(port=alone.port))
        connection.putheader("Cookie", cookie)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        connection.close()
        assert response.status == 400
        assert b"Texts" not in body
        assert response.headers["Content-Security-Policy"] or not host


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRFToken": "x" * 64},
        {"X-CSRFToken": "right", "Origin": "http://evil.example"},
        {"X-CSRFToken": "right", "Origin": "null"},
    ],
)
def test_other_pages_cannot_post(me: Client, headers: dict[str, str]) -> None:
    """The cookie alone, a made-up token, or a right token from elsewhere: nothing is written."""
    me.upload(("csrf.sgm", b"<DOC><DOCNO>csrf</DOCNO><TEXT>Ann.</TEXT></DOC>\n"))
    (layer,) = layers_of(me, "csrf").values()
    sent = {name: me.csrf if value == "right" else value for name, value in headers.items()}
    for path, body in (
        (f"/api/layer/{layer}/events", b'{"base": 0, "events": []}'),
        (f"/layer/{layer}/done", b"done=yes"),
        ("/files", b""),
        ("/another", b""),
    ):
        kind = {"Content-Type": "application/x-www-form-urlencoded", **sent}
        answer = me.ask(path, body, kind)
        assert answer.status == 403, path
        assert "did not come from a page" in answer.text
    assert me.get(f"/api/layer/{layer}/").json["layer"]["done"] is False


def test_get_changes_nothing(me: Client) -> None:
    for path in ("/another", "/files", "/sign-out"):
        assert me.get(path).status == 405


def test_every_answer_has_its_policy(alone: Served, me: Client) -> None:
    page = me.get("/")
    script = re.search(r'src="(/static/\w+/)shared/theme', page.text)
    assert script
    for answer in (page, me.get("/nowhere"), alone.stranger().get("/")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=|https?://", page.text)
    module = alone.stranger().get(script[1] + "shared/text.js")
    assert module.status == 200
    assert "immutable" in module.headers["Cache-Control"]
    assert alone.stranger().get(script[1] + "../../etc/passwd").status in (403, 404)


def test_browsers_come_by_tls_alone_behind_a_proxy(rf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for public, expected in (("https://campaign.example.org", "max-age=31536000"), ("", None)):
        monkeypatch.setattr(settings, "SITE", Site(folder="", public=public))
        response = policy.headers(lambda _: HttpResponse())(rf.get("/"))
        assert response.headers.get("Strict-Transport-Security") == expected


def test_the_proxy_of_the_documentation_lets_through_what_the_server_takes() -> None:
    """A run as large as `--largest` allows, in its form, is not refused by the proxy."""
    page = (ROOT / "docs/server.md").read_text()
    allowed = re.search(r"client_max_body_size (\d+)m;", page)
    largest = [signature(command).parameters["largest"].default for command in (serve, serve_campaign)]
    assert allowed and max(largest) < int(allowed[1]) <= max(largest) + 10
    assert f"for aune campaign serve {largest[1]}" in page and f"--largest: {largest[0]}" in page


def test_bodies_have_a_length_and_a_limit(alone: Served, me: Client) -> None:
    """Refused by what it says of itself, before it is read."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in me.jar)
    for header, value, status in (
        ("Content-Length", str(65 << 20), 413),
        ("Transfer-Encoding", "chunked", 411),
    ):
        connection = http.client.HTTPConnection("127.0.0.1", alone.port)
        connection.putrequest("POST", "/files")
        connection.putheader("Cookie", cookies)
        connection.putheader("X-CSRFToken", me.csrf)
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.putheader(header, value)
        connection.endheaders()
        response = connection.getresponse()
        assert response.status == status
        response.read()
        connection.close()
    assert me.get("/").status == 200


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.conll", b""),
        ("binary.sgm", bytes(range(256)) * 10),
        ("bomb.jsonl.gz", __import__("gzip").compress(b"\0" * (32 << 20))),
        ("deep.json", b"[" * 100_000),
        ("../../../../tmp/escaped.conll", b"nonsense"),
        ("unclosed.conll", b"#begin document (a); part 000\na\t0\t0\tAnn\tx\t-\t-\t-\t-\t-\t*\t(1\n#end document\n"),
    ],
)
def test_bad_files_are_refused(me: Client, name: str, data: bytes) -> None:
    """The page says what is wrong, and the list of texts is as before."""
    before = me.get("/").text.count("/text/")
    answer = me.upload((name, data))
    assert answer.status == 422
    assert "warning" in answer.text
    assert me.get("/").text.count("/text/") == before


def test_hostile_text_is_only_text(me: Client) -> None:
    name = '<script>alert("x")'
    script = b"&lt;script&gt;alert(1)&lt;/script&gt;"
    sgml = b'<DOC><DOCNO>hostile</DOCNO><TEXT>%s <COREF ID="1">it</COREF></TEXT></DOC>\n' % script
    assert me.upload((f"{name}.sgm".replace('"', "'"), sgml)).status == 302
    page = me.get("/").text
    assert "<script>alert" not in page
    (layer,) = layers_of(me, "hostile").values()
    answer = me.get(f"/api/layer/{layer}/")
    assert answer.headers["Content-Type"] == "application/json"
    download = me.get(f"/layer/{layer}/export")
    assert download.headers["Content-Type"] == "application/octet-stream"
    assert download.headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''")


def test_events_of_nobody(me: Client) -> None:
    assert me.get("/api/layer/nowhere/").json == {"problems": ["There is nothing here, or nothing that you may see."]}
    assert me.post("/api/layer/nowhere/events", {"base": 0, "events": [event()]}).status == 404
