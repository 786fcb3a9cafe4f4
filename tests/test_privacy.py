"""What a campaign or a site contains can be read by its owner alone, whatever the umask is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aune.campaign.archive.campaign_backup import restore_backup, write_backup
from aune.campaign.campaign import Campaign
from aune.campaign.publication.outbox import write_letters
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign, open_campaign
from aune.privacy import OTHERS, tighten_folder


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Under which everybody could write everything."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def used_campaign(tmp_path: Path) -> Campaign:
    """A campaign with a run, a result and a letter."""
    campaign = create_campaign(tmp_path / "campaign", "demo", "tagging")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    team = campaign.register("Ann", members=["Ann <ann@example.org>"])
    campaign.accept_licence(team.id)
    write_letters(campaign, "campaign@example.org")
    campaign.receive(team.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    score_waiting(campaign)
    assert write_letters(campaign, "campaign@example.org")
    return campaign


def exposed_files(folder: Path) -> list[str]:
    """What somebody else has a right to."""
    return [str(path) for path in (folder, *folder.rglob("*")) if path.stat().st_mode & OTHERS]


def test_a_campaign_is_for_its_owner_alone(used_campaign: Campaign) -> None:
    assert exposed_files(used_campaign.folder) == []


def test_a_backup_and_what_is_restored_are_for_their_owner_alone(used_campaign: Campaign, tmp_path: Path) -> None:
    target = tmp_path / "backup.tar.gz"
    target.write_bytes(b"an older backup, which everybody may read")
    target.chmod(0o644)
    write_backup(used_campaign, target)
    assert target.stat().st_mode & 0o777 == 0o600
    assert exposed_files(restore_backup(target, tmp_path / "restored").folder) == []


def test_older_folders_are_tightened_when_they_are_opened(used_campaign: Campaign) -> None:
    folder = used_campaign.folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    notes: list[str] = []
    open_campaign(folder, notes.append)
    assert exposed_files(folder) == [str(folder / "licence.txt")], (
        "which everybody gets anyway, in a folder nobody enters"
    )
    [note] = notes
    assert "could be read by other users" in note
    open_campaign(folder, notes.append)
    assert notes == [note], "a note is given once"


def test_links_and_what_is_not_ours_stay(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o644)
    folder = tmp_path / "site"
    folder.mkdir(mode=0o700)
    (folder / "store").symlink_to(outside)
    assert tighten_folder(folder) == 0
    assert outside.stat().st_mode & 0o777 == 0o644
