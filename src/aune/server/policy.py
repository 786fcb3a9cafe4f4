"""Rules for every response: headers that forbid foreign scripts, limits on request bodies, refusals in plain words."""

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
from aune.files import is_disk_full
from aune.server import assets
from aune.server.request_buffering import BUSY, UNREAD
from aune.server.site import DATABASE_DAMAGED, is_database_damaged
from aune.server.work_slots import BusyError

Handler = Callable[[HttpRequest], HttpResponse]
CONTENT_POLICY = "; ".join(
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
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STRICT_TRANSPORT = "max-age=31536000"
"""Browsers use only TLS for a year."""
NUL = "The request contains a NUL character, which no text has."
MAX_JSON = 16 << 20  # bytes of a JSON body, from a page or a program
MAX_FORM = 1 << 20  # bytes of a form without files: parsing one takes forty times as much memory
ANONYMOUS_FORM = 1 << 16  # bytes of a request without sign-in, which contains a name and a passphrase


def headers(answer: Handler) -> Handler:
    """Add the security headers to every response, including those to foreign host names."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if settings.SITE.address.startswith("https:"):
            response.headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
        return response

    return middleware


def body_limit(answer: Handler) -> Handler:
    """Refuse a body that is too long or of unknown length before it is read; request the body if it is allowed."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in ("POST", "PUT", "PATCH"):
            return answer(request)
        digits = request.headers.get("Content-Length", "")
        if not (digits.isascii() and digits.isdecimal()):
            return refusal(request, 411, "The request does not say how long it is.")
        length, most = int(digits.lstrip("0")[:20] or 0), _max_body(request)
        if length > most:
            return refusal(
                request, 413, f"Found {length:,} bytes, expected at most {most:,}: send fewer or smaller files."
            )
        return HttpResponse(status=HTTPStatus.CONTINUE) if UNREAD in request.META else answer(request)

    return middleware


def _max_body(request: HttpRequest) -> int:
    """How many bytes the body of a request may have."""
    if not request.user.is_authenticated:
        return ANONYMOUS_FORM
    if request.content_type == "multipart/form-data":
        return settings.SITE.largest
    return MAX_JSON if request.content_type == "application/json" else MAX_FORM


def plain_text(answer: Handler) -> Handler:
    """Refuse forms that are not UTF-8, and NUL characters in URLs and forms: no text contains NUL, and not every
    database accepts it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            return refusal(request, 415, f"Found a form in {charset[:40]!r}, expected UTF-8.")
        forms = [dict(sent.lists()) for sent in (request.GET, request.POST)]
        typed = (value for form in forms for values in form.values() for value in values)
        if "\0" in request.path or any("\0" in str(value) for value in typed):
            return refusal(request, 400, NUL)
        return answer(request)

    return middleware


NO_ROOM = (
    "The disk of this server is full, and nothing was taken. The organisers have to make room; then do it again. "
    "It counts for nothing."
)
DATABASE_DOWN = (
    "The database of this server does not answer now. Wait a while, look whether what you did is there, and do it "
    "again if it is not."
)


def is_database_down(error: BaseException | None) -> bool:
    """Whether the error means that the database does not respond."""
    return isinstance(error, OperationalError | InterfaceError)


HEADINGS = {
    400: "Bad request", 401: "Signed out", 403: "Not allowed", 404: "Not found", 409: "Changed meanwhile",
    413: "Too large", 429: "Too many requests", 500: "Internal error", 503: "Not available", 507: "No room left",
}  # fmt: skip
"""The headings of refusal pages, by status; for any other status the heading is “Cannot be done”."""


def refusal(request: HttpRequest, status: int, *problems: str) -> HttpResponse:
    """A refusal with its reasons: a page for browsers, JSON for programs, a fragment for htmx."""
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        return JsonResponse({"problems": list(problems)}, status=status)
    template = "problems.html" if request.headers.get("HX-Request") else "refused.html"
    heading = HEADINGS.get(status, "Cannot be done")
    return render(
        request, template, {"problems": problems, "status": status, "refusal_heading": heading}, status=status
    )


def htmx_redirect(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Convert a redirect into one that htmx follows, if htmx sent the request; return other responses unchanged."""
    if request.headers.get("HX-Request") and isinstance(response, HttpResponseRedirect):
        return HttpResponse(headers={"HX-Redirect": response.url})
    return response


def whole_number(text: str) -> int | None:
    """A whole number that was typed or sent by a program; None if it is no number or has ten digits or more.

    >>> whole_number("12"), whole_number("²"), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


class NoRoomError(SuspiciousOperation):
    """An account would exceed its quota; Django aborts the request and calls `bad_request`."""


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The response to a request that was not sent by one of our pages."""
    return refusal(request, 403, "This request did not come from a page of this server: load the page again and retry.")


def entrance() -> str:
    """The start page: that of the campaign if there is one, otherwise that of the workbench."""
    return "/campaign/" if settings.SITE.has_campaign else "/"


def page_context(request: HttpRequest) -> dict[str, Any]:
    """The template variables of every page."""
    return {
        "static": assets.prefix(),
        "aune_version": __version__,
        "accounts": settings.SITE.accounts,
        "campaign": settings.SITE.has_campaign,
        "account": request.user if hasattr(request, "user") and request.user.is_authenticated else None,
    }


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The response to a malformed or refused request; a request to a foreign host name gets only one plain line."""
    if isinstance(exception, DisallowedHost):
        return HttpResponse("This server is not reached under that name.\n", status=400, content_type="text/plain")
    if isinstance(exception, TooManyFilesSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return refusal(request, 413, f"Found more than {most} files: send them in parts of {most} or fewer.")
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        return refusal(request, 413, "The form has too many fields, or too long ones: send less.")
    if isinstance(exception, NoRoomError):
        return refusal(request, 413, str(exception))
    if isinstance(exception, BusyError):
        answer = refusal(request, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
        answer["Retry-After"] = "30"
        return answer
    return refusal(request, 400, "The form that was sent is damaged: send it again.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 404, "There is nothing here, or nothing that you may see.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, 403, str(exception) or "This is not yours to do.")


def server_error(request: HttpRequest) -> HttpResponse:
    """The response to an unexpected error. A full disk and an unreachable database are reported as such, not as bugs.

    Without a database no page can be rendered, because that would look up the account.
    """
    error = sys.exc_info()[1]
    if is_disk_full(error):
        return refusal(request, HTTPStatus.INSUFFICIENT_STORAGE, NO_ROOM)
    if is_database_damaged(error):
        return _answer_without_database(request, DATABASE_DAMAGED, HTTPStatus.INTERNAL_SERVER_ERROR)
    if is_database_down(error):
        answer = _answer_without_database(request, DATABASE_DOWN, HTTPStatus.SERVICE_UNAVAILABLE)
        answer["Retry-After"] = "10"
        return answer
    return refusal(request, 500, "An internal error. Nothing was changed; the server's log has the details.")


def _answer_without_database(request: HttpRequest, problem: str, status: HTTPStatus) -> HttpResponse:
    """A refusal that is rendered without a query to the database."""
    if request.path.startswith("/api/"):
        return JsonResponse({"problems": [problem]}, status=status)
    return HttpResponse(problem, content_type="text/plain; charset=utf-8", status=status)
