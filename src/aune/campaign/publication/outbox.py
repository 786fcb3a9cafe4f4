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
import secrets
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
from aune.campaign.protocol.deadlines import now, parse_timestamp
from aune.campaign.publication.notices import Notice, Recipient, visible_notices
from aune.errors import UsageError
from aune.files import write_atomically
from aune.privacy import make_private_folder

Addresses = Callable[[Campaign, Recipient], Sequence[str]]
Deliver = Callable[[EmailMessage], object]
PERMANENT = 500  # codes of a mail server from here on say that it is of no use to try again


class Refusal(NamedTuple):
    """A letter that the mail server refuses for good."""

    name: str
    address: str
    subject: str
    why: str


def member_addresses(campaign: Campaign, recipient: Recipient) -> list[str]:
    """The members of a team that are given by their addresses."""
    team = campaign.state.teams.get(recipient.viewer.team)
    return [member for member in team.members if member.isprintable() and "@" in parseaddr(member)[1]] if team else []


SINCE = "since"
"""The file that says from which entry of the ledger on letters tell."""


def write_letters(
    campaign: Campaign, sender: str, addresses: Addresses = member_addresses, home: str = ""
) -> list[Path]:
    """The letters that wait, with those that are new, for readers with an address; the first call begins with now.

    `home` is the address of the server that their links lead to.
    """
    box = campaign.folder / "outbox"
    since = box / SINCE
    if not since.exists():
        start_outbox(campaign)
    for notice in visible_notices(campaign, int(since.read_text())):
        if not letter_state(campaign, notice.name):
            for number, address in reversed(list(enumerate(addresses(campaign, notice.to)))):  # the first one vouches
                name = f"{notice.name}.{number}" if number else notice.name
                write_atomically(
                    box / f"{name}.eml",
                    compose_letter(campaign, notice, name, sender, address, home).as_bytes(),
                    private=True,
                )
    return waiting_letters(campaign)


def start_outbox(campaign: Campaign) -> None:
    """Let letters tell what happens from now on."""
    box = campaign.folder / "outbox"
    for folder in ("", "sent", "refused"):
        make_private_folder(box / folder)
    write_atomically(box / SINCE, str(len(campaign.entries)).encode(), private=True)


def letter_state(campaign: Campaign, name: str) -> str:
    """What became of the letters of a notice: they wait, were sent or refused; nothing where there are none."""
    box = campaign.folder / "outbox"
    where = {"waits": box, "sent": box / "sent", "refused": box / "refused"}
    return next((label for label, folder in where.items() if (folder / f"{name}.eml").exists()), "")


def letters_to(campaign: Campaign, address: str) -> list[Path]:
    """All letters to an address that are kept: those that wait, were sent or were refused."""
    box = campaign.folder / "outbox"
    paths = [path for folder in (box, box / "sent", box / "refused") for path in sorted(folder.glob("*.eml"))]
    return [path for path in paths if parseaddr(str(_read(path)["To"]))[1].casefold() == address.casefold()]


def waiting_letters(campaign: Campaign) -> list[Path]:
    """The letters that were written and not sent."""
    return sorted((campaign.folder / "outbox").glob("*.eml"))


EPHEMERAL = "once-"
"""How the names of letters begin that hold a secret: they are not kept once they are sent."""


def write_secret_letter(campaign: Campaign, sender: str, to: str, subject: str, text: str) -> None:
    """Let a letter wait that only its reader may read: an invitation, or the question whose address this is."""
    box = campaign.folder / "outbox"
    if not (box / SINCE).exists():
        start_outbox(campaign)
    name = f"{EPHEMERAL}{secrets.token_hex(8)}"
    message = _new_letter(campaign, name, sender, to, f"{campaign.protocol.title}: {subject}")
    message["Date"] = format_datetime(now())
    message.set_content(text)
    write_atomically(box / f"{name}.eml", message.as_bytes(), private=True)


def _new_letter(campaign: Campaign, name: str, sender: str, to: str, subject: str) -> EmailMessage:
    message = EmailMessage(SMTPUTF8)
    message["From"], message["To"] = sender, to
    message["Subject"] = " ".join(subject.split())
    message["Message-ID"] = f"<{campaign.protocol.name}.{name}@{parseaddr(sender)[1].rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    return message


def compose_letter(campaign: Campaign, notice: Notice, name: str, sender: str, to: str, home: str = "") -> EmailMessage:
    """A notice as a letter. Sent twice it is the same letter, by its id."""
    message = _new_letter(campaign, name, sender, to, notice.subject)
    message["Date"] = format_datetime(parse_timestamp(notice.time))
    message.set_content(f"{notice.text}\n{home}{notice.link}\n" if home else notice.text)
    return message


LETTER_ERRORS = (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPNotSupportedError, UnicodeError)
"""What a mail server, or the library, says of one letter; anything else is about all."""


def send_letters(campaign: Campaign, deliver: Deliver) -> int:
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
        for path in waiting_letters(campaign):
            try:
                deliver(_read(path))
            except LETTER_ERRORS as error:  # one bad address must not keep all others waiting
                code, why = _refusal_code(error)
                (never if code >= PERMANENT else later).append(f"{path.name}: {why}")
                if code >= PERMANENT:
                    write_atomically(box / "refused" / f"{path.stem}.txt", why.encode())
                    path.rename(box / "refused" / path.name)
                continue
            if path.name.startswith(EPHEMERAL):
                path.unlink()
            else:
                path.rename(box / "sent" / path.name)
            delivered += 1
    if later or never:
        waits = f"{len(later)} wait" if later else "none waits"
        first = next(iter([*never, *later]))
        raise UsageError(f"{delivered} sent, {len(never)} refused for good, {waits}: first {first}")
    return delivered


def _refusal_code(error: Exception) -> tuple[int, str]:
    """The code that a mail server gave to a letter, and its words; one that cannot be sent at all never can."""
    words: bytes | str
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        [(code, words)] = error.recipients.values()
    elif isinstance(error, smtplib.SMTPDataError):
        code, words = error.smtp_code, error.smtp_error
    else:
        return PERMANENT, str(error)
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return code, f"{code} {' '.join(text.split())}"


def _read(path: Path) -> EmailMessage:
    return BytesParser(EmailMessage, policy=SMTP).parsebytes(path.read_bytes())


def refused_letters(campaign: Campaign) -> list[Refusal]:
    """The letters that the mail server refuses for good, the newest first."""
    rows = []
    for path in sorted((campaign.folder / "outbox" / "refused").glob("*.eml"), reverse=True):
        message, why = _read(path), path.with_suffix(".txt")
        reason = why.read_text("utf-8") if why.exists() else ""
        rows.append(Refusal(path.stem, str(message["To"]), str(message["Subject"]), reason))
    return rows


def retry_refused(campaign: Campaign) -> int:
    """How many letters that were refused wait again: an address was wrong, or the mail server."""
    box, number = campaign.folder / "outbox", 0
    for path in (box / "refused").glob("*.eml"):
        path.with_suffix(".txt").unlink(missing_ok=True)
        path.rename(box / path.name)
        number += 1
    return number


@contextmanager
def smtp_delivery(server: str, user: str = "", password: str = "") -> Iterator[Deliver]:
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
