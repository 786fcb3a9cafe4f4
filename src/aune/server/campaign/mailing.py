"""The page of notices: a team's own; for the organiser those of all, and what became of the letters."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import notices
from aune.campaign.campaign import Campaign
from aune.campaign.policy import ORGANISER
from aune.core.errors import UsageError
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.letters import is_sending
from aune.server.campaign.pages import shown
from aune.server.campaign.work import MAIL, wanted

NEWEST = 100  # notices on one page


@require_GET
@answering
def page(request: HttpRequest) -> HttpResponse:
    """A team's own notices; for the organiser those of all, and what became of the letters."""
    here, who = campaign(), viewer(request)
    if who.team:
        own = notices.of_team(here, who.team)
        rows = [{"notice": one, "subject": _subject(here, one)} for one in own[:NEWEST]]
        return shown(request, "notices", rows=rows, mails=is_sending())
    if who.role != ORGANISER:
        raise Http404
    every = list(notices.notices(here))[-NEWEST:][::-1]
    box = here.folder / "outbox"
    told = [
        {"notice": one, "subject": _subject(here, one), "team": here.state.teams[one.team].name,
         "state": _state(box, one.name)}
        for one in every
    ]  # fmt: skip
    return shown(request, "notices", rows=told, mails=is_sending(), waiting=len(notices.waiting(here)))


def _subject(here: Campaign, notice: notices.Notice) -> str:
    """What a notice is about; that it is about this campaign is clear here."""
    return notice.subject.removeprefix(f"{here.protocol.title}: ")


def _state(box: Path, name: str) -> str:
    if (box / "sent" / f"{name}.eml").exists():
        return "sent"
    return "waits" if (box / f"{name}.eml").exists() else "no letter"


@require_POST
@answering
def send(request: HttpRequest) -> HttpResponse:
    """Try again to send what waits."""
    organiser(request)
    if not is_sending():
        raise UsageError("this server sends no letters: start it with AUNE_MAIL and AUNE_SENDER set")
    wanted(MAIL, "outbox")
    return redirect("/campaign/notices")
