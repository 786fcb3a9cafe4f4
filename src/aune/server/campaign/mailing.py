"""The page of notices: one's own; for the organiser also those of all, and what became of the letters."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import notices, outbox
from aune.campaign.campaign import Campaign
from aune.campaign.policy import ANNOTATOR, ORGANISER
from aune.core.errors import UsageError
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.letters import begun, is_sending
from aune.server.campaign.models import Address
from aune.server.campaign.pages import shown
from aune.server.campaign.work import MAIL, wanted

NEWEST = 100  # notices on one page


def reader(request: HttpRequest) -> notices.Reader:
    """Who reads notices here; nothing is here for anybody else."""
    who = viewer(request)
    if who.team:
        return notices.team_reader(who.team)
    if who.role == ANNOTATOR:
        return notices.annotator_reader(person(request).name)
    if who.role != ORGANISER:
        raise Http404
    return notices.ORGANISERS


@require_GET
@answering
def page(request: HttpRequest) -> HttpResponse:
    """One's own notices; for the organiser also those of all, and what became of the letters."""
    here, who = campaign(), reader(request)
    own = [{"notice": one, "subject": _subject(here, one)} for one in notices.newest(here, who)[:NEWEST]]
    known = Address.objects.filter(account=person(request)).first()
    email, refused = known.email if known else "", outbox.refusals(here) if known or who == notices.ORGANISERS else []
    refusal = next((one.why for one in refused if email and one.address == email), "")
    about = {"rows": own, "mails": is_sending(), "address": email, "refusal": refusal}
    if who != notices.ORGANISERS:
        return shown(request, "notices", **about)
    others = [notice for notice in notices.notices(here) if notice.to != who][-NEWEST:][::-1]
    told = [
        {"notice": one, "subject": _subject(here, one), "to": _name(here, one.to),
         "state": outbox.state(here, one.name) or "no letter"}
        for one in others
    ]  # fmt: skip
    return shown(request, "notices", **about, others=told, waiting=len(outbox.waiting(here)), refused=refused)


def _name(here: Campaign, to: notices.Reader) -> str:
    return here.state.teams[to.viewer.team].name if to.viewer.team else to.account


def _subject(here: Campaign, notice: notices.Notice) -> str:
    """What a notice is about; that it is about this campaign is clear here."""
    return notice.subject.removeprefix(f"{here.protocol.title}: ")


@require_POST
@answering
def address(request: HttpRequest) -> HttpResponse:
    """Where somebody gets notices; nothing ends them."""
    reader(request)
    email = request.POST.get("email", "").strip()
    if not email:
        Address.objects.filter(account=person(request)).delete()
        return redirect("/campaign/notices")
    try:
        validate_email(email)
    except ValidationError:
        raise UsageError(f"found {email!r}, expected an e-mail address, or nothing for no letters") from None
    begun(campaign())
    Address.objects.update_or_create(account=person(request), defaults={"email": email})
    return redirect("/campaign/notices")


@require_POST
@answering
def send(request: HttpRequest) -> HttpResponse:
    """Try again to send what waits, and what was refused where that is asked for."""
    organiser(request)
    if not is_sending():
        raise UsageError("this server sends no letters: start it with AUNE_MAIL and AUNE_SENDER set")
    if request.POST.get("refused"):
        outbox.tried_again(campaign())
    wanted(MAIL, "outbox")
    return redirect("/campaign/notices")
