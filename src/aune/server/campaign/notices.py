"""The page of notices: one's own; for the organiser also those of all, and what became of the letters."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER
from aune.campaign.publication import notices, outbox
from aune.errors import UsageError
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.background_jobs import MAIL, request_job
from aune.server.campaign.email_delivery import is_sending, start_letters
from aune.server.campaign.models import Address
from aune.server.campaign.pages import render_page

NEWEST = 100  # notices on one page


def current_recipient(request: HttpRequest) -> notices.Recipient:
    """Who reads notices here; nothing is here for anybody else."""
    who = viewer(request)
    if who.team:
        return notices.team_recipient(who.team)
    if who.role == ANNOTATOR:
        return notices.annotator_recipient(person(request).name)
    if who.role != ORGANISER:
        raise Http404
    return notices.ORGANISER_RECIPIENT


@require_GET
@campaign_view
def page(request: HttpRequest) -> HttpResponse:
    """One's own notices; for the organiser also those of all, and what became of the letters."""
    here, who = campaign(), current_recipient(request)
    rows = [{"notice": item, "subject": _subject(here, item)} for item in notices.newest_notices(here, who)[:NEWEST]]
    known = Address.objects.filter(account=person(request)).first()
    email, refused = (
        known.email if known else "",
        outbox.refused_letters(here) if known or who == notices.ORGANISER_RECIPIENT else [],
    )
    refusal = next((item.why for item in refused if email and item.address == email), "")
    about = {"rows": rows, "mails": is_sending(), "address": email, "refusal": refusal}
    if who != notices.ORGANISER_RECIPIENT:
        return render_page(request, "notices", **about)
    others = [notice for notice in notices.visible_notices(here) if notice.to != who][-NEWEST:][::-1]
    other_rows = [
        {"notice": item, "subject": _subject(here, item), "to": _recipient_name(here, item.to),
         "state": outbox.letter_state(here, item.name) or "no letter"}
        for item in others
    ]  # fmt: skip
    return render_page(
        request, "notices", **about, others=other_rows, waiting=len(outbox.waiting_letters(here)), refused=refused
    )


def _recipient_name(here: Campaign, to: notices.Recipient) -> str:
    return here.state.teams[to.viewer.team].name if to.viewer.team else to.account


def _subject(here: Campaign, notice: notices.Notice) -> str:
    """What a notice is about; that it is about this campaign is clear here."""
    return notice.subject.removeprefix(f"{here.protocol.title}: ")


@require_POST
@campaign_view
def address(request: HttpRequest) -> HttpResponse:
    """Where somebody gets notices; nothing ends them."""
    current_recipient(request)
    email = request.POST.get("email", "").strip()
    if not email:
        Address.objects.filter(account=person(request)).delete()
        return redirect("/campaign/notices")
    try:
        validate_email(email)
    except ValidationError:
        raise UsageError(f"found {email!r}, expected an e-mail address, or nothing for no letters") from None
    start_letters(campaign())
    Address.objects.update_or_create(account=person(request), defaults={"email": email})
    return redirect("/campaign/notices")


@require_POST
@campaign_view
def send(request: HttpRequest) -> HttpResponse:
    """Try again to send what waits, and what was refused where that is asked for."""
    require_organiser(request)
    if not is_sending():
        raise UsageError("this server sends no letters: start it with AUNE_MAIL and AUNE_SENDER set")
    if request.POST.get("refused"):
        outbox.retry_refused(campaign())
    request_job(MAIL, "outbox")
    return redirect("/campaign/notices")
