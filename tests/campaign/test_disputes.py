"""Disputes as patches: the effect is known before the decision, all runs are scored again, old results stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune.campaign import jobs
from aune.campaign.campaign import Campaign, NotYoursError
from aune.campaign.disputes import (
    changes,
    decide,
    dispute,
    disputes_left,
    impact,
    key_documents,
    new_version,
    open_disputes,
    seen,
    unapplied,
)
from aune.campaign.jobs import caught_up, make_board, work
from aune.campaign.listing import ADD, edit_of, items
from aune.campaign.policy import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication import changelog
from aune.campaign.records import Team
from aune.campaign.starting import TEXTS, founded
from aune.core.errors import UsageError

RIGHT = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"


@pytest.fixture
def discussed(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    """Three teams, in the adjudication of the dry run: one all right, one with a wrong noun, one with a table."""
    one, two, three = (team(campaign, name) for name in ("one", "two", "three"))
    campaign.receive(one.id, "try", "run", "a.tsv", RIGHT)
    campaign.receive(two.id, "try", "run", "a.tsv", RIGHT.replace(b"cat\tNOUN", b"cat\tVERB"))
    table = b"N\tPROPN\nVERB\tVERB\nDET\tDET\nPUNCT\tPUNCT\n"
    campaign.receive(three.id, "try", "run", "a.tsv", RIGHT.replace(b"NOUN", b"N"), table=table, table_name="t.tsv")
    work(campaign)
    campaign.go_to("dry adjudication")
    return campaign


def by_team(campaign: Campaign, name: str) -> Viewer:
    return Viewer("participant", campaign.team(name).id)


def test_from_the_claim_to_the_new_scores(discussed: Campaign) -> None:
    two = by_team(discussed, "two")
    cat = dispute(discussed, two, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "to cat is a verb")
    none = dispute(discussed, two, "try", "try", "reference", {"word": 3, "tags": "SYM"}, "it is a symbol")
    effects = {effect.run: effect for effect in impact(discussed, THE_ORGANISER, cat.id)}
    mine = next(one for one in discussed.state.standing("try") if one.team == two.team)
    assert effects[mine.id].change == pytest.approx(1 / 8)
    assert (effects[mine.id].rank_before, effects[mine.id].rank_after) == (2, 1)
    assert [one.id for one, _ in open_disputes(discussed, THE_ORGANISER)] == [cat.id, none.id]
    with pytest.raises(NotYoursError):
        impact(discussed, two, cat.id)
    before = make_board(discussed, "try")
    decide(discussed, cat.id, "accepted", "Ann", "granted")
    decide(discussed, none.id, "refused", "Ann", "nothing to change")
    with pytest.raises(UsageError, match="accepted already"):
        decide(discussed, cat.id, "refused", "Ann", "no")
    assert new_version(discussed, "try") == 2
    assert not caught_up(discussed.state, "try")
    assert work(discussed, most=1) == {"scored": 1}, "killed half-way…"
    assert work(Campaign(discussed.folder)) == {"scored": 2}, "…it goes on where it was"
    assert caught_up(discussed.state, "try")
    values = {one["run"]: one["values"] for one in changes(discussed, THE_ORGANISER, "try")}
    assert values[mine.id] == {1: 0.875, 2: 1.0}
    assert make_board(discussed, "try")["systems"] != before["systems"]
    log = changelog(discussed, two)
    assert log[-1]["why"] == "granted" and "word 5 becomes VERB" in log[-1]["what"]
    key = discussed.store.get(discussed.state.keys["try"][1].digest)
    assert key == RIGHT.replace(b"cat\tNOUN", b"cat\tVERB"), "only that tag was written"


def test_a_line_of_one_s_own_table(discussed: Campaign) -> None:
    three = by_team(discussed, "three")
    edit = {"run": "run", "tag": "N", "to": ["NOUN"]}
    one = dispute(discussed, three, "try", "", "table", edit, "a slip")
    with pytest.raises(UsageError, match="no run"):
        dispute(discussed, by_team(discussed, "two"), "try", "", "table", edit, "not mine")
    mine = next(run for run in discussed.state.standing("try") if run.team == three.team)
    effects = {effect.run: effect.change for effect in impact(discussed, THE_ORGANISER, one.id)}
    assert effects[mine.id] == pytest.approx(2 / 8) and sum(map(bool, effects.values())) == 1
    decide(discussed, one.id, "accepted", "Ann", "a slip indeed")
    assert new_version(discussed, "try") == 2
    assert discussed.state.keys["try"][0].digest == discussed.state.keys["try"][1].digest, "the key did not change"
    assert work(discussed) == {"scored": 3}
    result = discussed.result(discussed.state.submissions[mine.id])
    assert result and result["scores"][0]["values"]["overall"] == 1.0


def test_what_is_refused(discussed: Campaign) -> None:
    two = by_team(discussed, "two")
    for claim, edit, argument, why in (
        ("reference", {"word": 999, "tags": "X"}, "x", "words from 0"),
        ("reference", {"word": 1, "tags": "X"}, " ", "argument"),
        ("weather", {}, "x", "expected a claim"),
        ("protocol", {"word": 1}, "x", "no edit"),
    ):
        with pytest.raises(UsageError, match=why):
            dispute(discussed, two, "try", "try", claim, edit, argument)
    dispute(discussed, two, "try", "try", "protocol", {}, "the unit should be the sentence")
    with pytest.raises(UsageError, match="test adjudication"):
        dispute(discussed, two, "final", "final", "reference", {"word": 1, "tags": "X"}, "early")
    with pytest.raises(UsageError, match="no accepted dispute"):
        new_version(discussed, "try")
    with pytest.raises(UsageError, match="an author and a reason"):
        decide(discussed, next(iter(discussed.state.disputes)), "accepted", "", "x")


def test_who_sees_disputes(discussed: Campaign) -> None:
    one, two = by_team(discussed, "one"), by_team(discussed, "two")
    claim = dispute(discussed, two, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "CANARY")
    assert [dispute.id for dispute in seen(discussed, two)] == [claim.id]
    assert seen(discussed, one) == [] and seen(discussed, EVERYBODY) == []
    decide(discussed, claim.id, "refused", "Ann", "no")
    assert [dispute.id for dispute in seen(discussed, one)] == [claim.id]
    assert seen(discussed, EVERYBODY) == []


def test_a_rescoring_that_is_killed_resumes(discussed: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = dispute(discussed, THE_ORGANISER, "try", "try", "reference", {"word": 5, "tags": "VERB"}, "x")
    decide(discussed, claim.id, "accepted", "Ann", "x")
    assert list(unapplied(discussed)) == ["try"]
    new_version(discussed, "try")
    assert unapplied(discussed) == {}
    real, calls = jobs.in_a_process, []

    def dies_at_the_second(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(jobs, "in_a_process", dies_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        work(discussed)
    monkeypatch.undo()
    assert len(jobs.waiting(discussed.state)) == 2
    assert work(discussed) == {"scored": 2}, "what was interrupted is given back"


@pytest.mark.parametrize("task", TEXTS)
def test_an_edit_that_changes_nothing_is_no_dispute(task: str, tmp_path: Path) -> None:
    """Every item of a key in every task: to claim that it should be what it is is refused."""
    campaign = founded(tmp_path / "campaign", "demo", task)
    for phase in ("training", "dry run"):
        campaign.go_to(phase)
    for document in key_documents(campaign, THE_ORGANISER, "try"):
        for item in items(task, document):
            if item.place != ADD:
                edit = edit_of(task, item.place, item.value)
                with pytest.raises(UsageError, match="says already"):
                    dispute(campaign, THE_ORGANISER, "try", document.id, "reference", edit, "so it is")


def test_a_team_has_so_many_disputes(discussed: Campaign) -> None:
    """As many as the protocol says; being right costs none, and organisers are not counted."""
    plan = discussed.folder / "campaign.toml"
    plan.write_text(plan.read_text("utf-8").replace("disputes = 100", "disputes = 2"), "utf-8")
    discussed.freeze("fewer disputes")
    two, tags = by_team(discussed, "two"), iter(("ADJ", "ADV", "X", "SYM", "NUM"))

    def claimed(viewer: Viewer) -> str:
        edit = {"word": 5, "tags": next(tags)}
        return dispute(discussed, viewer, "try", "try", "reference", edit, "because").id

    first, second = claimed(two), claimed(two)
    assert disputes_left(discussed, two.team, "try") == 0
    with pytest.raises(UsageError, match="all 2 disputes about try are used"):
        claimed(two)
    decide(discussed, first, "refused", "Ann", "no")
    assert disputes_left(discussed, two.team, "try") == 0
    decide(discussed, second, "accepted", "Ann", "yes")
    assert disputes_left(discussed, two.team, "try") == 1
    claimed(two)
    claimed(THE_ORGANISER)
