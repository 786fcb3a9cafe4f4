"""Submitting to a server, by an address that the user typed and with a token."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any

from aune.core.errors import UsageError

PATIENCE = 600  # seconds until a submission must have been scored
WAIT = 1.0


def is_remote(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def submitted(
    address: str, token: str, dataset: str, run: str, file: tuple[str, bytes], table: tuple[str, bytes] | None,
    idempotency: str = "", *, wait: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Send a run to a server and wait until it is scored; what the server says of it."""
    if not token:
        raise UsageError("a server needs a token: make one on the page of your account, and set AUNE_TOKEN")
    files = {"file": file, **({"table": table} if table else {})}
    body, kind = _form({"run": run}, files)
    headers = {"Content-Type": kind, **({"Idempotency-Key": idempotency} if idempotency else {})}
    home = address.rstrip("/").removesuffix("/campaign")
    status = _answer(f"{home}/api/campaign/submit/{urllib.parse.quote(dataset)}", token, body, headers)
    until = time.monotonic() + PATIENCE
    while wait and status.get("state") == "received" and time.monotonic() < until:
        time.sleep(WAIT)
        status = _answer(f"{home}/api/campaign/submission/{status['submission']}", token, None, {})
    return status


def _answer(address: str, token: str, body: bytes | None, headers: Mapping[str, str]) -> dict[str, Any]:
    request = urllib.request.Request(address, body, {"Authorization": f"Bearer {token}", **headers})
    request.add_header("Accept", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            found: dict[str, Any] = json.loads(response.read())
            return found
    except urllib.error.HTTPError as error:
        raise UsageError(f"{address}: {_said(error)}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{address}: the server does not answer ({error})") from None


def _said(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            return "; ".join(json.loads(error.read())["problems"])
        except (ValueError, KeyError, TypeError):
            return f"refused ({error.code})"


def _form(fields: Mapping[str, str], files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form with files, as browsers send it, and its content type."""
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
