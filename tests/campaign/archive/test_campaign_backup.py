from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive import campaign_backup
from aune.campaign.archive.campaign_backup import restore_backup, write_backup
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.runs.jobs import score_waiting
from aune.errors import InputError, UsageError


def test_a_backup_is_put_back_and_goes_on(campaign: Campaign, team: Callable[..., Team], tmp_path: Path) -> None:
    first_team = team(campaign, "one")
    receipt = campaign.receive(first_team.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    assert write_backup(campaign, tmp_path / "backup.tar.gz") > 8
    again = restore_backup(tmp_path / "backup.tar.gz", tmp_path / "again")
    assert again.ledger.entries() == campaign.ledger.entries() and again.ledger.head == campaign.ledger.head
    assert score_waiting(again) == {"scored": 1}
    assert again.state.submissions[receipt.submission].state == "scored"
    with pytest.raises(UsageError, match="something already"):
        restore_backup(tmp_path / "backup.tar.gz", tmp_path / "again")


def test_a_damaged_backup_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    write_backup(campaign, tmp_path / "backup.tar.gz")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "backup.tar.gz").read_bytes()[:200])
    with pytest.raises(InputError, match="damaged compressed data"):
        restore_backup(tmp_path / "half.tar.gz", tmp_path / "half")
    (campaign.folder / "ledger.jsonl").write_bytes(
        b"".join((campaign.folder / "ledger.jsonl").read_bytes().splitlines(True)[1:])
    )
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as archive:
        archive.add(campaign.folder, ".")
    with pytest.raises(InputError, match="damaged backup"):
        restore_backup(tmp_path / "bad.tar.gz", tmp_path / "bad")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("../out", tarfile.REGTYPE), ("/tmp/out", tarfile.REGTYPE), ("a\\b", tarfile.REGTYPE), ("keys/x", tarfile.SYMTYPE),
     ("keys/x", tarfile.LNKTYPE), ("keys/x", tarfile.FIFOTYPE), ("keys/x", tarfile.CHRTYPE)],
)  # fmt: skip
def test_a_backup_leads_nowhere_else(campaign: Campaign, tmp_path: Path, name: str, kind: bytes) -> None:
    """Neither by a path nor by a link that a file behind it would be written through."""
    write_backup(campaign, tmp_path / "backup.tar.gz")
    with tarfile.open(tmp_path / "backup.tar.gz") as good, tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as bad:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, str(tmp_path / "out")
        bad.addfile(entry)
        for member in good:
            bad.addfile(member, good.extractfile(member))
    with pytest.raises(InputError, match="found a link, a device or a path that leads out"):
        restore_backup(tmp_path / "bad.tar.gz", tmp_path / "new")
    assert not (tmp_path / "new").exists() and not (tmp_path / "out").exists()


def test_what_a_link_points_to_is_in_the_backup(campaign: Campaign, tmp_path: Path) -> None:
    key = campaign.folder / "keys" / "final.tsv"
    key.rename(tmp_path / "elsewhere.tsv")
    key.symlink_to(tmp_path / "elsewhere.tsv")
    write_backup(campaign, tmp_path / "backup.tar.gz")
    again = restore_backup(tmp_path / "backup.tar.gz", tmp_path / "again").folder / "keys" / "final.tsv"
    assert not again.is_symlink() and again.read_bytes() == key.read_bytes()


def test_writers_do_not_wait_for_a_backup(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 400 MB they waited for 20 seconds. What is written meanwhile is not in the backup, which is whole."""
    entries = len(campaign.entries)
    pack = campaign_backup._add_file
    later: list[str] = []

    def pack_slowly(*arguments: Any) -> bool:
        if not later:
            later.append(Campaign(campaign.folder).register("too late").id)
        return pack(*arguments)

    monkeypatch.setattr(campaign_backup, "_add_file", pack_slowly)
    campaign_backup.write_backup(campaign, tmp_path / "backup.tar.gz")
    assert later and len(campaign.entries) == entries + 1
    restored = campaign_backup.restore_backup(tmp_path / "backup.tar.gz", tmp_path / "restored")
    assert len(restored.entries) == entries
