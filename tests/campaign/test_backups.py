from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.backups import backed_up, restored
from aune.campaign.campaign import Campaign
from aune.campaign.jobs import work
from aune.campaign.records import Team
from aune.core.errors import InputError, UsageError


def test_a_backup_is_put_back_and_goes_on(campaign: Campaign, team: Callable[..., Team], tmp_path: Path) -> None:
    one = team(campaign, "one")
    receipt = campaign.receive(one.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    assert backed_up(campaign, tmp_path / "backup.tar.gz") > 8
    again = restored(tmp_path / "backup.tar.gz", tmp_path / "again")
    assert again.ledger.entries() == campaign.ledger.entries() and again.ledger.head == campaign.ledger.head
    assert work(again) == {"scored": 1}
    assert again.state.submissions[receipt.submission].state == "scored"
    with pytest.raises(UsageError, match="something already"):
        restored(tmp_path / "backup.tar.gz", tmp_path / "again")


def test_a_damaged_backup_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    backed_up(campaign, tmp_path / "backup.tar.gz")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "backup.tar.gz").read_bytes()[:200])
    with pytest.raises(InputError, match="damaged compressed data"):
        restored(tmp_path / "half.tar.gz", tmp_path / "half")
    (campaign.folder / "ledger.jsonl").write_bytes(
        b"".join((campaign.folder / "ledger.jsonl").read_bytes().splitlines(True)[1:])
    )
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as archive:
        archive.add(campaign.folder, ".")
    with pytest.raises(InputError, match="damaged backup"):
        restored(tmp_path / "bad.tar.gz", tmp_path / "bad")
