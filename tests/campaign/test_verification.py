"""An archive can be verified by anybody, and no byte of it can be changed without being noticed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign import jobs
from aune.campaign.archive import archived, manifest
from aune.campaign.campaign import Campaign, NotYoursError, Receipt
from aune.campaign.disputes import decide, dispute, new_version
from aune.campaign.jobs import work
from aune.campaign.policy import THE_ORGANISER
from aune.campaign.starting import founded
from aune.campaign.verification import receipt_holds, verified
from aune.core.errors import UsageError

Made = tuple[Campaign, Path, Receipt]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A small campaign from the call to the archive, with a new version of the key."""
    room = tmp_path_factory.mktemp("archive")
    campaign = founded(room / "campaign", "demo", "tagging")
    teams = [campaign.register(name) for name in ("one", "two", "three")]
    for team in teams:
        campaign.accept_licence(team.id)
        campaign.consent(team.id, "named")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.go_to(phase)
    key = (campaign.folder / "keys/final.tsv").read_bytes()
    receipts = [
        campaign.receive(teams[0].id, "final", "run", "a.tsv", key),
        campaign.receive(teams[1].id, "final", "run", "a.tsv", key.replace(b"ADV", b"ADJ")),
        campaign.receive(teams[2].id, "final", "run", "a.tsv", key + b"# this is team three\n"),
    ]
    work(campaign)
    campaign.go_to("test adjudication")
    claim = dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": 4, "tags": "ADJ"}, "x")
    decide(campaign, claim.id, "accepted", "Ann", "so it is")
    new_version(campaign, "final")
    work(campaign)
    with pytest.raises(NotYoursError):
        archived(campaign, room / "archive")
    campaign.go_to("publication")
    campaign.validate(teams[0].id)
    campaign.go_to("archive")
    archived(campaign, room / "archive")
    return campaign, room / "archive", receipts[0]


def test_everything_holds(made: Made) -> None:
    campaign, folder, receipt = made
    report = verified(folder, receipt.head)
    assert report.problems == []
    assert receipt_holds(folder, receipt.position, receipt.head)
    assert not receipt_holds(folder, receipt.position + 1, receipt.head)
    assert verified(folder, "0" * 64).problems == ["ledger.jsonl: the head " + "0" * 64 + " is not in it"]
    assert campaign.state.archives[0]["files"] == len([path for path in folder.rglob("*") if path.is_file()]) - 1


def test_a_run_that_names_its_unnamed_team_is_withheld(made: Made) -> None:
    _, folder, _ = made
    data = json.loads((folder / "archive.json").read_bytes())
    assert sorted(one["withheld"] for one in data["runs"]) == [False, False, True]
    assert b"this is team three" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert any("withheld" in note for note in verified(folder).notes)


def test_any_flipped_byte_is_noticed(made: Made, tmp_path: Path) -> None:
    """Every byte of the small files' ends and beginnings, and many others, one at a time."""
    _, folder, _ = made
    generator = random.Random(1)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        chosen = {0, len(whole) - 1, *(generator.randrange(len(whole)) for _ in range(12))}
        for place in chosen if whole else ():
            damaged = bytearray(whole)
            damaged[place] ^= 1 << generator.randrange(8)
            path.write_bytes(damaged)
            assert verified(folder).problems, (path, place)
        path.write_bytes(whole)
    assert not verified(folder).problems


def changed(folder: Path, target: Path, change: Callable[[Path], None]) -> list[str]:
    """What is found when somebody changes an archive and writes a new manifest."""
    shutil.copytree(folder, target)
    change(target)
    (target / "MANIFEST").unlink()
    files = {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    (target / "MANIFEST").write_bytes(manifest(files))
    return verified(target).problems


def better(folder: Path) -> None:
    path = folder / "archive.json"
    data = json.loads(path.read_bytes())
    board = data["boards"][0]
    worst = board["ranking"]["ranks"][-1]["system"]
    board["systems"][worst][board["measure"]]["values"][board["value"]]["score"] = 1.0
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def other_key(folder: Path) -> None:
    [path] = folder.glob("keys/final/1-*")
    path.write_bytes(path.read_bytes().replace(b"DET", b"ADJ", 1))


def other_version(folder: Path) -> None:
    [path] = folder.glob("keys/final/2-*")
    path.write_bytes(path.read_bytes().replace(b"DET", b"ADJ", 1))


def other_run(folder: Path) -> None:
    path = sorted(folder.glob("runs/*/*"))[0]
    path.write_bytes(path.read_bytes().replace(b"DET", b"X", 1))


def other_ledger(folder: Path) -> None:
    path = folder / "ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))


def other_protocol(folder: Path) -> None:
    path = folder / "campaign.toml"
    path.write_bytes(path.read_bytes().replace(b"seed = 1", b"seed = 2"))


def other_page(folder: Path) -> None:
    path = folder / "index.html"
    path.write_bytes(path.read_bytes().replace(b"Participants", b"Everybody"))


@pytest.mark.parametrize(
    "change", [other_key, other_version, other_run, other_ledger, other_protocol, other_page, better]
)
def test_whoever_writes_a_new_manifest_is_found_out(
    made: Made, tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert changed(made[1], tmp_path / "a", change)


def test_a_campaign_that_runs_is_verified_too(made: Made, tmp_path: Path) -> None:
    campaign, _, receipt = made
    assert verified(campaign.folder, receipt.head).problems == []
    copy = tmp_path / "copy"
    shutil.copytree(campaign.folder, copy)
    path = jobs.Campaign(copy).store.path(receipt.sha256)
    path.chmod(0o644)
    path.write_bytes(b"something else")
    assert any("holds something else" in one for one in verified(copy).problems)
    path.unlink()
    assert any("is missing" in one for one in verified(copy).problems)


def test_an_archive_goes_to_an_empty_folder(made: Made, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError, match="something already"):
        archived(made[0], tmp_path)
    assert verified(tmp_path).problems
