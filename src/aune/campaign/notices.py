"""Notices to teams: what they would read on their own page, as letters. Each asks the policy when it is written.

A notice is made from an entry of the ledger, for the team that the entry is about or for all teams. Nothing else keeps
it: the outbox is a folder of letters, each with a name of its own, so that none is written twice.

    outbox/since          the entry from which on notices are written
    outbox/NAME.eml       a letter that waits
    outbox/sent/NAME.eml  one that was sent
"""

from __future__ import annotations

import fcntl
import smtplib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.instants import shown, unstamped
from aune.campaign.phases import MEANING
from aune.campaign.policy import PARTICIPANT, Viewer
from aune.campaign.records import BASELINE, FAULT, SCORED, Team
from aune.core.errors import UsageError
from aune.core.files import write_whole

MOST_PROBLEMS = 20


class Notice(NamedTuple):
    """A notice to one team."""

    name: str
    """Of the entry and the team: the same notice has the same name for ever."""
    team: str
    time: str
    subject: str
    text: str


def notices(campaign: Campaign, first: int = 0, to: str | None = None) -> Iterator[Notice]:
    """All notices about what happened since an entry, as they may be told now; those to one team where it is named."""
    title = campaign.protocol.title
    told: set[str] = set()
    for entry in campaign.ledger.entries():
        said = entry.details or {}
        if entry.kind == "ended":  # once for each run: new keys are told to all
            if said["submission"] in told:
                continue
            told.add(said["submission"])
        if entry.position < first or entry.kind not in TOLD:
            continue
        for team in _concerned(campaign, entry.kind, said):
            if to not in (None, team.id):
                continue
            letter = TOLD[entry.kind](campaign, Viewer(PARTICIPANT, team.id), said)
            if letter:
                subject, text = letter
                name = f"{entry.position:06}-{team.id}"
                yield Notice(name, team.id, entry.time, f"{title}: {subject}", f"{text}\n")


def of_team(campaign: Campaign, team: str) -> list[Notice]:
    """The notices to a team, the newest first."""
    return list(notices(campaign, to=campaign.team(team).id))[::-1]


def _concerned(campaign: Campaign, kind: str, said: Mapping[str, Any]) -> Sequence[Team]:
    """The teams that an entry is told to."""
    state = campaign.state
    if kind in ("submission", "ended"):
        owner = state.submissions[said["submission"]].team
    elif kind == "decision":
        owner = state.disputes[said["dispute"]].team
    else:
        return [team for team in state.teams.values() if team.kind != BASELINE and not team.withdrawn]
    return [state.teams[owner]] if owner in state.teams and state.teams[owner].kind != BASELINE else []


Letter = tuple[str, str] | None
"""A subject and a text; None where there is nothing to tell."""


def _received(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "receipts", said["team"]):
        return None
    [receipt] = [one for one in campaign.receipts(viewer, said["team"]) if one.submission == said["submission"]]
    lines = [f"{name}: {value}" for name, value in receipt._asdict().items()]
    return f"received {receipt.run} for {receipt.dataset}", "\n".join(["Keep this receipt.", "", *lines])


def _scored(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "validity", campaign.state.submissions[said["submission"]].team):
        return None
    status = campaign.status(viewer, said["submission"])
    what = {SCORED: "is valid", FAULT: "could not be scored, by our fault"}.get(status["state"], "is not valid")
    problems = status.get("problems", [])
    lines = [f"{path}:{line}:{column}: {message}" for path, line, column, message in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"… and {len(problems) - MOST_PROBLEMS} more problems")
    lines += status.get("notes", [])
    for score in status.get("scores", ()):
        lines += [f"{score['measure']} {name}: {_number(value)}" for name, value in score["values"].items()]
    about = f"{status['run']} for {status['dataset']}"
    return f"{about} {what}", "\n".join([f"The run {about} ({status['submission']}) {what}.", "", *lines])


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _phase(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    phase, plan = said["phase"], campaign.protocol
    head = next((one["head"] for one in campaign.heads() if one["phase"] == phase), "")
    lines = [f"The phase {phase} has begun: {MEANING[phase]}."]
    if phase in plan.deadlines:
        lines.append(f"It ends on {shown(plan.deadlines[phase], plan.zone)}.")
    return f"{phase} has begun", "\n".join([*lines, f"The head of the ledger is {head}."])


def _decided(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    one = campaign.state.disputes[said["dispute"]]
    if not campaign.may(viewer, "own disputes", one.team):
        return None
    text = (
        f"Your dispute {one.id} about {one.document} in {one.dataset} was {one.decision} by {one.author}:\n{one.reason}"
    )
    return f"your dispute was {one.decision}", text


def _new_key(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if said["version"] == 1 or not campaign.may(viewer, "decisions"):
        return None
    number = len(said["disputes"])
    text = (
        f"The key of {said['dataset']} has the version {said['version']}, with {number} accepted "
        f"dispute{'s' * (number != 1)}. Every run is scored again by it; what was before is kept."
    )
    return f"a new key of {said['dataset']}", text


def _new_protocol(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "protocol"):
        return None
    text = f"The protocol has the version {said['version']}, by {said['author']}:\n{said['reason']}\n{said['digest']}"
    return f"the protocol, version {said['version']}", text


TOLD: Mapping[str, Callable[[Campaign, Viewer, Mapping[str, Any]], Letter]] = {
    "submission": _received,
    "ended": _scored,
    "phase": _phase,
    "decision": _decided,
    "key": _new_key,
    "protocol": _new_protocol,
}
"""What is told of each kind of entry."""


# The outbox.


def addresses_of(team: Team) -> list[str]:
    """The members of a team that are given by their addresses."""
    return [member for member in team.members if "@" in parseaddr(member)[1]]


def written(
    campaign: Campaign, sender: str, addresses: Callable[[Team], Sequence[str]] = addresses_of
) -> list[Path]:  # fmt: skip
    """The letters that wait, with those that are new, for teams with an address; the first call begins with now."""
    box = campaign.folder / "outbox"
    (box / "sent").mkdir(parents=True, exist_ok=True)
    since = box / "since"
    if not since.exists():
        write_whole(since, str(len(campaign.ledger.entries())).encode())
    for one in notices(campaign, int(since.read_text())):
        to = addresses(campaign.state.teams[one.team])
        if to and not (box / f"{one.name}.eml").exists() and not (box / "sent" / f"{one.name}.eml").exists():
            write_whole(box / f"{one.name}.eml", letter(campaign, one, sender, to).as_bytes())
    return waiting(campaign)


def waiting(campaign: Campaign) -> list[Path]:
    """The letters that were written and not sent."""
    return sorted((campaign.folder / "outbox").glob("*.eml"))


def letter(campaign: Campaign, notice: Notice, sender: str, to: Sequence[str]) -> EmailMessage:
    """A notice as a letter. Sent twice it is the same letter, by its id."""
    message = EmailMessage(SMTPUTF8)
    message["From"], message["To"] = sender, ", ".join(to)
    message["Subject"] = " ".join(notice.subject.split())
    message["Date"] = format_datetime(unstamped(notice.time))
    message["Message-ID"] = f"<{campaign.protocol.name}.{notice.name}@{parseaddr(sender)[1].rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(notice.text)
    return message


def send(campaign: Campaign, deliver: Callable[[EmailMessage], None]) -> int:
    """Deliver the letters that wait, one process at a time; how many were delivered before one failed, if one did."""
    delivered = 0
    box = campaign.folder / "outbox"
    if not box.is_dir():
        return 0
    with (box / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in waiting(campaign):
            deliver(BytesParser(EmailMessage, policy=SMTP).parsebytes(path.read_bytes()))
            path.rename(box / "sent" / path.name)
            delivered += 1
    return delivered


@contextmanager
def smtp(server: str, user: str = "", password: str = "") -> Iterator[Callable[[EmailMessage], None]]:
    """What delivers letters by a mail server: `host` or `host:port`; encrypted where the server can."""
    host, _, port = server.rpartition(":") if server.rpartition(":")[2].isdigit() else (server, "", "")
    try:
        with smtplib.SMTP(host, int(port or 25), timeout=30) as connection:
            if connection.has_extn("starttls") or user:
                connection.starttls()
            if user:
                connection.login(user, password)
            yield lambda message: _delivered(connection, message)
    except (OSError, smtplib.SMTPException) as error:
        raise UsageError(f"{server}: the letters that wait were not all sent ({error})") from None


def _delivered(connection: smtplib.SMTP, message: EmailMessage) -> None:
    connection.send_message(message)
