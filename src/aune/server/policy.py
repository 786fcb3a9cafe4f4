"""What every answer keeps to: headers that forbid foreign scripts, bodies of a known size, refusals in plain words."""

from __future__ import annotations

import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render

from aune import __version__
from aune.core.files import is_full
from aune.server import assets
from aune.server.apart import BusyError
from aune.server.front import BUSY, UNREAD

Answer = Callable[[HttpRequest], HttpResponse]
CONTENT = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NUL = "The request holds a NUL character, which no text has."
JSON = 16 << 20  # bytes of what a page or a program sends in JSON
FORM = 1 << 20  # bytes of what somebody types: forms take forty times as much memory
STRANGERS = 1 << 16  # bytes of a request of somebody who has not signed in: a name and a passphrase


def headers(answer: Answer) -> Answer:
    """Every answer says what a browser may do with it, those to foreign host names included."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return answered


def body_limit(answer: Answer) -> Answer:
    """Refuse a body that is too long, or of unknown length, before it is read; ask for it where it may be."""

    def answered(request: HttpRequest) -> HttpResponse:
        if request.method not in ("POST", "PUT", "PATCH"):
            return answer(request)
        digits = request.headers.get("Content-Length", "")
        if not (digits.isascii() and digits.isdecimal()):
            return refused(request, 411, "The request does not say how long it is.")
        length, most = int(digits.lstrip("0")[:20] or 0), _most(request)
        if length > most:
            return refused(
                request, 413, f"Found {length:,} bytes, expected at most {most:,}: send fewer or smaller files."
            )
        return HttpResponse(status=HTTPStatus.CONTINUE) if UNREAD in request.META else answer(request)

    return answered


def _most(request: HttpRequest) -> int:
    """How many bytes somebody may send."""
    if not request.user.is_authenticated:
        return STRANGERS
    if request.content_type == "multipart/form-data":
        return settings.SITE.largest
    return JSON if request.content_type == "application/json" else FORM


def plain_text(answer: Answer) -> Answer:
    """Refuse what is not UTF-8, and NUL characters in addresses and forms: no text has any, and not every database
    takes them.
    """

    def answered(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            return refused(request, 415, f"Found a form in {charset[:40]!r}, expected UTF-8.")
        forms = [dict(sent.lists()) for sent in (request.GET, request.POST)]
        typed = (value for form in forms for values in form.values() for value in values)
        if "\0" in request.path or any("\0" in str(value) for value in typed):
            return refused(request, 400, NUL)
        return answer(request)

    return answered


NO_ROOM = (
    "The disk of this server is full, and nothing was taken. The organisers have to make room; then do it again. "
    "It counts for nothing."
)
AWAY = (
    "The database of this server does not answer now. Wait a while, look whether what you did is there, and do it "
    "again if it is not."
)


def is_away(error: BaseException | None) -> bool:
    """Whether the database does not answer."""
    return isinstance(error, OperationalError | InterfaceError)


def refused(request: HttpRequest, status: int, *problems: str) -> HttpResponse:
    """A refusal with its reasons: a page for people, JSON for programs, a fragment for htmx."""
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        return JsonResponse({"problems": list(problems)}, status=status)
    template = "problems.html" if request.headers.get("HX-Request") else "refused.html"
    return render(request, template, {"problems": problems, "status": status}, status=status)


def followed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """An answer that leads to another page, as a form that htmx sent goes there too; others as they are."""
    if request.headers.get("HX-Request") and isinstance(response, HttpResponseRedirect):
        return HttpResponse(headers={"HX-Redirect": response.url})
    return response


def whole_number(text: str) -> int | None:
    """A whole number that somebody typed or a program sent; None where it is none, or larger than any here.

    >>> whole_number("12"), whole_number("²"), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


class NoRoomError(SuspiciousOperation):
    """Somebody would keep more than the server keeps for one: Django ends what was begun and asks `bad_request`."""


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a request that does not come from one of our pages."""
    return refused(request, 403, "This request did not come from a page of this server: load the page again and retry.")


def entrance() -> str:
    """Where people begin who name no page: the campaign where there is one, the texts of the workbench elsewhere."""
    return "/campaign/" if settings.SITE.has_campaign else "/"


def page_context(request: HttpRequest) -> dict[str, Any]:
    """What every page knows."""
    return {
        "static": assets.prefix(),
        "aune_version": __version__,
        "accounts": settings.SITE.accounts,
        "campaign": settings.SITE.has_campaign,
        "account": request.user if hasattr(request, "user") and request.user.is_authenticated else None,
    }


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what cannot be a request of one of our pages; to a foreign name of the host nothing is shown."""
    if isinstance(exception, DisallowedHost):
        return HttpResponse("This server is not reached under that name.\n", status=400, content_type="text/plain")
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return refused(request, 413, "The form has too many fields or files, or too long ones: send less.")
    if isinstance(exception, NoRoomError):
        return refused(request, 413, str(exception))
    if isinstance(exception, BusyError):
        answer = refused(request, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
        answer["Retry-After"] = "30"
        return answer
    return refused(request, 400, "The form that was sent is damaged: send it again.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refused(request, 404, "There is nothing here, or nothing that you may see.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refused(request, 403, str(exception) or "This is not yours to do.")


def broken(request: HttpRequest) -> HttpResponse:
    """The answer where nobody thought of what happened; a full disk is no bug, and neither is a database that is away.

    To whom it is away no page can be drawn: that would ask it who they are.
    """
    error = sys.exc_info()[1]
    if is_full(error):
        return refused(request, HTTPStatus.INSUFFICIENT_STORAGE, NO_ROOM)
    if is_away(error):
        is_program = request.path.startswith("/api/")
        answer = JsonResponse({"problems": [AWAY]}) if is_program else HttpResponse(AWAY, content_type="text/plain")
        answer.status_code, answer["Retry-After"] = HTTPStatus.SERVICE_UNAVAILABLE, "10"
        return answer
    return refused(request, 500, "A bug of ours. Nothing was changed; the server's log says more.")
