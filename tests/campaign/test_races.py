"""Of two people who do the same at the same moment, one does it: the other is told, and the ledger has it once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import PARTICIPANT, Viewer
from aune.campaign.runs.jobs import score_waiting
from aune.errors import UsageError

EDIT = {"word": 1, "tags": "VERB"}
TEXT = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"
Act = Callable[[Campaign], object]


def at_once(campaign: Campaign, *acts: Act) -> list[str]:
    """What becomes of several acts that have all looked before any can write: nothing, or why it was refused."""
    messages: list[str] = []

    def act(action: Act) -> None:
        try:
            action(Campaign(campaign.folder))
            messages.append("")
        except UsageError as error:
            messages.append(str(error))

    with campaign.writing():
        threads = [threading.Thread(target=act, args=(item,)) for item in acts]
        for thread in threads:
            thread.start()
        time.sleep(0.4)
    for thread in threads:
        thread.join()
    return messages


def entries(campaign: Campaign, kind: str) -> int:
    return sum(entry.kind == kind for entry in Campaign(campaign.folder).ledger.entries())


@pytest.fixture
def discussed_campaign(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    """A campaign in the adjudication of its dry run, with one team and its run."""
    first_team = team(campaign, "One")
    campaign.receive(first_team.id, "try", "run", "run.tsv", TEXT)
    score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    return campaign


def viewer(campaign: Campaign) -> Viewer:
    return Viewer(PARTICIPANT, next(iter(campaign.state.teams)))


def claim(campaign: Campaign, tags: str = "VERB") -> str:
    return file_dispute(campaign, viewer(campaign), "try", "try", "reference", {**EDIT, "tags": tags}, "so it is").id


def test_the_last_place_of_a_quota(campaign: Campaign, team: Callable[..., Team]) -> None:
    """One run has it, and nothing is kept of the others, whose files would fill the disk."""
    first_team = team(campaign, "One")
    for number in range(campaign.protocol.quotas["dry run"].valid - 1):
        campaign.receive(first_team.id, "try", f"run{number}", "run.tsv", TEXT)
    before = campaign.store.digests()

    def send_messages(number: int) -> Act:
        run, table = TEXT + b"\n" * number, b"%d" % number
        return lambda campaign: campaign.receive(
            first_team.id, "try", "last", "run.tsv", run, table=table, table_name="t.tsv"
        )

    assert at_once(campaign, *map(send_messages, range(1, 5))).count("") == 1
    assert len(campaign.store.digests()) == len(before) + 2


def test_the_next_phase(discussed_campaign: Campaign) -> None:
    outcomes = at_once(discussed_campaign, *[lambda campaign: campaign.begin_phase("test")] * 2)
    assert sorted(map(bool, outcomes)) == [False, True], outcomes
    result = Campaign(discussed_campaign.folder).state
    assert [phase for phase, _, _ in result.phases].count("test") == 1
    assert result.version("final") == 1 and len(result.protocols) == 1, "one key, one commitment"


def test_a_new_protocol(discussed_campaign: Campaign) -> None:
    """Two who record the same change of the protocol record it once."""
    plan = discussed_campaign.folder / "campaign.toml"
    plan.write_text(plan.read_text("utf-8").replace("seed = 1", "seed = 2"), "utf-8")
    outcomes = at_once(discussed_campaign, *[lambda campaign: campaign.freeze_protocol("another seed")] * 2)
    assert sorted(map(bool, outcomes)) == [False, True], outcomes
    assert len(Campaign(discussed_campaign.folder).state.protocols) == 2


def test_a_decision(discussed_campaign: Campaign) -> None:
    name = claim(discussed_campaign)
    outcomes = at_once(
        discussed_campaign,
        lambda campaign: decide_dispute(campaign, name, "accepted", "Ann", "yes"),
        lambda campaign: decide_dispute(campaign, name, "refused", "Ben", "no"),
    )
    assert sorted(map(bool, outcomes)) == [False, True], outcomes
    assert entries(discussed_campaign, "decision") == 1


def test_a_new_key(discussed_campaign: Campaign) -> None:
    decide_dispute(discussed_campaign, claim(discussed_campaign), "accepted", "Ann", "yes")
    outcomes = at_once(discussed_campaign, *[lambda campaign: make_key_version(campaign, "try")] * 2)
    assert sorted(map(bool, outcomes)) == [False, True], outcomes
    assert Campaign(discussed_campaign.folder).state.version("try") == 2


def test_a_phase_and_a_dispute(discussed_campaign: Campaign) -> None:
    """A phase that ends while somebody claims: the claim is refused, or the phase is."""
    outcomes = at_once(discussed_campaign, lambda campaign: campaign.begin_phase("test"), claim)
    assert sorted(map(bool, outcomes)) == [False, True], outcomes


def test_the_same_claim_twice(discussed_campaign: Campaign) -> None:
    """Somebody who clicks twice claims once."""
    at_once(discussed_campaign, claim, claim)
    assert entries(discussed_campaign, "dispute") == 1
    assert claim(discussed_campaign) == claim(discussed_campaign), "also later"


def test_leaving(discussed_campaign: Campaign) -> None:
    first_team = viewer(discussed_campaign).team
    outcomes = at_once(discussed_campaign, *[lambda campaign: campaign.withdraw(first_team)] * 2)
    assert sorted(map(bool, outcomes)) == [False, True], outcomes
    assert entries(discussed_campaign, "withdrawn") == 1


def test_consent_and_the_test(discussed_campaign: Campaign) -> None:
    """What a team agrees to stands when the test begins: nobody agrees a moment later."""
    first_team = viewer(discussed_campaign).team
    at_once(
        discussed_campaign,
        lambda campaign: campaign.begin_phase("test"),
        lambda campaign: campaign.consent(first_team, "named"),
    )
    kinds = [
        entry.kind
        for entry in Campaign(discussed_campaign.folder).ledger.entries()
        if entry.kind == "consent" or (entry.details or {}).get("phase") == "test"
    ]
    assert kinds in (["phase"], ["consent", "phase"])


def test_the_key_that_annotators_made(campaign: Campaign, tmp_path: Path) -> None:
    key = (campaign.folder / "keys/final.tsv").read_bytes()
    layers = {"ann": ("ann.tsv", key), "ben": ("ben.tsv", key)}
    outcomes = at_once(campaign, *[lambda item: item.commit_key("final")] * 2)
    assert outcomes == ["", ""], "the one that came second found it done"
    assert Campaign(campaign.folder).state.version("final") == 1
    with pytest.raises(UsageError, match="committed"):
        campaign.make_key("final", key, layers, "Ann")


@pytest.mark.parametrize("text", ["licence", "consent", "validated"])
def test_what_is_said_again_is_said_once(discussed_campaign: Campaign, text: str) -> None:
    """A team that clicks for ever does not make the ledger grow."""
    first_team = viewer(discussed_campaign).team
    if text == "validated":
        discussed_campaign.begin_phase("test")
        discussed_campaign.begin_phase("test adjudication")
    act = {
        "licence": lambda: discussed_campaign.accept_licence(first_team),
        "consent": lambda: discussed_campaign.consent(first_team, "listed"),
        "validated": lambda: discussed_campaign.validate(first_team),
    }[text]
    act()
    before = entries(discussed_campaign, text)
    act()
    assert entries(discussed_campaign, text) == before


def test_a_protocol_that_is_frozen_early_stops_nothing(campaign: Campaign) -> None:
    campaign.freeze_protocol("it is ready")
    campaign.begin_phase("dry adjudication")
    assert len(campaign.state.protocols) == 1
