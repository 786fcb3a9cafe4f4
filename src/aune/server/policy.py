"""What every answer keeps to: headers that forbid foreign scripts, bodies of a known size, refusals in plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from aune import __version__
from aune.server import assets

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
SMALL = 1 << 20  # bytes of a request that is no upload


def headers(answer: Answer) -> Answer:
    """Every answer says what a browser may do with it, those to foreign host names included."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return answered


def body_limit(answer: Answer) -> Answer:
    """Refuse a body that is too long, or of unknown length, before it is read: no more than its length is read."""

    def answered(request: HttpRequest) -> HttpResponse:
        if request.method not in ("POST", "PUT", "PATCH"):
            return answer(request)
        digits = request.headers.get("Content-Length", "")
        if not (digits.isascii() and digits.isdecimal()):
            return refused(request, 411, "The request does not say how long it is.")
        most = settings.SITE.largest if request.content_type == "multipart/form-data" else SMALL * 16
        length = int(digits[:20])
        if length > most:
            return refused(
                request, 413, f"Found {length:,} bytes, expected at most {most:,}: send fewer or smaller files."
            )
        return answer(request)

    return answered


def no_nul(answer: Answer) -> Answer:
    """Refuse NUL characters in addresses and forms: no text has any, and not every database takes them."""

    def answered(request: HttpRequest) -> HttpResponse:
        typed = (value for sent in (request.GET, request.POST) for _, values in sent.lists() for value in values)
        if "\0" in request.path or any("\0" in str(value) for value in typed):
            return refused(request, 400, NUL)
        return answer(request)

    return answered


def refused(request: HttpRequest, status: int, *problems: str) -> HttpResponse:
    """A refusal with its reasons: a page for people, JSON for programs, a fragment for htmx."""
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        return JsonResponse({"problems": list(problems)}, status=status)
    template = "problems.html" if request.headers.get("HX-Request") else "refused.html"
    return render(request, template, {"problems": problems, "status": status}, status=status)


def whole_number(text: str) -> int | None:
    """A whole number that somebody typed or a program sent; None where it is none, or larger than any here.

    >>> whole_number("12"), whole_number("²"), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a request that does not come from one of our pages."""
    return refused(request, 403, "This request did not come from a page of this server: load the page again and retry.")


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
    return HttpResponse("This server is not reached under that name.\n", status=400, content_type="text/plain")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refused(request, 404, "There is nothing here, or nothing that you may see.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refused(request, 403, str(exception) or "This is not yours to do.")


def broken(request: HttpRequest) -> HttpResponse:
    return refused(request, 500, "A bug of ours. Nothing was changed; the server's log says more.")
