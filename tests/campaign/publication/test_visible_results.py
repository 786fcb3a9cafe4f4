"""Canaries: what the policy forbids is in nothing that anybody is shown, in any phase."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.disputes.resolution import file_dispute, visible_disputes
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.phases import PHASES
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import (  # fmt: skip
    agreement,
    board_csv,
    changelog,
    participants,
    participants_csv,
    run_labels,
    score_differences,
    scores_json,
    visible_board,
)
from aune.campaign.runs.handouts import make_handout
from aune.campaign.runs.jobs import score_waiting
from aune.errors import UsageError

SECRET = "Canary Labs"


def everything(campaign: Campaign, viewer: Viewer) -> Iterator[tuple[str, Any]]:
    """All that a viewer can ask for."""
    requests: list[tuple[str, Callable[[], Any]]] = [
        ("commitments", campaign.commitments), ("heads", campaign.heads), ("schedule", campaign.schedule),
        ("participants", lambda: participants(campaign, viewer)), ("changelog", lambda: changelog(campaign, viewer)),
        ("disputes", lambda: [vars(dispute) for dispute in visible_disputes(campaign, viewer)]),
    ]  # fmt: skip
    for name in campaign.protocol.datasets:
        requests += [
            (f"results {name}", lambda name=name: visible_board(campaign, viewer, name, derived=False)),
            (f"differences {name}", lambda name=name: score_differences(campaign, viewer, name)),
            (f"agreement {name}", lambda name=name: agreement(campaign, viewer, name)),
            (
                f"handout {name}",
                lambda name=name: {k: v.decode() for k, v in make_handout(campaign, viewer, name).items()},
            ),
        ]
    for submission in campaign.state.submissions:
        requests.append((f"status {submission}", lambda item=submission: campaign.status(viewer, item)))
    for team in campaign.state.teams:
        requests.append((f"receipts {team}", lambda team=team: campaign.receipts(viewer, team)))
    for what, ask in requests:
        try:
            yield what, ask()
        except (NotVisibleError, UsageError, KeyError) as error:
            yield what, str(error)


def test_no_canary_sings(campaign: Campaign, team: Callable[..., Team]) -> None:
    """An unnamed team, its members, its file and run names; the tags of the test's key; scores of the test."""
    key = campaign.folder / "keys/final.tsv"
    secret, other = team(campaign, SECRET, country="Canaria"), team(campaign, "Open Lab")
    campaign.add_member(secret.id, "Carmen Canary")
    campaign.consent(secret.id, "anonymous")
    campaign.consent(other.id, "named")
    me, them = Viewer("participant", secret.id), Viewer("participant", other.id)
    viewers = {"visitor": EVERYBODY, "other team": them, "own team": me, "annotator": Viewer("annotator")}
    for phase in PHASES[PHASES.index("dry run") : PHASES.index("open")]:
        if phase != "dry run":
            campaign.begin_phase(phase, "the dispute is left as it is")
        dataset = {"dry run": "try", "test": "final"}.get(phase)
        if dataset:
            answer = (campaign.folder / campaign.dataset(dataset).key).read_bytes()
            wrong = answer.replace(b"NOUN", b"PROPN")
            campaign.receive(secret.id, dataset, "canary-run", "canary-file.tsv", answer)
            campaign.receive(other.id, dataset, "run", "b.tsv", wrong)
            score_waiting(campaign)
        if phase == "test adjudication":
            file_dispute(campaign, me, "final", "final", "reference", {"word": 2, "tags": "VERB"}, "Canary argument")
        for role, viewer in viewers.items():
            for what, shown in everything(campaign, viewer):
                text = json.dumps(shown, default=str)
                if role != "own team":
                    assert "anary" not in text, (phase, role, what)
                if not campaign.may_see(viewer, "test scores"):
                    assert "0.8" not in text or "final" not in what, (phase, role, what)
                if not campaign.may_see(viewer, "test key") and what == "handout final":
                    assert "ADJ" not in text, (phase, role, what)
    assert b"ADJ" in key.read_bytes()
    everything_else = json.dumps(dict(everything(campaign, THE_ORGANISER)), default=str)
    assert SECRET in everything_else, "the canary would have been heard"


def test_a_refusal_says_the_same_whether_there_is_something_or_not(
    campaign: Campaign, team: Callable[..., Team]
) -> None:
    first_team, two = team(campaign, "one"), team(campaign, "two")
    receipt = campaign.receive(first_team.id, "try", "run", "a.tsv", b"x\tNOUN\n")
    refusals = set()
    for submission in (receipt.submission, "s-none"):
        with pytest.raises(NotVisibleError) as error:
            campaign.status(Viewer("participant", two.id), submission)
        refusals.add(type(error.value))
    assert len(refusals) == 1


def test_no_spreadsheet_computes_what_teams_are_called(campaign: Campaign, team: Callable[..., Team]) -> None:
    bad = team(campaign, "=cmd|' /C calc'!A1", country="@SUM(1+1)")
    campaign.receive(bad.id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    score_waiting(campaign)
    board = visible_board(campaign, THE_ORGANISER, "try", derived=False)
    cells = [cell for line in board_csv(board).splitlines() for cell in line.split(",")]
    cells += [
        cell
        for line in participants_csv(participants(campaign, THE_ORGANISER)).splitlines()
        for cell in line.split(",")
    ]
    assert any("calc" in cell for cell in cells)
    assert not any(cell.lstrip('"').startswith(("=", "+", "@", "-c")) for cell in cells)


def test_scores_as_codabench_wants_them(campaign: Campaign, team: Callable[..., Team]) -> None:
    campaign.receive(team(campaign, "one").id, "try", "run", "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    score_waiting(campaign)
    board = visible_board(campaign, THE_ORGANISER, "try", derived=False)
    scores = scores_json(board, "one / run")
    assert scores["accuracy_accuracy"] == 1.0 and all(isinstance(score, float) for score in scores.values())


def test_numbers_of_runs_say_nothing_about_their_order(campaign: Campaign, team: Callable[..., Team]) -> None:
    first_team = team(campaign, "one")
    for run in ("first", "second", "third"):
        campaign.receive(first_team.id, "try", run, "a.tsv", (campaign.folder / "keys/try.tsv").read_bytes())
    score_waiting(campaign)
    runs = campaign.state.standing_submissions("try")
    result = run_labels(campaign, EVERYBODY, runs)
    by_id = [result[run.id] for run in sorted(runs, key=lambda run: run.id)]
    assert by_id == [f"{first_team.pseudonym} / {number}" for number in (1, 2, 3)]


def test_no_two_runs_have_one_label(campaign: Campaign, team: Callable[..., Team]) -> None:
    """A team may be called what another team's pseudonym is: nothing is lost by it."""
    first_team = team(campaign, "one")
    two, three = team(campaign, first_team.pseudonym), team(campaign, "two")
    campaign.rename(three.id, first_team.pseudonym)
    data = (campaign.folder / "keys/try.tsv").read_bytes()
    for number, sender in enumerate((first_team, two, three)):
        campaign.receive(sender.id, "try", "1", "a.tsv", data + b"\n" * number)
    score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    for viewer in (THE_ORGANISER, Viewer("participant", two.id), Viewer("participant", first_team.id)):
        assert len(visible_board(campaign, viewer, "try", derived=False)["systems"]) == 3
