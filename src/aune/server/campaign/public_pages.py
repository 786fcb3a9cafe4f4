"""What the public sees besides results, and the organiser's forms for it: description, files, applications,
invitations, messages.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.campaign.campaign import Campaign, takes_teams
from aune.campaign.ledger.state import TEAM
from aune.campaign.protocol.visibility import PARTICIPANT
from aune.campaign.publication import outbox
from aune.campaign.publication.public_face import (
    attach_file,
    detach_file,
    find_file,
    read_description,
    send_message,
    set_description,
    set_doi,
)
from aune.errors import UsageError
from aune.reports.delimited import delimited_text
from aune.server.accounts import rate_limits
from aune.server.accounts.models import ROLES, Account, Invitation
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.background_jobs import request_letters
from aune.server.campaign.email_delivery import Mail, check_email
from aune.server.campaign.models import Application
from aune.server.campaign.pages import render_page
from aune.server.policy import refusal

MOST_APPLICATIONS, MOST_INVITATIONS = 500, 500
APPLIED = "Thank you. The organisers read what you sent, and write to you."


@require_GET
@campaign_view
def manage_public(request: HttpRequest) -> HttpResponse:
    """The page on which the organiser edits what the public sees, and admits people."""
    require_organiser(request)
    here = campaign()
    return render_page(
        request, "public", description=read_description(here), doi=here.state.doi,
        files=list(here.state.attachments.values()), phases=here.protocol.phases, roles=ROLES,
        applications=list(Application.objects.order_by("made")),
        teams=[team for team in here.state.teams.values() if team.kind == TEAM and not team.withdrawn],
        sends=Mail.from_environment() is not None, usual=PARTICIPANT,
    )  # fmt: skip


@require_GET
@campaign_view
def download(request: HttpRequest, name: str) -> Any:
    """Download a published file."""
    here = campaign()
    attachment = find_file(here, viewer(request), name)
    file: Any = here.store.path(attachment.digest).open("rb")
    return FileResponse(
        file, as_attachment=True, filename=attachment.file, content_type="application/octet-stream"
    )  # fmt: skip


@require_http_methods(["GET", "POST"])
@campaign_view
def apply(request: HttpRequest) -> HttpResponse:
    """Apply to take part, if the protocol sets registration by approval."""
    here = campaign()
    if here.protocol.registration != "approval" or isinstance(request.user, Account):
        raise Http404
    if request.method == "GET":
        if not takes_teams(here.phase):
            raise Http404
        return render_page(request, "apply")
    if not takes_teams(here.phase):  # the page was opened before
        raise UsageError("the test is over: no team can register any more")
    fields = {
        name: " ".join(request.POST.get(name, "").split())[:most]
        for name, most in (("team", 200), ("country", 80), ("text", 2000))
    }
    fields["email"] = request.POST.get("email", "").strip()
    if not fields["team"]:
        raise UsageError("found no name of a team, expected one")
    check_email(fields["email"])
    if rate_limits.count_attempt(request, rate_limits.APPLYING) is None:
        return refusal(request, 429, "Too many applications came from your address: wait a quarter of an hour.")
    if Application.objects.count() >= MOST_APPLICATIONS:
        return refusal(request, 503, "Too many applications wait: come again later.")
    Application.objects.get_or_create(email=fields["email"], defaults=fields)
    return render_page(request, "applied", message=APPLIED)


@require_POST
@campaign_view
def act(request: HttpRequest, what: str) -> HttpResponse:
    """Perform an action of the organiser on that page."""
    require_organiser(request)
    if what not in ACTIONS:
        raise Http404
    answer = ACTIONS[what](request, campaign())
    request_letters()
    return answer or redirect("/campaign/public")


def _describe(request: HttpRequest, here: Campaign) -> None:
    set_description(here, request.POST.get("text", "").replace("\r\n", "\n"), person(request).name)


def _attach(request: HttpRequest, here: Campaign) -> None:
    sent, form = request.FILES.get("file"), request.POST
    if sent is None:
        raise UsageError("found no file, expected one as the field 'file'")
    attach_file(
        here, form.get("name", "").strip() or sent.name or "", sent.name or "", sent.chunks(),
        title=form.get("title", ""), phase=form.get("phase", ""), audience=form.get("audience", ""),
        licence=bool(form.get("licence")), author=person(request).name,
    )  # fmt: skip


def _set_doi(request: HttpRequest, here: Campaign) -> None:
    set_doi(here, request.POST.get("doi", ""), person(request).name)


def _detach(request: HttpRequest, here: Campaign) -> None:
    detach_file(here, request.POST.get("name", ""), person(request).name)


def _write_message(request: HttpRequest, here: Campaign) -> None:
    teams = [team for team in request.POST.getlist("team") if team]
    text = request.POST.get("text", "").replace("\r\n", "\n")
    send_message(here, request.POST.get("subject", ""), text, teams, person(request).name)


def _decline(request: HttpRequest, here: Campaign) -> None:
    get_object_or_404(Application, pk=request.POST.get("application", "")).delete()


def _approve(request: HttpRequest, here: Campaign) -> HttpResponse | None:
    """Invite an applicant, by email if the server sends any; otherwise show the link to the organiser."""
    application = get_object_or_404(Application, pk=request.POST.get("application", ""))
    guest = Guest(application.email, PARTICIPANT, f"{application.team} ({application.country or 'no country'})"[:200])
    link = _invite(request, here, guest, writes=True)
    application.delete()
    return None if link.is_sent else render(request, "invited.html", {"address": link.address, "role": guest.role})


class Guest(NamedTuple):
    """A person to invite."""

    email: str
    role: str
    note: str


class Link(NamedTuple):
    """An invitation and its link."""

    guest: Guest
    address: str
    is_sent: bool


def _invite(request: HttpRequest, here: Campaign, guest: Guest, *, writes: bool) -> Link:
    """Create an invitation, and send it by email if requested and possible."""
    note = ", ".join(part for part in (guest.note, guest.email) if part)[:200]
    address = f"{settings.SITE.address}/invitation/{Invitation.issue(guest.role, person(request), note)}"
    mail = Mail.from_environment() if writes and guest.email else None
    if mail:
        text = (
            f"You are invited to {here.protocol.title} as {guest.role}. The link makes one account, once, within two "
            f"weeks:\n\n{address}\n"
        )
        outbox.write_secret_letter(here, mail.sender, guest.email, "an invitation", text)
    return Link(guest, address, mail is not None)


def _invite_many(request: HttpRequest, here: Campaign) -> HttpResponse:
    """Invite all people in a table."""
    guests = parse_guests(request.POST.get("people", ""))
    links = [_invite(request, here, guest, writes=bool(request.POST.get("send"))) for guest in guests]
    rows = [["email", "role", "note", "invitation"], *([*link.guest, link.address] for link in links)]
    return render_page(request, "invited_many", links=links, table=delimited_text(rows, ","))


def parse_guests(text: str) -> list[Guest]:
    r"""Parse a table of email addresses, roles and notes; all problems are reported in one error.

    The cells are separated as in the first line: by commas, semicolons or tabs.

    >>> [guest[:2] for guest in parse_guests("email,role,note\nann@example.org,,Les Bleus\nb@example.org,annotator\n")]
    [('ann@example.org', 'participant'), ('b@example.org', 'annotator')]
    """
    guests: dict[str, Guest] = {}
    problems = []
    for line, row in _rows_of_guests(text.removeprefix("\ufeff")):
        email, role, note, *rest = [*(cell.strip() for cell in row), "", "", ""][: max(len(row), 3)]
        if not any(row) or (line == 1 and email.casefold() == "email"):
            continue
        guest = Guest(email, role or PARTICIPANT, note[:200])
        try:
            check_email(email)
        except UsageError as error:
            problems.append(f"line {line}: {error}")
        if guest.role not in ROLES or rest:
            expected = f"expected an address, one of {', '.join(ROLES)}, and a note"
            problems.append(f"line {line}: found {', '.join(row)!r:.80}, {expected}")
        if email.casefold() in guests:
            problems.append(f"line {line}: {email} is there twice, expected one line for each person")
        guests[email.casefold()] = guest
    if not guests or len(guests) > MOST_INVITATIONS:
        problems.append(f"found {len(guests)} people, expected 1 to {MOST_INVITATIONS}")
    if problems:
        raise UsageError("; ".join(problems[:20]))
    return [*guests.values()]


def _rows_of_guests(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, with their numbers."""
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        yield from enumerate(rows, 1)
    except csv.Error as error:
        raise UsageError(f"line {rows.line_num}: {error}, expected cells whose quotes are closed") from None


ACTIONS: Mapping[str, Callable[[HttpRequest, Campaign], HttpResponse | None]] = {
    "about": _describe, "attach": _attach, "detach": _detach, "message": _write_message, "approve": _approve,
    "decline": _decline, "doi": _set_doi, "invite": _invite_many,
}  # fmt: skip
