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


def prepared(folder: Path, rank: str = "primary", metadata: str = "") -> Campaign:
    """A tagging campaign in its test, which ranks some of the runs."""
    made = create_campaign(folder, "demo", "tagging")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('rank = "primary"', f'rank = "{rank}"').replace("valid = 3", "valid = 9")
    protocol.write_text(text + metadata, "utf-8")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        made.begin_phase(phase)
    return made


@pytest.fixture
def tested(tmp_path: Path) -> Campaign:
    return prepared(tmp_path / "tested")


def send(campaign: Campaign, team: Team, run: str, wrong: int = 0, **said: str) -> str:
    """A run with so many wrong tags; its submission."""
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    data = key.replace("\tNOUN", "\tVERB", wrong).encode()
    receipt = campaign.receive(team.id, "final", run, f"{run}.tsv", data, metadata=said)
    score_waiting(campaign)
    return receipt.submission


def test_the_last_valid_run_is_primary_until_another_is_named(tested: Campaign, team: Registering) -> None:
    one, two = team(tested, "one"), team(tested, "two")
    first, second = send(tested, one, "first"), send(tested, one, "second", 1)
    other = send(tested, two, "only", 2)
    tested.receive(two.id, "final", "broken", "a.tsv", b"no tab")
    score_waiting(tested)
    assert tested.state.primary_submissions("final") == {one.id: second, two.id: other}
    board = visible_board(tested, THE_ORGANISER, "final")
    assert set(board["blocks"]["participants"]) == {"one / second", "two / only"}
    assert board["blocks"][OTHER_RUNS] == ["one / first"]
    assert {row["system"] for row in board["ranking"]["ranks"]} == {"one / second", "two / only"}
    assert "one / first" in board["systems"], "it is scored like the others"
    assert OTHER_RUNS in "".join(board_parts(board))
    name_primary(tested, first)
    assert not board_is_ready(tested, "final"), "another run is ranked"
    assert visible_board(tested, THE_ORGANISER, "final")["blocks"][OTHER_RUNS] == ["one / second"]
    again = send(tested, one, "first", 1)
    assert tested.state.primary_submissions("final")[one.id] == again, "the name stands for its last submission"
    send(tested, one, "third", 2)
    assert tested.state.primary_submissions("final")[one.id] == again
    assert tested.status(Viewer("participant", one.id), again)["primary"] is True


def test_nobody_chooses_by_the_scores(tested: Campaign, team: Registering) -> None:
    one = team(tested, "one")
    first = send(tested, one, "first")
    send(tested, one, "second", 2)
    tested.begin_phase("test adjudication")
    with pytest.raises(UsageError, match="named in the phase 'test'"):
        name_primary(tested, first)


def test_where_every_run_is_ranked_none_is_primary(tmp_path: Path, team: Registering) -> None:
    campaign = prepared(tmp_path / "all", "all")
    one = team(campaign, "one")
    first, _ = send(campaign, one, "first"), send(campaign, one, "second", 2)
    board = visible_board(campaign, THE_ORGANISER, "final")
    assert len(board["ranking"]["ranks"]) == 2 and OTHER_RUNS not in board["blocks"]
    with pytest.raises(UsageError, match="every run is ranked"):
        name_primary(campaign, first)


def test_a_run_is_taken_back_before_publication(tested: Campaign, team: Registering) -> None:
    one = team(tested, "one")
    first = send(tested, one, "first", 1)
    send(tested, one, "first", 2)
    [standing] = tested.state.standing_submissions("final")
    with pytest.raises(UsageError, match="not among the valid runs"):
        retract_run(tested, first)
    retract_run(tested, standing.id)
    assert tested.state.standing_submissions("final") == [], "the submission before it does not come back"
    assert tested.submission_counts(one.id, "final")["valid"] == 2, "and it still counts for the quota"
    send(tested, one, "first")
    assert len(tested.state.standing_submissions("final")) == 1, "what is sent later is another run"
    tested.begin_phase("test adjudication")
    tested.begin_phase("publication")
    with pytest.raises(UsageError, match="results are published"):
        retract_run(tested, tested.state.standing_submissions("final")[0].id)


def test_a_disqualification_has_a_reason_that_everybody_reads(tested: Campaign, team: Registering) -> None:
    one, two = team(tested, "one"), team(tested, "two")
    bad, _ = send(tested, one, "run"), send(tested, two, "run", 1)
    with pytest.raises(UsageError, match="reason"):
        disqualify_run(tested, bad, " ")
    disqualify_run(tested, bad, "trained on the test", "Ann")
    with pytest.raises(UsageError, match="already"):
        disqualify_run(tested, bad, "again")
    assert any("disqualified" in notice.subject for notice in newest_notices(tested, team_recipient(one.id)))
    assert not any("disqualified" in notice.subject for notice in newest_notices(tested, team_recipient(two.id)))
    other = Viewer("participant", two.id)
    assert not any("disqualified" in row["what"] for row in changelog(tested, other)), "nothing is told in the test"
    for phase in ("test adjudication", "publication"):
        tested.begin_phase(phase)
    assert not any(bad in row["what"] for row in changelog(tested, other)), "ids are nobody else's before the archive"
    board = visible_board(tested, EVERYBODY, "final")
    assert board["disqualified"] == [{"run": f"{one.pseudonym} / 1", "why": "trained on the test"}]
    assert board["blocks"]["participants"] == [f"{two.pseudonym} / 1"]
    [change] = [row for row in changelog(tested, EVERYBODY) if "disqualified" in row["what"]]
    assert (change["why"], change["who"]) == ("trained on the test", "Ann") and "one" not in change["what"]
    reinstate_run(tested, bad, "it was not", "Ben")
    assert len(visible_board(tested, EVERYBODY, "final")["blocks"]["participants"]) == 2


def test_teams_say_what_the_organisers_ask(tmp_path: Path, team: Registering) -> None:
    campaign = prepared(tmp_path / "asked", metadata=ASKED)
    one = team(campaign, "one")
    for said, problem in ({}, "Training data"), ({"other": "x"}, "expected one of: resources, note"):
        with pytest.raises(UsageError, match=problem):
            send(campaign, one, "run", **said)
    with pytest.raises(UsageError, match="letters"):
        send(campaign, one, "run", resources="x" * 2001)
    sent = send(campaign, one, "run", resources="the  training\ndata")
    assert campaign.status(Viewer("participant", one.id), sent)["metadata"] == {"resources": "the training data"}
    describe_run(campaign, sent, {"resources": "more", "note": "a note"})
    assert campaign.status(THE_ORGANISER, sent)["metadata"] == {"resources": "more", "note": "a note"}
    with pytest.raises(UsageError, match="Training data"):
        describe_run(campaign, sent, {"note": "a note"})


def test_an_archive_has_all_of_it_and_verifies(tmp_path: Path, team: Registering) -> None:
    campaign = prepared(tmp_path / "whole", metadata=ASKED)
    one, two, three = (team(campaign, name) for name in ("Aone", "Btwo", "Cthree"))
    first = send(campaign, one, "first", resources="only yours")
    send(campaign, one, "second", 1, resources="from the laboratory of Aone")
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
