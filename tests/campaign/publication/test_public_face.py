"""The description, files and messages: who gets them, and that an archive has what everybody got."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.notices import newest_notices, team_recipient
from aune.campaign.publication.outbox import write_letters
from aune.campaign.publication.public_face import (
    LONGEST_DESCRIPTION,
    attach_file,
    detach_file,
    find_file,
    read_description,
    send_message,
    set_description,
    visible_files,
)
from aune.errors import InputError, UsageError

Registering = Callable[..., Team]


def test_files_are_there_for_those_they_are_for(campaign: Campaign, team: Registering) -> None:
    licensed, other = Viewer("participant", team(campaign, "one").id), campaign.register("two")
    attach_file(campaign, "guide", "guide.pdf", [b"how ", b"to"], title="The  guidelines")
    attach_file(campaign, "audio", "audio.zip", [b"sounds"], audience="teams", licence=True)
    attach_file(campaign, "later", "later.txt", [b"later"], phase="test")
    assert [file.name for file in visible_files(campaign, EVERYBODY)] == ["guide"]
    assert [file.title for file in visible_files(campaign, licensed)] == ["The guidelines", "audio"]
    assert len(visible_files(campaign, THE_ORGANISER)) == 3
    assert campaign.store.get(find_file(campaign, licensed, "audio").digest) == b"sounds"
    with pytest.raises(UsageError, match="licence"):
        find_file(campaign, Viewer("participant", other.id), "audio")
    for viewer, name in ((EVERYBODY, "audio"), (licensed, "later"), (EVERYBODY, "nothing")):
        with pytest.raises(NotVisibleError):
            find_file(campaign, viewer, name)
    entries = len(campaign.entries)
    attach_file(campaign, "guide", "guide.pdf", [b"how to"], title="The guidelines")
    assert len(campaign.entries) == entries, "the same file again is nothing new"
    detach_file(campaign, "guide")
    assert visible_files(campaign, EVERYBODY) == []


@pytest.mark.parametrize(
    ("name", "file", "settings", "problem"),
    [
        ("../x", "a", {}, "letters, digits"), ("x", "../a", {}, "plain name"), ("x", "..", {}, "plain name"),
        ("x", "a\nb", {}, "plain name"), ("x", "a", {"phase": "never"}, "no phase"),
        ("x", "a", {"audience": "nobody"}, "everybody or teams"),
        ("x", "a", {"licence": True}, "offer the file to teams"),
    ],
)  # fmt: skip
def test_what_is_no_file_is_refused(
    campaign: Campaign, name: str, file: str, settings: dict[str, str], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        attach_file(campaign, name, file, [b"x"], **settings)  # type: ignore[arg-type]


def test_a_file_may_be_too_large(campaign: Campaign) -> None:
    protocol = campaign.folder / "campaign.toml"
    protocol.write_text(protocol.read_text("utf-8").replace("upload = 100000000", "upload = 10"), "utf-8")
    with pytest.raises(InputError, match="more than 10 bytes"):
        attach_file(campaign, "x", "x.txt", [b"x" * 11])


def test_a_message_is_a_notice_and_a_letter_with_a_link(campaign: Campaign, team: Registering) -> None:
    first_team = campaign.register("one", members=["Ann <ann@example.org>"])
    two = team(campaign, "two")
    write_letters(campaign, "us@example.org")
    send_message(campaign, "The  room", "It is B 12.\n", author="Ann")
    send_message(campaign, "To you", "alone", [two.id])
    notices = newest_notices(campaign, team_recipient(first_team.id))
    assert notices[0].subject == "demo: The room" and "B 12" in notices[0].text
    assert newest_notices(campaign, team_recipient(two.id))[0].subject == "demo: To you"
    [letter] = write_letters(campaign, "us@example.org", home="https://campaign.example.org")
    assert "https://campaign.example.org/campaign/notices" in letter.read_text("utf-8")
    for subject, text in (("", "x"), ("x", " ")):
        with pytest.raises(UsageError, match="a subject and a text"):
            send_message(campaign, subject, text)


def test_an_archive_has_what_everybody_got(campaign: Campaign, team: Registering, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="letters"):
        set_description(campaign, "x" * (LONGEST_DESCRIPTION + 1))
    set_description(campaign, "# First")
    set_description(campaign, "# The task")
    assert read_description(campaign) == "# The task"
    attach_file(campaign, "guide", "the guide.txt", [b"how to"])
    attach_file(campaign, "audio", "audio.zip", [b"sounds"], audience="teams")
    for phase in ("dry adjudication", "test", "test adjudication", "publication", "archive"):
        campaign.begin_phase(phase)
    target = tmp_path / "archive"
    write_archive(campaign, target)
    assert verify_folder(target).problems == []
    assert (target / "description.md").read_text("utf-8") == "# The task"
    assert (target / "files/guide/the guide.txt").read_bytes() == b"how to"
    assert "files/guide/the%20guide.txt" in (target / "index.html").read_text("utf-8")
    assert b"sounds" not in b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    data = json.loads((target / "archive.json").read_bytes())
    assert [file["name"] for file in data["files"]] == ["guide"]
    assert verify_folder(campaign.folder).problems == []
