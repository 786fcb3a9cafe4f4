"""A licensed corpus: results and commitments are published, key, texts and runs never."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import REFERENCE, decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.protocol_file import read_protocol
from aune.campaign.protocol.visibility import EVERYBODY, Viewer
from aune.campaign.publication.public_face import set_doi
from aune.campaign.publication.visible_results import board_latex, changelog, visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError, UsageError


@pytest.fixture
def licensed_campaign(tmp_path: Path, team: Callable[..., Team]) -> Campaign:
    """A campaign in its archive, whose key is disputed and never published."""
    campaign = create_campaign(tmp_path / "licensed", "demo", "tagging")
    protocol = campaign.folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('# "test key" = "never"', '"test key" = "never"')
    protocol.write_text(text.replace("draws = 10000", "draws = 100"), "utf-8")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    first_team, two = team(campaign, "one"), team(campaign, "two")
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    for sender, text in ((first_team, key), (two, key.replace("NOUN", "VERB"))):
        campaign.receive(sender.id, "final", "run", "a.tsv", text.encode())
    score_waiting(campaign)
    campaign.begin_phase("test adjudication")
    edit = {"word": 4, "tags": "ADJ"}
    dispute = file_dispute(campaign, Viewer("participant", two.id), "final", "final", REFERENCE, edit, "so")
    decide_dispute(campaign, dispute.id, "accepted", "Ann", "agreed")
    make_key_version(campaign, "final")
    score_waiting(campaign)
    for phase in ("publication", "archive"):
        campaign.begin_phase(phase)
    return campaign


def test_nothing_of_the_corpus_is_in_the_archive(licensed_campaign: Campaign, tmp_path: Path) -> None:
    team = Viewer("participant", next(iter(licensed_campaign.state.teams)))
    assert licensed_campaign.may_see(team, "test key") and not licensed_campaign.may_see(EVERYBODY, "test key")
    assert any("ADJ" in row["what"] for row in changelog(licensed_campaign, team))
    assert not any("ADJ" in row["what"] for row in changelog(licensed_campaign, EVERYBODY))
    set_doi(licensed_campaign, "https://doi.org/10.5281/zenodo.1234567")
    target = tmp_path / "archive"
    write_archive(licensed_campaign, target)
    everything = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    assert b"watches" not in everything, "a word of the texts"
    report = verify_folder(target)
    assert report.problems == [] and any("not published" in note for note in report.notes)
    data = json.loads((target / "archive.json").read_bytes())
    assert data["unpublished"] == ["final"] and len(data["commitments"]) >= 2
    page = (target / "index.html").read_text("utf-8")
    assert "https://doi.org/10.5281/zenodo.1234567" in page and "not published" in page
    assert {row["system"] for row in data["boards"][0]["ranking"]["ranks"]}, "results are there"
    licensed_campaign.store.path(licensed_campaign.state.keys["final"][0].digest)
    everybody_can_check_a_key_later(licensed_campaign, data)


def everybody_can_check_a_key_later(campaign: Campaign, data: dict[str, object]) -> None:
    """Who gets the key under its licence sees by the salt that it is the one that was committed."""
    import hashlib

    [first, _] = data["keys"]  # type: ignore[misc]
    key = campaign.store.get(campaign.state.keys["final"][0].digest)
    assert hashlib.sha256(bytes.fromhex(first["salt"]) + key).hexdigest() == first["commitment"]


@pytest.mark.parametrize("change", [{"unpublished": []}, {"doi": "10.1/x"}])
def test_a_changed_archive_is_noticed(licensed_campaign: Campaign, tmp_path: Path, change: dict[str, object]) -> None:
    from aune.campaign.archive.archive_builder import json_bytes, manifest

    target = tmp_path / "archive"
    write_archive(licensed_campaign, target)
    data = json.loads((target / "archive.json").read_bytes())
    (target / "archive.json").write_bytes(json_bytes({**data, **change}))
    files = {
        str(path.relative_to(target)): path.read_bytes()
        for path in target.rglob("*") if path.is_file() and path.name != "MANIFEST"
    }  # fmt: skip
    (target / "MANIFEST").write_bytes(manifest(files))
    assert verify_folder(target).problems


def test_only_what_can_be_missing_is_held_back_for_ever(tmp_path: Path) -> None:
    create_campaign(tmp_path / "c", "demo", "tagging")
    protocol = tmp_path / "c/campaign.toml"
    protocol.write_text(protocol.read_text("utf-8").replace('# names = "archive"', 'names = "never"'), "utf-8")
    with pytest.raises(InputError, match="never"):
        read_protocol(tmp_path / "c")


def test_a_doi_is_one(licensed_campaign: Campaign) -> None:
    for doi in ("", "zenodo", "10.1/x y", "10.5281/<script>"):
        with pytest.raises(UsageError, match="expected one such as"):
            set_doi(licensed_campaign, doi)


def test_a_board_for_a_paper(licensed_campaign: Campaign) -> None:
    text = board_latex(visible_board(licensed_campaign, EVERYBODY, "final"))
    assert text.count("/ 1 &") == 2 and "\\begin{tabular}" in text and "final, key version 2" in text
