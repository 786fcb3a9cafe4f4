"""What a server knows about a person is exported whole, and deleted: nothing but digests and ids stays."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.people import FORGOTTEN
from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Hosted, People, fill_campaign, token_of
from tests.server.serving import ROOT, accept_invitation, invite_person, serving

PEOPLE = People(one="Carmen Xavierson", annotator="Annedore")


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("personal") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUNE_MAIL", "smtp://127.0.0.1:9")
        patch.setenv("AUNE_SENDER", "Demo <demo@example.org>")
        with serving(folder, "--accounts") as served:
            yield fill_campaign(served, folder, PEOPLE)


def test_it_is_exported_and_deleted(hosted_campaign: Hosted) -> None:
    token_of(hosted_campaign.one, "hertoken")
    hosted_campaign.one.get("/campaign/notices")
    assert hosted_campaign.one.form("/campaign/notices/address", email="carmen@example.org").status == 302
    page = hosted_campaign.organiser.get("/people").text
    [account] = re.findall(r"<bdi>Carmen Xavierson</bdi>.*?/people/([\w-]+)/data", page, re.S)
    data = hosted_campaign.organiser.get(f"/people/{account}/data").json
    assert data["account"]["name"] == "Carmen Xavierson" and data["address"]["email"] == "carmen@example.org"
    assert data["tokens"][0]["name"] == "hertoken" and data["team"]["name"] == "Canary Labs" and data["letters"]
    assert [entry["kind"] for entry in data["ledger"]] == ["team"]
    command = [sys.executable, "-P", "-m", "aune", "site", "person", str(hosted_campaign.folder), "Carmen Xavierson"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    printed = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert json.loads(printed.stdout)["account"] == data["account"]
    assert b"Carmen" not in (hosted_campaign.folder / "ledger.jsonl").read_bytes(), "the ledger has an id"
    assert hosted_campaign.annotator.get(f"/people/{account}/data").status == 404
    hosted_campaign.organiser.get("/people")
    answer = hosted_campaign.organiser.form(f"/people/{account}/forget")
    assert answer.status == 200 and "of the ledger, written" not in answer.text
    assert hosted_campaign.one.get("/campaign/team").status in (302, 404), "signed out"
    for path in (hosted_campaign.folder / "outbox").rglob("*.eml"):
        assert "carmen@example.org" not in path.read_text("utf-8")
    assert (
        "Carmen"
        not in hosted_campaign.organiser.get("/people").text + hosted_campaign.organiser.get("/campaign/manage").text
    )
    for path in hosted_campaign.folder.rglob("*"):
        if path.is_file() and not path.name.startswith("aune.sqlite"):
            assert b"Xavierson" not in path.read_bytes(), path
    campaign = Campaign(hosted_campaign.folder)
    [team] = [team for team in campaign.state.teams.values() if team.name == "Canary Labs"]
    assert team.members == [FORGOTTEN] and verify_folder(hosted_campaign.folder).problems == []
    chief = re.findall(r"/people/([\w-]+)/data", hosted_campaign.organiser.get("/people").text)
    answers = [hosted_campaign.organiser.form(f"/people/{person}/forget") for person in chief if person != account]
    assert any(answer.status == 422 and "your own" in answer.text for answer in answers)


def test_a_word_of_the_ledger_as_a_name_exports_nothing_of_others(hosted_campaign: Hosted) -> None:
    """Somebody called “participant” got the teams of all others, with their members."""
    accept_invitation(hosted_campaign.served, invite_person(hosted_campaign.organiser, "participant"), "participant")
    page = hosted_campaign.organiser.get("/people").text
    [account] = re.findall(r"<bdi>participant</bdi>.*?/people/([\w-]+)/data", page, re.S)
    data = hosted_campaign.organiser.get(f"/people/{account}/data").json
    assert data["account"]["name"] == "participant" and data["ledger"] == [] and data["team"] is None


def test_names_in_an_older_ledger_stay_and_are_told(tmp_path: object) -> None:
    folder = create_campaign(tmp_path / "old", "demo", "tagging").folder  # type: ignore[operator]
    old = Campaign(folder)
    with old.writing() as writer:
        details = {"team": "t-1", "name": "Old", "country": "", "kind": "participant", "pseudonym": "wren"}
        writer.append("team", {**details, "members": ["Ann"]})
    assert old.state.teams["t-1"].members == ["Ann"]
    old.add_member("t-1", "Ben")
    other = Campaign(folder)
    assert other.state.teams["t-1"].members == ["Ann", "Ben"]
    old.forget_person("Ben")
    assert other.state.teams["t-1"].members == ["Ann", FORGOTTEN], "others see it at once"
    old.remove_member("t-1", "Ann")
    assert other.state.teams["t-1"].members == [FORGOTTEN]
