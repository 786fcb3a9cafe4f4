"""Submit to a server, by an address that the user typed and with a token."""

from __future__ import annotations

import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from http.client import HTTPException
from types import MappingProxyType
from typing import Any

import msgspec

from aune.errors import UsageError
from aune.files import parse_json

PATIENCE = 600  # seconds to wait for the score of a submission
WAIT = 1.0  # seconds between two requests at most; a small run is scored sooner
MAX_ANSWER = 1 << 24  # bytes of an answer


class Status(msgspec.Struct):
    """The required fields of the server's answer."""

    submission: str
    state: str
    problems: list[tuple[str, int, int, str]] = []


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: the token is only for the address that was typed."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = urllib.request.build_opener(_NoRedirect)


def is_remote(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def submit_run(
    address: str, token: str, dataset: str, run: str, file: tuple[str, bytes], table: tuple[str, bytes] | None,
    idempotency: str = "", *, wait: bool = True, metadata: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:  # fmt: skip
    """Send a run to a server and wait until it is scored; returns the server's answer."""
    if not token:
        raise UsageError("a server needs a token: make one on the page of your account, and set AUNE_TOKEN")
    files = {"file": file, **({"table": table} if table else {})}
    body, kind = _form({"run": run, **{f"meta-{name}": text for name, text in metadata.items()}}, files)
    headers = {"Content-Type": kind, **({"Idempotency-Key": idempotency} if idempotency else {})}
    home = address.rstrip("/").removesuffix("/campaign")
    status = _request_status(f"{home}/api/campaign/submit/{urllib.parse.quote(dataset)}", token, body, headers)
    until, pause = time.monotonic() + PATIENCE, WAIT / 8
    while wait and status["state"] == "received" and time.monotonic() < until:
        time.sleep(pause)
        pause = min(2 * pause, WAIT)
        submission = urllib.parse.quote(status["submission"], safe="")
        status = _request_status(f"{home}/api/campaign/submission/{submission}", token, None, {})
    return status


def _request_status(address: str, token: str, body: bytes | None, headers: Mapping[str, str]) -> dict[str, Any]:
    request = urllib.request.Request(address, body, {"Authorization": f"Bearer {token}", **headers})
    request.add_header("Accept", "application/json")
    try:
        with OPENER.open(request, timeout=PATIENCE) as response:
            answer = _json_object(response.read(MAX_ANSWER))
            msgspec.convert(answer, Status)
            return answer
    except urllib.error.HTTPError as error:
        raise UsageError(f"{address}: {_refusal_text(error)}") from None
    except (OSError, ValueError, HTTPException, msgspec.ValidationError) as error:
        raise UsageError(f"{address}: the server does not answer ({error})") from None


def _json_object(data: bytes) -> dict[str, Any]:
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError("something else than aune's answers")
    return value


def _refusal_text(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            return "; ".join(map(str, _json_object(error.read(MAX_ANSWER))["problems"]))
        except (OSError, ValueError, KeyError, TypeError, HTTPException):
            return f"refused ({error.code}{_redirect_note(error)})"


def _redirect_note(error: urllib.error.HTTPError) -> str:
    target = error.headers.get("Location")
    return f": it is at {target}, type that" if target else ""


def _form(fields: Mapping[str, str], files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form with files, encoded as browsers do, and its content type."""
    edge = uuid.uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    for name, (file, data) in files.items():
        plain = file.replace('"', "%22").replace("\r", "").replace("\n", "")
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{plain}"\r\n'
        parts.append(head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + data + b"\r\n")
    return b"".join(parts) + f"--{edge}--\r\n".encode(), f"multipart/form-data; boundary={edge}"
