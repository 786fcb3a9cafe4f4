"""The outbox: notices as letters, each to one address, under unique names so that none is written twice.

    outbox/since             the number of the entry from which on letters are written
    outbox/NAME.eml          a waiting letter
    outbox/sent/NAME.eml     a sent letter
    outbox/refused/NAME.eml  a letter that the mail server refused permanently, with the reason in NAME.txt

After a permanent refusal there is no retry: an address may be wrong. The caller and the organiser get a report, and
the organiser can have the letter sent again.
"""

from __future__ import annotations

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
from aune.files import lock_file, write_atomically
from aune.privacy import make_private_folder

Addresses = Callable[[Campaign, Recipient], Sequence[str]]
Deliver = Callable[[EmailMessage], object]
PERMANENT = 500  # codes of a mail server from here on mean that a retry is useless


class Refusal(NamedTuple):
    """A letter that the mail server refused permanently."""

    name: str
    address: str
    subject: str
    why: str


def member_addresses(campaign: Campaign, recipient: Recipient) -> list[str]:
    """The members of a team whose names are e-mail addresses."""
    team = campaign.state.teams.get(recipient.viewer.team)
    return [member for member in team.members if member.isprintable() and "@" in parseaddr(member)[1]] if team else []


SINCE = "since"
"""The file with the number of the entry from which on letters are written."""


def write_letters(
    campaign: Campaign, sender: str, addresses: Addresses = member_addresses, home: str = ""
) -> list[Path]:
    """Write new letters and return all waiting ones. The first call starts the outbox: it writes no old notices.

    `home` is the address of the server, for links in the letters.
    """
    box = campaign.folder / "outbox"
    since = box / SINCE
    if not since.exists():
        start_outbox(campaign)
    for notice in visible_notices(campaign, int(since.read_text())):
        if not letter_state(campaign, notice.name):
            for number, address in reversed(list(enumerate(addresses(campaign, notice.to)))):  # 0 last: all are written
                name = f"{notice.name}.{number}" if number else notice.name
                write_atomically(
                    box / f"{name}.eml",
                    compose_letter(campaign, notice, name, sender, address, home).as_bytes(),
                    private=True,
                )
    return waiting_letters(campaign)


def start_outbox(campaign: Campaign) -> None:
    """Create the outbox; only entries from now on are written as letters."""
    box = campaign.folder / "outbox"
    for folder in ("", "sent", "refused"):
        make_private_folder(box / folder)
    write_atomically(box / SINCE, str(len(campaign.entries)).encode(), private=True)


def letter_state(campaign: Campaign, name: str) -> str:
    """Whether the letters of a notice wait, were sent or refused; '' if there are none."""
    box = campaign.folder / "outbox"
    where = {"waits": box, "sent": box / "sent", "refused": box / "refused"}
    return next((label for label, folder in where.items() if (folder / f"{name}.eml").exists()), "")


def letters_to(campaign: Campaign, address: str) -> list[Path]:
    """All stored letters to an address: waiting, sent or refused."""
    box = campaign.folder / "outbox"
    paths = [path for folder in (box, box / "sent", box / "refused") for path in sorted(folder.glob("*.eml"))]
    return [path for path in paths if parseaddr(str(_read(path)["To"]))[1].casefold() == address.casefold()]


def waiting_letters(campaign: Campaign) -> list[Path]:
    """The letters that were written and not sent yet."""
    return sorted((campaign.folder / "outbox").glob("*.eml"))


EPHEMERAL = "once-"
"""The prefix of letters that contain a secret: they are deleted once they are sent."""


def write_secret_letter(campaign: Campaign, sender: str, to: str, subject: str, text: str) -> None:
    """Write a letter that only its recipient may read, such as an invitation or the check of an address."""
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
    """A notice as a letter. Its id stays the same if it is sent twice."""
    message = _new_letter(campaign, name, sender, to, notice.subject)
    message["Date"] = format_datetime(parse_timestamp(notice.time))
    message.set_content(f"{notice.text}\n{home}{notice.link}\n" if home else notice.text)
    return message


LETTER_ERRORS = (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, smtplib.SMTPNotSupportedError, UnicodeError)
"""Errors of the mail server or the library about one letter; any other error concerns all letters."""


def send_letters(campaign: Campaign, deliver: Deliver) -> int:
    """Deliver the waiting letters, in one process at a time; returns how many. Raises UsageError if any were refused.

    Letters refused temporarily wait; letters refused permanently are moved aside.
    """
    delivered = 0
    box = campaign.folder / "outbox"
    if not box.is_dir():
        return 0
    later: list[str] = []
    never: list[str] = []
    with (box / ".lock").open("w") as lock:
        lock_file(lock.fileno())
        for path in waiting_letters(campaign):
            try:
                deliver(_read(path))
            except LETTER_ERRORS as error:  # one bad address must not stop all other letters
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
    """The mail server's code for a letter, and its message; a letter that cannot be sent at all counts as permanent."""
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
    """The letters that the mail server refused permanently, newest first."""
    rows = []
    for path in sorted((campaign.folder / "outbox" / "refused").glob("*.eml"), reverse=True):
        message, why = _read(path), path.with_suffix(".txt")
        reason = why.read_text("utf-8") if why.exists() else ""
        rows.append(Refusal(path.stem, str(message["To"]), str(message["Subject"]), reason))
    return rows


def retry_refused(campaign: Campaign) -> int:
    """Let refused letters wait again, after the address or the server was corrected; returns how many."""
    box, number = campaign.folder / "outbox", 0
    for path in (box / "refused").glob("*.eml"):
        path.with_suffix(".txt").unlink(missing_ok=True)
        path.rename(box / path.name)
        number += 1
    return number


@contextmanager
def smtp_delivery(server: str, user: str = "", password: str = "") -> Iterator[Deliver]:
    """A function that delivers letters by a mail server (`host` or `host:port`), encrypted if the server supports it.

    The password is only sent to a server whose certificate is valid for that name.
    """
    host, _, port = server.rpartition(":") if server.rpartition(":")[2].isdigit() else (server, "", "")
    try:
        with smtplib.SMTP(host, int(port or 25), timeout=30) as connection:
            connection.ehlo_or_helo_if_needed()  # afterwards, its extensions are known
            if connection.has_extn("starttls") or user:
                connection.starttls(context=ssl.create_default_context() if user else None)
            if user:
                connection.login(user, password)
            yield connection.send_message
    except (OSError, smtplib.SMTPException) as error:
        raise UsageError(f"{server}: the letters that wait were not all sent ({error})") from None
