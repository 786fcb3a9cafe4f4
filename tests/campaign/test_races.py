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
    told: list[str] = []

    def act(one: Act) -> None:
        try:
            one(Campaign(campaign.folder))
            told.append("")
        except UsageError as error:
            told.append(str(error))

    with campaign.writing():
        threads = [threading.Thread(target=act, args=(one,)) for one in acts]
        for thread in threads:
            thread.start()
        time.sleep(0.4)
    for thread in threads:
        thread.join()
    return told


def entries(campaign: Campaign, kind: str) -> int:
    return sum(entry.kind == kind for entry in Campaign(campaign.folder).ledger.entries())


@pytest.fixture
def discussed(campaign: Campaign, team: Callable[..., Team]) -> Campaign:
    """A campaign in the adjudication of its dry run, with one team and its run."""
    one = team(campaign, "One")
    campaign.receive(one.id, "try", "run", "run.tsv", TEXT)
    score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    return campaign


def viewer(campaign: Campaign) -> Viewer:
    return Viewer(PARTICIPANT, next(iter(campaign.state.teams)))


def claim(campaign: Campaign, tags: str = "VERB") -> str:
    return file_dispute(campaign, viewer(campaign), "try", "try", "reference", {**EDIT, "tags": tags}, "so it is").id


def test_the_last_place_of_a_quota(campaign: Campaign, team: Callable[..., Team]) -> None:
    """One run has it, and nothing is kept of the others, whose files would fill the disk."""
    one = team(campaign, "One")
    for number in range(campaign.protocol.quotas["dry run"].valid - 1):
        campaign.receive(one.id, "try", f"run{number}", "run.tsv", TEXT)
    before = campaign.store.digests()

    def sent(number: int) -> Act:
        run, table = TEXT + b"\n" * number, b"%d" % number
        return lambda campaign: campaign.receive(one.id, "try", "last", "run.tsv", run, table=table, table_name="t.tsv")

    assert at_once(campaign, *map(sent, range(1, 5))).count("") == 1
    assert len(campaign.store.digests()) == len(before) + 2


def test_the_next_phase(discussed: Campaign) -> None:
    told = at_once(discussed, *[lambda one: one.begin_phase("test")] * 2)
    assert sorted(map(bool, told)) == [False, True], told
    found = Campaign(discussed.folder).state
    assert [phase for phase, _, _ in found.phases].count("test") == 1
    assert found.version("final") == 1 and len(found.protocols) == 1, "one key, one commitment"


def test_a_new_protocol(discussed: Campaign) -> None:
    """Two who record the same change of the protocol record it once."""
    plan = discussed.folder / "campaign.toml"
    plan.write_text(plan.read_text("utf-8").replace("seed = 1", "seed = 2"), "utf-8")
    told = at_once(discussed, *[lambda one: one.freeze_protocol("another seed")] * 2)
    assert sorted(map(bool, told)) == [False, True], told
    assert len(Campaign(discussed.folder).state.protocols) == 2


def test_a_decision(discussed: Campaign) -> None:
    name = claim(discussed)
    told = at_once(
        discussed,
        lambda one: decide_dispute(one, name, "accepted", "Ann", "yes"),
        lambda one: decide_dispute(one, name, "refused", "Ben", "no"),
    )
    assert sorted(map(bool, told)) == [False, True], told
    assert entries(discussed, "decision") == 1


def test_a_new_key(discussed: Campaign) -> None:
    decide_dispute(discussed, claim(discussed), "accepted", "Ann", "yes")
    told = at_once(discussed, *[lambda one: make_key_version(one, "try")] * 2)
    assert sorted(map(bool, told)) == [False, True], told
    assert Campaign(discussed.folder).state.version("try") == 2


def test_a_phase_and_a_dispute(discussed: Campaign) -> None:
    """A phase that ends while somebody claims: the claim is refused, or the phase is."""
    told = at_once(discussed, lambda one: one.begin_phase("test"), claim)
    assert sorted(map(bool, told)) == [False, True], told


def test_the_same_claim_twice(discussed: Campaign) -> None:
    """Somebody who clicks twice claims once."""
    at_once(discussed, claim, claim)
    assert entries(discussed, "dispute") == 1
    assert claim(discussed) == claim(discussed), "also later"


def test_leaving(discussed: Campaign) -> None:
    one = viewer(discussed).team
    told = at_once(discussed, *[lambda campaign: campaign.withdraw(one)] * 2)
    assert sorted(map(bool, told)) == [False, True], told
    assert entries(discussed, "withdrawn") == 1


def test_consent_and_the_test(discussed: Campaign) -> None:
    """What a team agrees to stands when the test begins: nobody agrees a moment later."""
    one = viewer(discussed).team
    at_once(discussed, lambda campaign: campaign.begin_phase("test"), lambda campaign: campaign.consent(one, "named"))
    kinds = [
        entry.kind
        for entry in Campaign(discussed.folder).ledger.entries()
        if entry.kind == "consent" or (entry.details or {}).get("phase") == "test"
    ]
    assert kinds in (["phase"], ["consent", "phase"])


def test_the_key_that_annotators_made(campaign: Campaign, tmp_path: Path) -> None:
    key = (campaign.folder / "keys/final.tsv").read_bytes()
    layers = {"ann": ("ann.tsv", key), "ben": ("ben.tsv", key)}
    told = at_once(campaign, *[lambda one: one.commit_key("final")] * 2)
    assert told == ["", ""], "the one that came second found it done"
    assert Campaign(campaign.folder).state.version("final") == 1
    with pytest.raises(UsageError, match="committed"):
        campaign.make_key("final", key, layers, "Ann")


@pytest.mark.parametrize("said", ["licence", "consent", "validated"])
def test_what_is_said_again_is_said_once(discussed: Campaign, said: str) -> None:
    """A team that clicks for ever does not make the ledger grow."""
    one = viewer(discussed).team
    if said == "validated":
        discussed.begin_phase("test")
        discussed.begin_phase("test adjudication")
    act = {
        "licence": lambda: discussed.accept_licence(one),
        "consent": lambda: discussed.consent(one, "listed"),
        "validated": lambda: discussed.validate(one),
    }[said]
    act()
    before = entries(discussed, said)
    act()
    assert entries(discussed, said) == before


def test_a_protocol_that_is_frozen_early_stops_nothing(campaign: Campaign) -> None:
    campaign.freeze_protocol("it is ready")
    campaign.begin_phase("dry adjudication")
    assert len(campaign.state.protocols) == 1
