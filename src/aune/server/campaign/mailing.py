"""Notices to teams: on a page always, and as letters where the server knows a mail server and a member gave an address.

AUNE_MAIL      smtp://user:password@host:port, or smtp://host
AUNE_SENDER    who the letters are from: GRACE <grace@example.org>
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import notices
from aune.campaign.campaign import Campaign
from aune.campaign.policy import ORGANISER
from aune.campaign.records import Team
from aune.core.errors import UsageError
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.models import Membership
from aune.server.campaign.pages import shown
from aune.server.campaign.work import MAIL, wanted

NEWEST = 100  # notices on one page
SERVER = re.compile(r"[\w.-]+(:\d+)?")


class Mail(NamedTuple):
    """How letters are sent."""

    server: str
    sender: str
    user: str = ""
    password: str = ""

    @classmethod
    def of_environment(cls) -> Mail | None:
        """What the server was told; None where it sends no letters."""
        address, sender = os.environ.get("AUNE_MAIL", ""), os.environ.get("AUNE_SENDER", "")
        if not address:
            return None
        parts = urlsplit(address)
        server = parts.netloc.rpartition("@")[2]
        if parts.scheme != "smtp" or not SERVER.fullmatch(server) or not sender:
            raise UsageError("AUNE_MAIL: expected smtp://user:password@host:port, and AUNE_SENDER with it")
        return cls(server, sender, unquote(parts.username or ""), unquote(parts.password or ""))


def addresses(team: Team) -> list[str]:
    """Where the members of a team want their notices."""
    return list(Membership.objects.filter(team=team.id).exclude(email="").values_list("email", flat=True))


def begun(here: Campaign) -> None:
    """Letters tell what happens from now on, when somebody gives the first address."""
    if mail := Mail.of_environment():
        notices.written(here, mail.sender, addresses)


def sent(here: Campaign, mail: Mail) -> int:
    """Write what is new, and send what waits; how many letters went out."""
    notices.written(here, mail.sender, addresses)
    if not notices.waiting(here):
        return 0
    with notices.smtp(mail.server, mail.user, mail.password) as deliver:
        return notices.send(here, deliver)


@require_GET
@answering
def page(request: HttpRequest) -> HttpResponse:
    """A team's own notices; for the organiser those of all, and what became of the letters."""
    here, who = campaign(), viewer(request)
    if who.team:
        own = notices.of_team(here, who.team)
        return shown(request, "notices", rows=[{"notice": one} for one in own[:NEWEST]], mails=is_sending())
    if who.role != ORGANISER:
        raise Http404
    every = list(notices.notices(here))[-NEWEST:][::-1]
    box = here.folder / "outbox"
    rows = [
        {"notice": one, "team": here.state.teams[one.team].name, "state": _state(box, one.name)} for one in every
    ]  # fmt: skip
    return shown(request, "notices", rows=rows, mails=is_sending(), waiting=len(notices.waiting(here)))


def is_sending() -> bool:
    return Mail.of_environment() is not None


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
