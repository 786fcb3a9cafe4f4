"""Primary runs, what teams say of their runs, runs that are taken back, and runs that are disqualified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.notices import newest_notices, team_recipient
from aune.campaign.publication.static_pages import OTHER_RUNS, board_parts
from aune.campaign.publication.visible_results import changelog, visible_board
from aune.campaign.runs.jobs import board_is_ready, score_waiting
from aune.campaign.runs.run_actions import describe_run, disqualify_run, name_primary, reinstate_run, retract_run
from aune.campaign.scaffold import create_campaign
from aune.errors import UsageError

Registering = Callable[..., Team]
ASKED = '\n[[metadata]]\nname = "resources"\ntitle = "Training data"\nrequired = true\n\n[[metadata]]\nname = "note"\n'


def prepare_campaign(folder: Path, rank: str = "primary", metadata: str = "") -> Campaign:
    """A tagging campaign in its test, which ranks some of the runs."""
    made = create_campaign(folder, "demo", "tagging")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('rank = "primary"', f'rank = "{rank}"').replace("valid = 3", "valid = 9")
    protocol.write_text(text + metadata, "utf-8")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        made.begin_phase(phase)
    return made


@pytest.fixture
def tested_campaign(tmp_path: Path) -> Campaign:
    return prepare_campaign(tmp_path / "tested")


def send(campaign: Campaign, team: Team, run: str, wrong: int = 0, **fields: str) -> str:
    """A run with so many wrong tags; its submission."""
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    data = key.replace("\tNOUN", "\tVERB", wrong).encode()
    receipt = campaign.receive(team.id, "final", run, f"{run}.tsv", data, metadata=fields)
    score_waiting(campaign)
    return receipt.submission


def test_the_last_valid_run_is_primary_until_another_is_named(tested_campaign: Campaign, team: Registering) -> None:
    first_team, two = team(tested_campaign, "one"), team(tested_campaign, "two")
    first, second = send(tested_campaign, first_team, "first"), send(tested_campaign, first_team, "second", 1)
    other = send(tested_campaign, two, "only", 2)
    tested_campaign.receive(two.id, "final", "broken", "a.tsv", b"no tab")
    score_waiting(tested_campaign)
    assert tested_campaign.state.primary_submissions("final") == {first_team.id: second, two.id: other}
    board = visible_board(tested_campaign, THE_ORGANISER, "final")
    assert set(board["blocks"]["participants"]) == {"one / second", "two / only"}
    assert board["blocks"][OTHER_RUNS] == ["one / first"]
    assert {row["system"] for row in board["ranking"]["ranks"]} == {"one / second", "two / only"}
    assert "one / first" in board["systems"], "it is scored like the others"
    assert OTHER_RUNS in "".join(board_parts(board))
    name_primary(tested_campaign, first)
    assert not board_is_ready(tested_campaign, "final"), "another run is ranked"
    assert visible_board(tested_campaign, THE_ORGANISER, "final")["blocks"][OTHER_RUNS] == ["one / second"]
    again = send(tested_campaign, first_team, "first", 1)
    assert tested_campaign.state.primary_submissions("final")[first_team.id] == again, (
        "the name stands for its last submission"
    )
    send(tested_campaign, first_team, "third", 2)
    assert tested_campaign.state.primary_submissions("final")[first_team.id] == again
    assert tested_campaign.status(Viewer("participant", first_team.id), again)["primary"] is True


def test_nobody_chooses_by_the_scores(tested_campaign: Campaign, team: Registering) -> None:
    first_team = team(tested_campaign, "one")
    first = send(tested_campaign, first_team, "first")
    send(tested_campaign, first_team, "second", 2)
    tested_campaign.begin_phase("test adjudication")
    with pytest.raises(UsageError, match="named in the phase 'test'"):
        name_primary(tested_campaign, first)


def test_where_every_run_is_ranked_none_is_primary(tmp_path: Path, team: Registering) -> None:
    campaign = prepare_campaign(tmp_path / "all", "all")
    first_team = team(campaign, "one")
    first, _ = send(campaign, first_team, "first"), send(campaign, first_team, "second", 2)
    board = visible_board(campaign, THE_ORGANISER, "final")
    assert len(board["ranking"]["ranks"]) == 2 and OTHER_RUNS not in board["blocks"]
    with pytest.raises(UsageError, match="every run is ranked"):
        name_primary(campaign, first)


def test_a_run_is_taken_back_before_publication(tested_campaign: Campaign, team: Registering) -> None:
    first_team = team(tested_campaign, "one")
    first = send(tested_campaign, first_team, "first", 1)
    send(tested_campaign, first_team, "first", 2)
    [standing] = tested_campaign.state.standing_submissions("final")
    with pytest.raises(UsageError, match="not among the valid runs"):
        retract_run(tested_campaign, first)
    retract_run(tested_campaign, standing.id)
    assert tested_campaign.state.standing_submissions("final") == [], "the submission before it does not come back"
    assert tested_campaign.submission_counts(first_team.id, "final")["valid"] == 2, "and it still counts for the quota"
    send(tested_campaign, first_team, "first")
    assert len(tested_campaign.state.standing_submissions("final")) == 1, "what is sent later is another run"
    tested_campaign.begin_phase("test adjudication")
    tested_campaign.begin_phase("publication")
    with pytest.raises(UsageError, match="results are published"):
        retract_run(tested_campaign, tested_campaign.state.standing_submissions("final")[0].id)


def test_a_disqualification_has_a_reason_that_everybody_reads(tested_campaign: Campaign, team: Registering) -> None:
    first_team, two = team(tested_campaign, "one"), team(tested_campaign, "two")
    bad, _ = send(tested_campaign, first_team, "run"), send(tested_campaign, two, "run", 1)
    with pytest.raises(UsageError, match="reason"):
        disqualify_run(tested_campaign, bad, " ")
    disqualify_run(tested_campaign, bad, "trained on the test", "Ann")
    with pytest.raises(UsageError, match="already"):
        disqualify_run(tested_campaign, bad, "again")
    assert any(
        "disqualified" in notice.subject for notice in newest_notices(tested_campaign, team_recipient(first_team.id))
    )
    assert not any(
        "disqualified" in notice.subject for notice in newest_notices(tested_campaign, team_recipient(two.id))
    )
    other = Viewer("participant", two.id)
    assert not any("disqualified" in row["what"] for row in changelog(tested_campaign, other)), (
        "nothing is told in the test"
    )
    for phase in ("test adjudication", "publication"):
        tested_campaign.begin_phase(phase)
    assert not any(bad in row["what"] for row in changelog(tested_campaign, other)), (
        "ids are nobody else's before the archive"
    )
    board = visible_board(tested_campaign, EVERYBODY, "final")
    assert board["disqualified"] == [{"run": f"{first_team.pseudonym} / 1", "why": "trained on the test"}]
    assert board["blocks"]["participants"] == [f"{two.pseudonym} / 1"]
    [change] = [row for row in changelog(tested_campaign, EVERYBODY) if "disqualified" in row["what"]]
    assert (change["why"], change["who"]) == ("trained on the test", "Ann") and "one" not in change["what"]
    reinstate_run(tested_campaign, bad, "it was not", "Ben")
    assert len(visible_board(tested_campaign, EVERYBODY, "final")["blocks"]["participants"]) == 2


def test_teams_say_what_the_organisers_ask(tmp_path: Path, team: Registering) -> None:
    campaign = prepare_campaign(tmp_path / "asked", metadata=ASKED)
    first_team = team(campaign, "one")
    for answers, problem in ({}, "Training data"), ({"other": "x"}, "expected one of: resources, note"):
        with pytest.raises(UsageError, match=problem):
            send(campaign, first_team, "run", **answers)
    with pytest.raises(UsageError, match="letters"):
        send(campaign, first_team, "run", resources="x" * 2001)
    sent = send(campaign, first_team, "run", resources="the  training\ndata")
    assert campaign.status(Viewer("participant", first_team.id), sent)["metadata"] == {"resources": "the training data"}
    describe_run(campaign, sent, {"resources": "more", "note": "a note"})
    assert campaign.status(THE_ORGANISER, sent)["metadata"] == {"resources": "more", "note": "a note"}
    with pytest.raises(UsageError, match="Training data"):
        describe_run(campaign, sent, {"note": "a note"})


def test_an_archive_has_all_of_it_and_verifies(tmp_path: Path, team: Registering) -> None:
    campaign = prepare_campaign(tmp_path / "whole", metadata=ASKED)
    item, two, three = (team(campaign, name) for name in ("Aone", "Btwo", "Cthree"))
    first = send(campaign, item, "first", resources="only yours")
    send(campaign, item, "second", 1, resources="from the laboratory of Aone")
    send(campaign, two, "run", 2, resources="none")
    bad = send(campaign, three, "run", resources="the test itself")
    gone = send(campaign, two, "gone", resources="none")
    name_primary(campaign, first)
    retract_run(campaign, gone)
    disqualify_run(campaign, bad, "trained on the test", "Ann")
    for phase in ("test adjudication", "publication", "archive"):
        campaign.begin_phase(phase)
    write_archive(campaign, tmp_path / "archive", pages=False)
    report = verify_folder(tmp_path / "archive")
    assert report.problems == []
    data = json.loads((tmp_path / "archive/archive.json").read_bytes())
    by_withheld = {run["withheld"] for run in data["runs"] if run.get("metadata")}
    assert by_withheld == {False}, "what names an unnamed team is not shown"
    assert sum(run["ranked"] for run in data["runs"]) == 2 and len(data["runs"]) == 3
    everything = b"".join(path.read_bytes() for path in (tmp_path / "archive").rglob("*") if path.is_file())
    assert b"laboratory of" not in everything and b"only yours" in everything and b"trained on the test" in everything
    for field, value in (("metadata", {"resources": "other"}), ("ranked", False)):
        [run] = [run for run in data["runs"] if run["id"] == first]
        before, run[field] = run[field], value
        (tmp_path / "archive/archive.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
        remade = tmp_path / "archive/MANIFEST"
        from aune.campaign.archive.archive_builder import manifest

        files = {
            str(path.relative_to(remade.parent)): path.read_bytes()
            for path in remade.parent.rglob("*") if path.is_file() and path != remade
        }  # fmt: skip
        remade.write_bytes(manifest(files))
        assert any(first in problem or "ranked" in problem for problem in verify_folder(remade.parent).problems), field
        run[field] = before
