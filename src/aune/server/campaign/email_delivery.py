"""Letters, where the server knows a mail server and somebody gave an address.

AUNE_MAIL      smtp://user:password@host:port, or smtp://host
AUNE_SENDER    who the letters are from: GRACE <grace@example.org>
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from django.conf import settings

from aune.campaign.campaign import Campaign
from aune.campaign.publication import notices, outbox
from aune.errors import UsageError
from aune.server.campaign.models import Address

SERVER = re.compile(r"[\w.-]+(:\d+)?")


class Mail(NamedTuple):
    """How letters are sent."""

    server: str
    sender: str
    user: str = ""
    password: str = ""

    @classmethod
    def from_environment(cls) -> Mail | None:
        """What the server was told; None where it sends no letters."""
        address, sender = os.environ.get("AUNE_MAIL", ""), os.environ.get("AUNE_SENDER", "")
        if not address:
            return None
        parts = urlsplit(address)
        server = parts.netloc.rpartition("@")[2]
        if parts.scheme != "smtp" or not SERVER.fullmatch(server) or not sender:
            raise UsageError("AUNE_MAIL: expected smtp://user:password@host:port, and AUNE_SENDER with it")
        return cls(server, sender, unquote(parts.username or ""), unquote(parts.password or ""))


def recipient_addresses(here: Campaign, recipient: notices.Recipient) -> list[str]:
    """Where a reader wants notices: the members of a team, the organisers, an annotator."""
    rows = Address.objects.filter(account__is_active=True, confirmed=True)
    if recipient.viewer.team:
        rows = rows.filter(account__membership__team=recipient.viewer.team)
    elif recipient.account:
        rows = rows.filter(account__name=recipient.account)
    else:
        rows = rows.filter(account__role=recipient.viewer.role)
    return list(rows.order_by("email").values_list("email", flat=True))


def start_letters(here: Campaign) -> None:
    """Letters tell what happens from now on, when somebody gives the first address."""
    if Mail.from_environment() and not Address.objects.exists():
        outbox.start_outbox(here)


def send_new_letters(here: Campaign, mail: Mail) -> int:
    """Write what is new, and send what waits; how many letters went out."""
    outbox.write_letters(here, mail.sender, recipient_addresses, settings.SITE.address)
    if not outbox.waiting_letters(here):
        return 0
    with outbox.smtp_delivery(mail.server, mail.user, mail.password) as deliver:
        return outbox.send_letters(here, deliver)


def is_sending() -> bool:
    """Whether this server sends letters."""
    return Mail.from_environment() is not None


def has_mail_server() -> bool:
    """Whether this server was told of a mail server, rightly or not: without one nobody need look for letters."""
    return bool(os.environ.get("AUNE_MAIL"))
