"""An archive can be verified by anybody, and no byte of it can be changed without being noticed."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import json_bytes, manifest, write_archive
from aune.campaign.archive.verification import receipt_holds, verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError, Receipt
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication.public_face import send_message
from aune.campaign.publication.static_pages import site_pages
from aune.campaign.runs import jobs
from aune.campaign.runs.jobs import run_in_folder, run_in_process, score_waiting
from aune.campaign.scaffold import create_campaign
from aune.errors import UsageError

Made = tuple[Campaign, Path, Receipt]


@pytest.fixture(scope="module")
def made_campaign(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A small campaign from the call to the archive, with a new version of the key."""
    room = tmp_path_factory.mktemp("archive")
    campaign = create_campaign(room / "campaign", "demo", "tagging")
    teams = [campaign.register(name) for name in ("one", "two", "three")]
    for team in teams:
        campaign.accept_licence(team.id)
        campaign.consent(team.id, "named")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    key = (campaign.folder / "keys/final.tsv").read_bytes()
    receipts = [
        campaign.receive(teams[0].id, "final", "run", "a.tsv", key),
        campaign.receive(teams[1].id, "final", "run", "a.tsv", key.replace(b"ADV", b"ADJ")),
        campaign.receive(teams[2].id, "final", "run", "a.tsv", key + b"# this is team three\n"),
    ]
    score_waiting(campaign)
    campaign.begin_phase("test adjudication")
    claim = file_dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": 4, "tags": "ADJ"}, "x")
    decide_dispute(campaign, claim.id, "accepted", "Ann", "so it is")
    make_key_version(campaign, "final")
    score_waiting(campaign)
    with pytest.raises(NotVisibleError):
        write_archive(campaign, room / "archive")
    campaign.begin_phase("publication")
    campaign.validate(teams[0].id)
    campaign.begin_phase("archive")
    write_archive(campaign, room / "archive")
    return campaign, room / "archive", receipts[0]


def test_everything_holds(made_campaign: Made) -> None:
    campaign, folder, receipt = made_campaign
    report = verify_folder(folder, receipt.head)
    assert report.problems == []
    assert receipt_holds(folder, receipt.position, receipt.head)
    assert not receipt_holds(folder, receipt.position + 1, receipt.head)
    assert verify_folder(folder, "0" * 64).problems == ["ledger.jsonl: the head " + "0" * 64 + " is not in it"]
    assert campaign.state.archives[0]["files"] == len([path for path in folder.rglob("*") if path.is_file()]) - 1


def test_a_run_that_names_its_unnamed_team_is_withheld(made_campaign: Made) -> None:
    _, folder, _ = made_campaign
    data = json.loads((folder / "archive.json").read_bytes())
    assert sorted(run["withheld"] for run in data["runs"]) == [False, False, True]
    assert b"this is team three" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert any("withheld" in note for note in verify_folder(folder).notes)


def test_any_flipped_byte_is_noticed(made_campaign: Made, tmp_path: Path) -> None:
    """Every byte of the small files' ends and beginnings, and many others, one at a time."""
    _, folder, _ = made_campaign
    generator = random.Random(1)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        chosen = {0, len(whole) - 1, *(generator.randrange(len(whole)) for _ in range(12))}
        for place in chosen if whole else ():
            damaged = bytearray(whole)
            damaged[place] ^= 1 << generator.randrange(8)
            path.write_bytes(damaged)
            assert verify_folder(folder).problems, (path, place)
        path.write_bytes(whole)
    assert not verify_folder(folder).problems


def change_value(folder: Path, target: Path, change: Callable[[Path], None]) -> list[str]:
    """What is found when somebody changes an archive and writes a new manifest."""
    shutil.copytree(folder, target)
    change(target)
    (target / "MANIFEST").unlink()
    files = {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    (target / "MANIFEST").write_bytes(manifest(files))
    return verify_folder(target).problems


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


def torn_ledger(folder: Path) -> None:
    path = folder / "ledger.jsonl"
    path.write_bytes(path.read_bytes()[:-1])


def other_protocol(folder: Path) -> None:
    path = folder / "campaign.toml"
    path.write_bytes(path.read_bytes().replace(b"seed = 1", b"seed = 2"))


def other_page(folder: Path) -> None:
    path = folder / "index.html"
    path.write_bytes(path.read_bytes().replace(b"Participants", b"Everybody"))


@pytest.mark.parametrize(
    "change", [other_key, other_version, other_run, other_ledger, torn_ledger, other_protocol, other_page, better]
)
def test_whoever_writes_a_new_manifest_is_found_out(
    made_campaign: Made, tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert change_value(made_campaign[1], tmp_path / "a", change)


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all single values in plain data, and of what is empty."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if not inside or not data:
        yield path
    for name, value in inside:
        yield from leaves(value, (*path, name))


def alter_value(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return value + 1
    return [*value, "x"] if isinstance(value, list) else {**value, "x": 1} if isinstance(value, dict) else f"{value}x"


def find_masked_changes(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """What is found in an archive with these files instead, whose manifest and page were written anew."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    whole = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    del whole["MANIFEST"]
    with suppress(ValueError, KeyError, TypeError, AttributeError, IndexError):  # what cannot be drawn is not drawn
        whole |= {name: page.encode() for name, page in site_pages(json.loads(whole["archive.json"])).items()}
        (folder / "index.html").write_bytes(whole["index.html"])
    (folder / "MANIFEST").write_bytes(manifest(whole))
    return verify_folder(folder).problems


def test_no_file_can_be_changed_even_with_a_new_manifest(
    made_campaign: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte at the end of every file, a line less, and a file more: the ledger says otherwise."""
    monkeypatch.setattr("aune.campaign.archive.verification.run_in_folder", computed_once(run_in_folder))
    folder = tmp_path / "a"
    shutil.copytree(made_campaign[1], folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in ("MANIFEST", "index.html"))
    whole = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    for name, content in whole.items():
        for other in (content + b"\n", content[: content[:-1].rfind(b"\n") + 1], b""):
            if other != content:
                assert find_masked_changes(folder, {name: other}), (name, len(other))
        (folder / name).write_bytes(content)
    (folder / "more.txt").write_bytes(b"more")
    assert find_masked_changes(folder, {}) == ["more.txt: no file of an archive"]


def test_no_value_of_the_data_can_be_changed_even_with_new_pages(
    made_campaign: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind of value of archive.json, with a page and a manifest that fit; the ledger and the files say otherwise.

    Only who the participants are is known to nobody else: the ledger hides it, and `verify` says so.
    """
    folder = tmp_path / "a"
    shutil.copytree(made_campaign[1], folder)
    data = json.loads((folder / "archive.json").read_bytes())
    kinds: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for path in leaves(data):
        kind = tuple("#" if isinstance(name, int) or " / " in name else name for name in path)
        withheld = path[0] == "runs" and data["runs"][path[1]]["withheld"]  # nobody can compute its numbers again
        kinds.setdefault((withheld, *kind), path)
    monkeypatch.setattr("aune.campaign.archive.verification.run_in_folder", computed_once(run_in_folder))
    for path in (path for path in kinds.values() if path[0] != "participants"):
        copy = json.loads(json.dumps(data))
        place = copy
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = alter_value(place[path[-1]])
        assert find_masked_changes(folder, {"archive.json": json_bytes(copy)}), path
    report = verify_folder(made_campaign[1])
    assert any("participants" in note for note in report.notes)


def test_numbers_that_were_wrong_from_the_start_come_out_again_as_they_should(
    made_campaign: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An organiser whose own machine lies, into the ledger too, is found out by whoever computes again."""
    shutil.copytree(made_campaign[0].folder, tmp_path / "c")
    liar = Campaign(tmp_path / "c")
    [named] = [team.id for team in liar.state.teams.values() if team.name == "three"]
    liar.withdraw(named)

    def lying(*arguments: Any) -> Any:
        result = run_in_process(*arguments)
        for scores in result.get("board", {}).get("systems", {}).values():
            scores["tagging.accuracy"]["values"]["accuracy"]["interval"] = [0.9, 1.0]
        return result

    monkeypatch.setattr("aune.campaign.runs.jobs.run_in_process", lying)
    write_archive(liar, tmp_path / "a", pages=False)
    assert verify_folder(tmp_path / "a").problems == ["final: its systems is not what comes out again"]


def computed_once(run: Callable[..., Any]) -> Callable[..., Any]:
    """What processes computed from the same files is not computed again."""
    known: dict[bytes, Any] = {}

    def remember_scores(room: Path, *rest: Any) -> Any:
        inside = {str(path.relative_to(room)): path.read_bytes() for path in room.rglob("*") if path.is_file()}
        same = repr(sorted(inside.items())).encode()
        if same not in known:
            known[same] = run(room, *rest)
        return json.loads(json.dumps(known[same]))

    return remember_scores


def test_a_campaign_that_runs_is_verified_too(made_campaign: Made, tmp_path: Path) -> None:
    campaign, _, receipt = made_campaign
    assert verify_folder(campaign.folder, receipt.head).problems == []
    copy = tmp_path / "copy"
    shutil.copytree(campaign.folder, copy)
    path = jobs.Campaign(copy).store.path(receipt.sha256)
    path.chmod(0o644)
    path.write_bytes(b"something else")
    assert any("contains something else" in problem for problem in verify_folder(copy).problems)
    path.unlink()
    assert any("is missing" in problem for problem in verify_folder(copy).problems)


def test_the_zip_of_an_archive_is_verified_too(made_campaign: Made, tmp_path: Path) -> None:
    _, folder, receipt = made_campaign
    path = Path(shutil.make_archive(str(tmp_path / "archive"), "zip", folder))
    assert verify_folder(path, receipt.head).problems == []
    path.write_bytes(b"no zip")
    [problem] = verify_folder(path).problems
    assert "expected the zip of an archive" in problem
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../outside", "x")
    [problem] = verify_folder(path).problems
    assert "leads out of the archive" in problem and not (tmp_path / "outside").exists()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("archive.json", "x")
    assert "packed in another way" in verify_folder(path).problems[0]


def test_a_zip_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    """A zip of two megabytes filled the disk with two gigabytes, which were read into memory then."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive.json", bytes(64 << 20))
    [problem] = verify_folder(path).problems
    assert "times as many" in problem


def test_an_archive_goes_to_an_empty_folder(made_campaign: Made, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError, match="something already"):
        write_archive(made_campaign[0], tmp_path)
    assert verify_folder(tmp_path).problems


def test_a_message_to_teams_is_no_file_that_is_missing(campaign: Campaign, team: Callable[..., Team]) -> None:
    """Found by walks of random steps: `verify` of a campaign that ran looked for the text in the store."""
    team(campaign, "one")
    send_message(campaign, "A room", "It is B 12.")
    assert verify_folder(campaign.folder).problems == []
