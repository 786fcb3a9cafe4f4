"""Disputes as patches: the effect is known before the decision, all runs are scored again, old results stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.disputes.resolution import (
    decide_dispute,
    dispute_impact,
    file_dispute,
    key_documents,
    make_key_version,
    open_disputes,
    remaining_disputes,
    score_changes,
    unapplied_disputes,
    visible_disputes,
)
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import changelog
from aune.campaign.runs import jobs
from aune.campaign.runs.jobs import is_caught_up, make_board, score_waiting
from aune.campaign.scaffold import TEXTS, create_campaign
from aune.corrections.item_listing import ADD, list_items, parse_edit
from aune.errors import UsageError

RIGHT = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"


@pytest.fixture
def discussed_campaign(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    """Three teams, in the adjudication of the dry run: one all right, one with a wrong noun, one with a table."""
    first, second, three = (team(campaign, name) for name in ("one", "two", "three"))
    campaign.receive(first.id, "try", "run", "a.tsv", RIGHT)
    campaign.receive(second.id, "try", "run", "a.tsv", RIGHT.replace(b"cat\tNOUN", b"cat\tVERB"))
    table = b"N\tPROPN\nVERB\tVERB\nDET\tDET\nPUNCT\tPUNCT\n"
    campaign.receive(three.id, "try", "run", "a.tsv", RIGHT.replace(b"NOUN", b"N"), table=table, table_name="t.tsv")
    score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    return campaign


def by_team(campaign: Campaign, name: str) -> Viewer:
    return Viewer("participant", campaign.team(name).id)


def test_from_the_claim_to_the_new_scores(discussed_campaign: Campaign) -> None:
    two = by_team(discussed_campaign, "two")
    cat = file_dispute(
        discussed_campaign, two, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "to cat is a verb"
    )
    none = file_dispute(
        discussed_campaign, two, "try", "try", "reference", {"word": 3, "tags": "SYM"}, "it is a symbol"
    )
    effects = {effect.run: effect for effect in dispute_impact(discussed_campaign, THE_ORGANISER, cat.id)}
    own_submission = next(
        submission for submission in discussed_campaign.state.standing_submissions("try") if submission.team == two.team
    )
    assert effects[own_submission.id].change == pytest.approx(1 / 8)
    assert (effects[own_submission.id].rank_before, effects[own_submission.id].rank_after) == (2, 1)
    assert [document.id for document, _ in open_disputes(discussed_campaign, THE_ORGANISER)] == [cat.id, none.id]
    with pytest.raises(NotVisibleError):
        dispute_impact(discussed_campaign, two, cat.id)
    before = make_board(discussed_campaign, "try")
    decide_dispute(discussed_campaign, cat.id, "accepted", "Ann", "granted")
    decide_dispute(discussed_campaign, none.id, "refused", "Ann", "nothing to change")
    with pytest.raises(UsageError, match="accepted already"):
        decide_dispute(discussed_campaign, cat.id, "refused", "Ann", "no")
    assert make_key_version(discussed_campaign, "try") == 2
    assert not is_caught_up(discussed_campaign.state, "try")
    assert score_waiting(discussed_campaign, most=1) == {"scored": 1}, "killed half-way…"
    assert score_waiting(Campaign(discussed_campaign.folder)) == {"scored": 2}, "…it goes on where it was"
    assert is_caught_up(discussed_campaign.state, "try")
    values = {score["run"]: score["values"] for score in score_changes(discussed_campaign, THE_ORGANISER, "try")}
    assert values[own_submission.id] == {1: 0.875, 2: 1.0}
    assert make_board(discussed_campaign, "try")["systems"] != before["systems"]
    log = changelog(discussed_campaign, two)
    assert log[-1]["why"] == "granted" and "word 5 becomes VERB" in log[-1]["what"]
    key = discussed_campaign.store.get(discussed_campaign.state.keys["try"][1].digest)
    assert key == RIGHT.replace(b"cat\tNOUN", b"cat\tVERB"), "only that tag was written"


def test_a_line_of_one_s_own_table(discussed_campaign: Campaign) -> None:
    three = by_team(discussed_campaign, "three")
    edit = {"run": "run", "tag": "N", "to": ["NOUN"]}
    dispute = file_dispute(discussed_campaign, three, "try", "", "table", edit, "a slip")
    with pytest.raises(UsageError, match="no run"):
        file_dispute(discussed_campaign, by_team(discussed_campaign, "two"), "try", "", "table", edit, "not mine")
    own_submission = next(run for run in discussed_campaign.state.standing_submissions("try") if run.team == three.team)
    effects = {effect.run: effect.change for effect in dispute_impact(discussed_campaign, THE_ORGANISER, dispute.id)}
    assert effects[own_submission.id] == pytest.approx(2 / 8) and sum(map(bool, effects.values())) == 1
    decide_dispute(discussed_campaign, dispute.id, "accepted", "Ann", "a slip indeed")
    assert make_key_version(discussed_campaign, "try") == 2
    assert discussed_campaign.state.keys["try"][0].digest == discussed_campaign.state.keys["try"][1].digest, (
        "the key did not change"
    )
    assert score_waiting(discussed_campaign) == {"scored": 3}
    result = discussed_campaign.result(discussed_campaign.state.submissions[own_submission.id])
    assert result and result["scores"][0]["values"]["overall"] == 1.0


def test_what_is_refused(discussed_campaign: Campaign) -> None:
    two = by_team(discussed_campaign, "two")
    for claim, edit, argument, why in (
        ("reference", {"word": 999, "tags": "X"}, "x", "words from 0"),
        ("reference", {"word": 1, "tags": "X"}, " ", "argument"),
        ("weather", {}, "x", "expected a claim"),
        ("protocol", {"word": 1}, "x", "no edit"),
    ):
        with pytest.raises(UsageError, match=why):
            file_dispute(discussed_campaign, two, "try", "try", claim, edit, argument)
    file_dispute(discussed_campaign, two, "try", "try", "protocol", {}, "the unit should be the sentence")
    with pytest.raises(UsageError, match="test adjudication"):
        file_dispute(discussed_campaign, two, "final", "final", "reference", {"word": 1, "tags": "X"}, "early")
    with pytest.raises(UsageError, match="no accepted dispute"):
        make_key_version(discussed_campaign, "try")
    with pytest.raises(UsageError, match="an author and a reason"):
        decide_dispute(discussed_campaign, next(iter(discussed_campaign.state.disputes)), "accepted", "", "x")


def test_who_sees_disputes(discussed_campaign: Campaign) -> None:
    first, second = by_team(discussed_campaign, "one"), by_team(discussed_campaign, "two")
    claim = file_dispute(discussed_campaign, second, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "CANARY")
    assert [dispute.id for dispute in visible_disputes(discussed_campaign, second)] == [claim.id]
    assert visible_disputes(discussed_campaign, first) == [] and visible_disputes(discussed_campaign, EVERYBODY) == []
    decide_dispute(discussed_campaign, claim.id, "refused", "Ann", "no")
    assert [dispute.id for dispute in visible_disputes(discussed_campaign, first)] == [claim.id]
    assert visible_disputes(discussed_campaign, EVERYBODY) == []


def test_a_rescoring_that_is_killed_resumes(discussed_campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = file_dispute(discussed_campaign, THE_ORGANISER, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "x")
    decide_dispute(discussed_campaign, claim.id, "accepted", "Ann", "x")
    assert list(unapplied_disputes(discussed_campaign)) == ["try"]
    make_key_version(discussed_campaign, "try")
    assert unapplied_disputes(discussed_campaign) == {}
    real, calls = jobs.run_in_process, []

    def dies_at_the_second(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(jobs, "run_in_process", dies_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        score_waiting(discussed_campaign)
    monkeypatch.undo()
    assert len(jobs.waiting_submissions(discussed_campaign.state)) == 2
    assert score_waiting(discussed_campaign) == {"scored": 2}, "what was interrupted is given back"


@pytest.mark.parametrize("task", TEXTS)
def test_an_edit_that_changes_nothing_is_no_dispute(task: str, tmp_path: Path) -> None:
    """Every item of a key in every task: to claim that it should be what it is is refused."""
    campaign = create_campaign(tmp_path / "campaign", "demo", task)
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    for document in key_documents(campaign, THE_ORGANISER, "try"):
        for item in list_items(task, document):
            if item.place != ADD:
                edit = parse_edit(task, item.place, item.value)
                with pytest.raises(UsageError, match="says already"):
                    file_dispute(campaign, THE_ORGANISER, "try", document.id, "reference", edit, "so it is")


def test_a_team_has_so_many_disputes(discussed_campaign: Campaign) -> None:
    """As many as the protocol says; being right costs none, and organisers are not counted."""
    plan = discussed_campaign.folder / "campaign.toml"
    plan.write_text(plan.read_text("utf-8").replace("disputes = 100", "disputes = 2"), "utf-8")
    discussed_campaign.freeze_protocol("fewer disputes")
    two, tags = by_team(discussed_campaign, "two"), iter(("ADJ", "ADV", "X", "SYM", "NUM"))

    def claim_error(viewer: Viewer) -> str:
        edit = {"word": 5, "tags": next(tags)}
        return file_dispute(discussed_campaign, viewer, "try", "try", "reference", edit, "because").id

    first, second = claim_error(two), claim_error(two)
    assert remaining_disputes(discussed_campaign, two.team, "try") == 0
    with pytest.raises(UsageError, match="all 2 disputes about try are used"):
        claim_error(two)
    decide_dispute(discussed_campaign, first, "refused", "Ann", "no")
    assert remaining_disputes(discussed_campaign, two.team, "try") == 0
    decide_dispute(discussed_campaign, second, "accepted", "Ann", "yes")
    assert remaining_disputes(discussed_campaign, two.team, "try") == 1
    claim_error(two)
    claim_error(THE_ORGANISER)
