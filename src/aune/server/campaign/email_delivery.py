"""Notices by email, if a mail server is configured and the recipient has given an address.

AUNE_MAIL      smtp://user:password@host:port, or smtp://host
AUNE_SENDER    the sender of the emails: GRACE <grace@example.org>
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from aune.campaign.campaign import Campaign
from aune.campaign.publication import notices, outbox
from aune.errors import UsageError
from aune.server.campaign.models import Address

LONGEST_EMAIL = 254
SERVER = re.compile(r"[\w.-]+(:\d+)?")


def check_email(email: str) -> None:
    """Refuse what is no e-mail address, or is longer than any."""
    try:
        validate_email(email)
    except ValidationError:
        raise UsageError(f"found {email[:80]!r}, expected an e-mail address") from None
    if len(email) > LONGEST_EMAIL:
        raise UsageError(f"found an e-mail address of {len(email)} letters, expected {LONGEST_EMAIL} at most")


class Mail(NamedTuple):
    """The configuration of email delivery."""

    server: str
    sender: str
    user: str = ""
    password: str = ""

    @classmethod
    def from_environment(cls) -> Mail | None:
        """The configuration in the environment; None if the server sends no emails."""
        address, sender = os.environ.get("AUNE_MAIL", ""), os.environ.get("AUNE_SENDER", "")
        if not address:
            return None
        parts = urlsplit(address)
        server = parts.netloc.rpartition("@")[2]
        if parts.scheme != "smtp" or not SERVER.fullmatch(server) or not sender:
            raise UsageError("AUNE_MAIL: expected smtp://user:password@host:port, and AUNE_SENDER with it")
        return cls(server, sender, unquote(parts.username or ""), unquote(parts.password or ""))


def recipient_addresses(here: Campaign, recipient: notices.Recipient) -> list[str]:
    """The email addresses of a recipient: the members of a team, the organisers, or an annotator."""
    rows = Address.objects.filter(account__is_active=True, confirmed=True)
    if recipient.viewer.team:
        rows = rows.filter(account__membership__team=recipient.viewer.team)
    elif recipient.account:
        rows = rows.filter(account__name=recipient.account)
    else:
        rows = rows.filter(account__role=recipient.viewer.role)
    return list(rows.order_by("email").values_list("email", flat=True))


def start_letters(here: Campaign) -> None:
    """When the first address is given, let emails report only what happens from now on."""
    if Mail.from_environment() and not Address.objects.exists():
        outbox.start_outbox(here)


def send_new_letters(here: Campaign, mail: Mail) -> int:
    """Write emails about new notices, send all waiting ones, and return how many were sent."""
    outbox.write_letters(here, mail.sender, recipient_addresses, settings.SITE.address)
    if not outbox.waiting_letters(here):
        return 0
    with outbox.smtp_delivery(mail.server, mail.user, mail.password) as deliver:
        return outbox.send_letters(here, deliver)


def is_sending() -> bool:
    """Whether this server sends emails."""
    return Mail.from_environment() is not None


def has_mail_server() -> bool:
    """Whether AUNE_MAIL is set, validly or not; otherwise no job for emails is needed."""
    return bool(os.environ.get("AUNE_MAIL"))
