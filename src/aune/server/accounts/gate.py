"""Access to the site: requests with a token or a session cookie pass; others go to the sign-in page or are refused."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from aune.server.accounts.models import Account, Token
from aune.server.policy import Handler, refusal
from aune.server.request_buffering import WAIT_START, client_address
from aune.server.work_slots import working_for

ALONE = "me"
OPEN_PATHS = ("/enter", "/sign-in", "/invitation/", "/static/", "/favicon.ico", "/campaign/apply", "/health")
"""Paths that show no content of the site and need no sign-in."""
ACCOUNT_CHANGES = "/account/"
"""The passphrase and the tokens of an account."""
CAMPAIGN_PATHS = ("/campaign/", "/api/campaign/")
"""Paths open to everybody; the campaign's own policy decides what each visitor sees."""


def token_bearer(answer: Handler) -> Handler:
    """Sign a program in by its token. Cookies are ignored then, so that no CSRF check is needed."""

    def middleware(request: HttpRequest) -> HttpResponse:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.casefold() == "bearer":
            account = Token.bearer(secret.strip())
            if account is None:
                return refusal(request, 401, "This token is not known here.")
            if request.path.startswith(ACCOUNT_CHANGES):  # a stolen token must not outlive its deletion
                return refusal(request, 403, "A token cannot change an account: sign in with its passphrase.")
            request.user = account
            request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        return answer(request)

    return middleware


def gate(answer: Handler) -> Handler:
    """Refuse requests without a known account, or redirect them to the sign-in page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        is_shown = settings.SITE.accounts and request.method == "GET" and request.path.startswith(CAMPAIGN_PATHS)
        if request.user.is_authenticated or request.path.startswith(OPEN_PATHS) or is_shown:
            with working_for(str(request.user.pk or client_address(request.META)), request.META.get(WAIT_START)):
                return answer(request)
        if settings.SITE.accounts and request.method == "GET" and not request.path.startswith("/api/"):
            return redirect_to_login(request.get_full_path(), "/sign-in")
        if settings.SITE.accounts:
            return refusal(request, 401, "Sign in first.")
        return refusal(
            request, 403, "This browser has not been let in: open the address that the server printed when it started."
        )

    return middleware


def sole_account() -> Account:
    """The only account of a server without accounts."""
    return Account.objects.filter(name=ALONE).first() or Account.objects.create_account(ALONE, "organiser", None)
