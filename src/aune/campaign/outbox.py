"""The outbox: notices as letters, each to one address and with a name of its own, so that none is written twice.

    outbox/since             the entry from which on notices are written
    outbox/NAME.eml          a letter that waits
    outbox/sent/NAME.eml     one that was sent
    outbox/refused/NAME.eml  one that the mail server refuses for good, and why in NAME.txt

A refusal for good is no reason to try for ever: an address may be wrong. It is told to whoever asked for letters and to
the organiser, who can have it tried again.
"""

from __future__ import annotations

import fcntl
import smtplib
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.instants import unstamped
from aune.campaign.notices import Notice, Reader, notices
from aune.core.errors import UsageError
from aune.core.files import write_whole

Addresses = Callable[[Campaign, Reader], Sequence[str]]
Deliver = Callable[[EmailMessage], object]
FOR_GOOD = 500  # codes of a mail server from here on say that it is of no use to try again


class Refusal(NamedTuple):
    """A letter that the mail server refuses for good."""

    name: str
    address: str
    subject: str
    why: str


def addresses_of(campaign: Campaign, reader: Reader) -> list[str]:
    """The members of a team that are given by their addresses."""
    team = campaign.state.teams.get(reader.viewer.team)
    return [one for one in team.members if one.isprintable() and "@" in parseaddr(one)[1]] if team else []


SINCE = "since"
"""The file that says from which entry of the ledger on letters tell."""


def written(campaign: Campaign, sender: str, addresses: Addresses = addresses_of) -> list[Path]:
    """The letters that wait, with those that are new, for readers with an address; the first call begins with now."""
    box = campaign.folder / "outbox"
    since = box / SINCE
    if not since.exists():
        begun(campaign)
    for one in notices(campaign, int(since.read_text())):
        if not state(campaign, one.name):
            for number, address in reversed(list(enumerate(addresses(campaign, one.to)))):  # the first one vouches
                name = f"{one.name}.{number}" if number else one.name
                write_whole(box / f"{name}.eml", letter(campaign, one, name, sender, address).as_bytes())
    return waiting(campaign)


def begun(campaign: Campaign) -> None:
    """Let letters tell what happens from now on."""
    box = campaign.folder / "outbox"
    for folder in ("sent", "refused"):
        (box / folder).mkdir(parents=True, exist_ok=True)
    write_whole(box / SINCE, str(len(campaign.ledger.entries())).encode())


def state(campaign: Campaign, name: str) -> str:
    """What became of the letters of a notice: they wait, were sent or refused; nothing where there are none."""
    box = campaign.folder / "outbox"
    where = {"waits": box, "sent": box / "sent", "refused": box / "refused"}
    return next((found for found, folder in where.items() if (folder / f"{name}.eml").exists()), "")


def waiting(campaign: Campaign) -> list[Path]:
    """The letters that were written and not sent."""
    return sorted((campaign.folder / "outbox").glob("*.eml"))


def letter(campaign: Campaign, notice: Notice, name: str, sender: str, to: str) -> EmailMessage:
    """A notice as a letter. Sent twice it is the same letter, by its id."""
    message = EmailMessage(SMTPUTF8)
    message["From"], message["To"] = sender, to
    message["Subject"] = " ".join(notice.subject.split())
    message["Date"] = format_datetime(unstamped(notice.time))
    message["Message-ID"] = f"<{campaign.protocol.name}.{name}@{parseaddr(sender)[1].rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(notice.text)
    return message


ABOUT_ONE = (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPNotSupportedError, UnicodeError)
"""What a mail server, or the library, says of one letter; anything else is about all."""


def send(campaign: Campaign, deliver: Deliver) -> int:
    """Deliver the letters that wait, one process at a time; how many. Those that are refused are told.

    What is refused for now waits, what is refused for good is laid aside.
    """
    delivered = 0
    box = campaign.folder / "outbox"
    if not box.is_dir():
        return 0
    later: list[str] = []
    never: list[str] = []
    with (box / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in waiting(campaign):
            try:
                deliver(_read(path))
            except ABOUT_ONE as error:  # one bad address must not keep all others waiting
                code, why = _said(error)
                (never if code >= FOR_GOOD else later).append(f"{path.name}: {why}")
                if code >= FOR_GOOD:
                    write_whole(box / "refused" / f"{path.stem}.txt", why.encode())
                    path.rename(box / "refused" / path.name)
                continue
            path.rename(box / "sent" / path.name)
            delivered += 1
    if later or never:
        waits = f"{len(later)} wait" if later else "none waits"
        first = next(iter([*never, *later]))
        raise UsageError(f"{delivered} sent, {len(never)} refused for good, {waits}: first {first}")
    return delivered


def _said(error: Exception) -> tuple[int, str]:
    """The code that a mail server gave to a letter, and its words; one that cannot be sent at all never can."""
    words: bytes | str
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        [(code, words)] = error.recipients.values()
    elif isinstance(error, smtplib.SMTPDataError):
        code, words = error.smtp_code, error.smtp_error
    else:
        return FOR_GOOD, str(error)
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return code, f"{code} {' '.join(text.split())}"


def _read(path: Path) -> EmailMessage:
    return BytesParser(EmailMessage, policy=SMTP).parsebytes(path.read_bytes())


def refusals(campaign: Campaign) -> list[Refusal]:
    """The letters that the mail server refuses for good, the newest first."""
    found = []
    for path in sorted((campaign.folder / "outbox" / "refused").glob("*.eml"), reverse=True):
        sent, why = _read(path), path.with_suffix(".txt")
        said = why.read_text("utf-8") if why.exists() else ""
        found.append(Refusal(path.stem, str(sent["To"]), str(sent["Subject"]), said))
    return found


def tried_again(campaign: Campaign) -> int:
    """How many letters that were refused wait again: an address was wrong, or the mail server."""
    box, number = campaign.folder / "outbox", 0
    for path in (box / "refused").glob("*.eml"):
        path.with_suffix(".txt").unlink(missing_ok=True)
        path.rename(box / path.name)
        number += 1
    return number


@contextmanager
def smtp(server: str, user: str = "", password: str = "") -> Iterator[Deliver]:
    """What delivers letters by a mail server: `host` or `host:port`; encrypted where the server can.

    A password is given to nobody but the server of that name, as its certificate says.
    """
    host, _, port = server.rpartition(":") if server.rpartition(":")[2].isdigit() else (server, "", "")
    try:
        with smtplib.SMTP(host, int(port or 25), timeout=30) as connection:
            connection.ehlo_or_helo_if_needed()  # only then it has said what it can
            if connection.has_extn("starttls") or user:
                connection.starttls(context=ssl.create_default_context() if user else None)
            if user:
                connection.login(user, password)
            yield connection.send_message
    except (OSError, smtplib.SMTPException) as error:
        raise UsageError(f"{server}: the letters that wait were not all sent ({error})") from None
