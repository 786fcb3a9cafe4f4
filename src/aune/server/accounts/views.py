"""The pages of accounts."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.server.accounts import rate_limits
from aune.server.accounts.gate import sole_account
from aune.server.accounts.models import ROLES, Account, Invitation, Key, Token
from aune.server.policy import entrance, refusal

BACKEND = "django.contrib.auth.backends.ModelBackend"
MAX_TOKENS = 50
NO_INVITATION = "This invitation was used, is too old or never was: ask for another."
NAME_TAKEN = "Somebody has this name already: choose another."


def person(request: HttpRequest) -> Account:
    """The account of the request; the gate has refused requests without one."""
    if not isinstance(request.user, Account):
        raise PermissionDenied
    return request.user


def organiser(request: HttpRequest) -> Account:
    """The account of the request if it is an organiser; others get the answer 404, as if the page did not exist."""
    account = person(request)
    if not account.is_organiser or not settings.SITE.accounts:
        raise Http404
    return account


@require_GET
def enter(request: HttpRequest) -> HttpResponse:
    """Exchange the one-time key in the URL for a session cookie, and redirect to a URL without the key."""
    if settings.SITE.accounts:
        raise Http404
    if not request.user.is_authenticated:
        if not Key.redeem(request.GET.get("key", "")):
            return refusal(
                request, 403, "This key was used or is not known: in the browser that used it, choose Another browser."
            )
        login(request, sole_account(), BACKEND)
    target = request.GET.get("next", "/")
    return redirect(target if url_has_allowed_host_and_scheme(target, None) else "/")


@require_POST
def another(request: HttpRequest) -> HttpResponse:
    """A one-time key for another browser of the same person."""
    if settings.SITE.accounts:
        raise Http404
    person(request)
    return render(request, "another.html", {"address": f"{settings.SITE.address}/enter?key={Key.issue()}"})


@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if not settings.SITE.accounts:
        raise Http404
    target = request.POST.get("next") or request.GET.get("next") or entrance()
    if not url_has_allowed_host_and_scheme(target, None):
        target = entrance()
    if request.method == "GET":
        return render(request, "sign_in.html", {"next": target})
    name, words = Account.objects.normalise_name(request.POST.get("name", "")), request.POST.get("passphrase", "")
    if not name or not words:  # not counted as a guess, and no digest needs to be computed
        return _sign_in_page(request, target, name, 422, "Found no name or no passphrase: type both.")
    attempt = rate_limits.count_attempt(request, name)
    if attempt is None:
        response = refusal(request, 429, "Too many passphrases were tried: wait a quarter of an hour.")
        response["Retry-After"] = str(int(rate_limits.WINDOW.total_seconds()))
        return response
    account = authenticate(request, username=name, password=words)
    if not isinstance(account, Account):
        return _sign_in_page(request, target, name, 403, "No account has this name and this passphrase.")
    attempt.take_back()
    login(request, account, BACKEND)
    return redirect(target)


def _sign_in_page(request: HttpRequest, target: str, name: str, status: int, problem: str) -> HttpResponse:
    """The sign-in page again, with a problem."""
    return render(request, "sign_in.html", {"next": target, "problems": [problem], "name": name}, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Void all session cookies of the account, on this machine and on others."""
    person(request).void_sessions()
    logout(request)
    return redirect("/sign-in" if settings.SITE.accounts else "/")


@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation. Only POST redeems it, so that programs which merely follow links do not use it up."""
    invited = Invitation.open(secret) if settings.SITE.accounts else None
    if invited is None:
        return refusal(request, 404, NO_INVITATION)
    if request.method == "GET":
        return render(request, "invitation.html", {"invitation": invited})
    name, words = Account.objects.normalise_name(request.POST.get("name", "")), request.POST.get("passphrase", "")
    problems = _problems(name, words, request.POST.get("again", ""), invited.role)
    if not problems and Account.objects.filter(name=name).exists():
        if not invited.record_collision():  # an invited person must not find out by trying which accounts exist
            return refusal(request, 404, NO_INVITATION)
        problems = [NAME_TAKEN]
    if problems:
        return render(
            request, "invitation.html", {"invitation": invited, "problems": problems, "name": name}, status=422
        )
    try:
        with transaction.atomic():
            if not invited.redeem():
                return refusal(request, 404, "This invitation has just been used: ask for another.")
            made = Account.objects.create_account(name, invited.role, words)
            Invitation.objects.filter(pk=invited.pk).update(account=made)
    except IntegrityError:
        return refusal(request, 422, NAME_TAKEN)
    login(request, made, BACKEND)
    return redirect(entrance())


def _problems(name: str, words: str, again: str, role: str) -> list[str]:
    """The problems of a chosen name and passphrase."""
    problems = []
    if not 1 <= len(name) <= 80 or not name.isprintable():
        problems.append("Found no name of 1 to 80 letters: choose one.")
    return [*problems, *_weaknesses(words, again, Account(name=name, role=role))]


def _weaknesses(words: str, again: str, account: Account) -> list[str]:
    problems = ["The two passphrases differ."] if words != again else []
    try:
        validate_password(words, account)
    except ValidationError as error:
        problems += error.messages
    return problems


@require_GET
def account(request: HttpRequest) -> HttpResponse:
    if not settings.SITE.accounts:
        raise Http404
    return render(request, "account.html", {"tokens": person(request).tokens.order_by("made")})


@require_POST
def passphrase(request: HttpRequest) -> HttpResponse:
    """Change the passphrase; every other session cookie of the account becomes void."""
    somebody, words = person(request), request.POST.get("passphrase", "")
    problems = _weaknesses(words, request.POST.get("again", ""), somebody)
    if problems:  # before the old passphrase is checked: that is slow, and a mistake here is not a guess
        return refusal(request, 422, *problems)
    attempt = rate_limits.count_attempt(request, somebody.name)
    if attempt is None:
        return refusal(request, 429, "Too many passphrases were tried: wait a quarter of an hour.")
    if not somebody.check_password(request.POST.get("old", "")):
        return refusal(request, 403, "The old passphrase is another.")
    attempt.take_back()
    somebody.set_password(words)
    somebody.save(update_fields=["password"])
    update_session_auth_hash(request, somebody)
    return redirect("/account")


@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    name = request.POST.get("name", "").strip()[:80] or f"made {timezone.now():%Y-%m-%d}"
    if not settings.SITE.accounts:
        raise Http404
    if person(request).tokens.count() >= MAX_TOKENS:
        return refusal(request, 422, f"There are {MAX_TOKENS} tokens already: delete one first.")
    return render(request, "token.html", {"name": name, "secret": Token.issue(person(request), name)})


@require_POST
def delete_token(request: HttpRequest, token: str) -> HttpResponse:
    get_object_or_404(Token, pk=token, account=person(request)).delete()
    return redirect("/account")


@require_GET
def people(request: HttpRequest) -> HttpResponse:
    organiser(request)
    invitations = Invitation.objects.filter(redeemed=None, expires__gt=timezone.now()).order_by("expires")
    accounts = Account.objects.order_by("name")
    usual = "participant" if settings.SITE.has_campaign else "annotator"
    about = {"people": accounts, "invitations": invitations, "roles": ROLES, "usual": usual}
    return render(request, "people.html", about)


@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    inviter = organiser(request)
    role = request.POST.get("role", "")
    if role not in ROLES:
        return refusal(request, 422, f"Found the role {role!r}, expected one of {', '.join(ROLES)}.")
    secret = Invitation.issue(role, inviter, request.POST.get("note", "")[:200])
    return render(request, "invited.html", {"address": f"{settings.SITE.address}/invitation/{secret}", "role": role})


@require_POST
def revoke(request: HttpRequest, invitation: str) -> HttpResponse:
    """Withdraw an unused invitation. It is identified by its digest, since the link itself is not stored."""
    organiser(request)
    get_object_or_404(Invitation, pk=invitation, redeemed=None).delete()
    return redirect("/people")


@require_POST
def close(request: HttpRequest, account: str) -> HttpResponse:
    """Close an account. It is never deleted: its work stays under its name."""
    chief = organiser(request)
    closed = get_object_or_404(Account, pk=account)
    if closed == chief:
        return refusal(request, 422, "You cannot close your own account: let another organiser do it.")
    Account.objects.filter(pk=closed.pk).update(is_active=False)
    closed.void_sessions()
    return redirect("/people")
