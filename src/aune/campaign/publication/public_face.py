"""What the organiser publishes and sends besides the texts: the description, files, messages to teams.

description   Markdown, of which the newest version is shown
files         guidelines, audio, lexica: from a phase on, for everyone or for teams, perhaps only under the licence
messages      notices to all teams or to some
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.ledger.state import BASELINE, Attachment
from aune.campaign.protocol.phases import PHASES, has_reached
from aune.campaign.protocol.protocol_file import NAME_PATTERN
from aune.campaign.protocol.visibility import ORGANISER, PARTICIPANT, Viewer
from aune.errors import UsageError, make_visible

LONGEST_DESCRIPTION = 100_000  # characters
LONGEST_MESSAGE = 20_000  # characters
MOST_FILES = 200
EVERYBODY_GETS, TEAMS_GET = "everybody", "teams"


def set_description(campaign: Campaign, text: str, author: str = "organiser") -> None:
    """Replace the description of the campaign, in Markdown."""
    if len(text) > LONGEST_DESCRIPTION:
        raise UsageError(f"the description has {len(text):,} letters, expected {LONGEST_DESCRIPTION:,} at most")
    with campaign.writing() as writer:
        if text != read_description(campaign):
            writer.append("about", {"digest": campaign.store.add(text.encode()), "author": author})


def read_description(campaign: Campaign) -> str:
    """The description of the campaign; '' if there is none."""
    return campaign.store.get(campaign.state.about).decode() if campaign.state.about else ""


DOI = re.compile(r"10\.\d{4,9}/[^\s<>\"]{1,200}")


def set_doi(campaign: Campaign, doi: str, author: str = "organiser") -> None:
    """Record the DOI of the archive; a DOI reserved beforehand is also written into the archive."""
    doi = doi.strip().removeprefix("https://doi.org/").removeprefix("doi:")
    if not DOI.fullmatch(doi):
        raise UsageError(f"the DOI {doi!r}: expected one such as 10.5281/zenodo.1234567")
    with campaign.writing() as writer:
        if campaign.state.doi != doi:
            writer.append("doi", {"doi": doi, "author": author})


def attach_file(
    campaign: Campaign, name: str, file: str, content: Iterable[bytes], *, title: str = "", phase: str = PHASES[0],
    audience: str = EVERYBODY_GETS, licence: bool = False, author: str = "organiser",
) -> Attachment:  # fmt: skip
    """Offer a file from a phase on; it replaces a file of the same name."""
    if not NAME_PATTERN.fullmatch(name):
        raise UsageError(f"the name {name!r}: expected letters, digits, '.', '_' and '-'")
    if not file or file in (".", "..") or "/" in file or "\\" in file or make_visible(file) != file or len(file) > 200:
        raise UsageError(f"the file {file!r}: expected a plain name")
    if phase not in campaign.protocol.phases:
        raise UsageError(f"no phase {phase!r}: expected one of {', '.join(campaign.protocol.phases)}")
    if audience not in (EVERYBODY_GETS, TEAMS_GET):
        raise UsageError(f"{audience!r}: expected {EVERYBODY_GETS} or {TEAMS_GET}")
    if licence and (audience == EVERYBODY_GETS or not campaign.protocol.licence):
        raise UsageError("only teams accept a licence, where the protocol names one: offer the file to teams")
    most = campaign.protocol.limits.upload
    with campaign.store.receive(content, most, file) as incoming, campaign.writing() as writer:
        known = campaign.state.attachments
        if name not in known and len(known) >= MOST_FILES:
            raise UsageError(f"there are {MOST_FILES} files already: remove one first, or pack some together")
        size = incoming.partial.stat().st_size
        attachment = Attachment(
            name, " ".join(title.split())[:200] or name, file, incoming.keep(), size, phase, audience, licence
        )
        if known.get(name) != attachment:
            writer.append("attached", {**attachment._asdict(), "author": author})
    return attachment


def detach_file(campaign: Campaign, name: str, author: str = "organiser") -> None:
    """Stop offering a file."""
    with campaign.writing() as writer:
        if name not in campaign.state.attachments:
            raise UsageError(f"no file {name!r}: expected one of {', '.join(campaign.state.attachments) or 'none'}")
        writer.append("detached", {"name": name, "author": author})


def may_see_file(campaign: Campaign, viewer: Viewer, attachment: Attachment) -> bool:
    """Whether a viewer may see a file now."""
    if viewer.role == ORGANISER:
        return True
    thing = "public files" if attachment.audience == EVERYBODY_GETS else "team files"
    return has_reached(campaign.phase, attachment.phase) and campaign.may_see(viewer, thing)


def visible_files(campaign: Campaign, viewer: Viewer) -> list[Attachment]:
    """The files that a viewer may see, sorted by title."""
    files = (file for file in campaign.state.attachments.values() if may_see_file(campaign, viewer, file))
    return sorted(files, key=lambda file: (file.title, file.name))


def find_file(campaign: Campaign, viewer: Viewer, name: str) -> Attachment:
    """A file that a viewer may download; refused if its licence was not accepted."""
    attachment = campaign.state.attachments.get(name)
    if attachment is None or not may_see_file(campaign, viewer, attachment):
        raise NotVisibleError(name)
    if attachment.licence and viewer.role == PARTICIPANT and not campaign.team(viewer.team).licence:
        raise UsageError("the licence of the texts was not accepted: accept it first")
    return attachment


def send_message(
    campaign: Campaign, subject: str, text: str, teams: Sequence[str] = (), author: str = "organiser"
) -> None:
    """Send a message to some teams, by default to all that have not withdrawn."""
    subject, text = " ".join(subject.split()), text.strip()
    if not subject or not text:
        raise UsageError("expected a subject and a text")
    if len(subject) > 200 or len(text) > LONGEST_MESSAGE:
        raise UsageError(f"expected a subject of 200 letters and a text of {LONGEST_MESSAGE:,} at most")
    ids = [campaign.team(team).id for team in teams] or [
        team.id for team in campaign.state.teams.values() if team.kind != BASELINE and not team.withdrawn
    ]
    if not ids:
        raise UsageError("there is no team to write to")
    campaign.append("message", {"teams": ids, "subject": subject, "text": text, "author": author})
