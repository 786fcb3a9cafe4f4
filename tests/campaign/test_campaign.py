"""What people do in a campaign: quotas, deadlines, receipts, phases, versions of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aune.campaign.campaign import BIRDS, MOST_CHANGES, Campaign, NotVisibleError
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.deadlines import parse_instant
from aune.campaign.protocol.protocol_file import PLACEHOLDER_LICENCE
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import changelog
from aune.campaign.runs.jobs import lease_next_job, run_job, score_waiting
from aune.campaign.scaffold import create_campaign, open_campaign
from aune.errors import UsageError

Registering = Callable[..., Team]


def key(campaign: Campaign, dataset: str = "try") -> bytes:
    return (campaign.folder / campaign.dataset(dataset).key).read_bytes()


def test_the_same_upload_twice_has_the_same_receipt(campaign: Campaign, team: Registering) -> None:
    first_team = team(campaign, "one")
    first = campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign))
    before = campaign.ledger.entries()[-1]
    assert campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign)) == first
    assert campaign.ledger.entries()[-1] == before, "and nothing was recorded"
    other = campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign), idempotency="k")
    assert other.submission != first.submission
    assert campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign), idempotency="k") == other
    with pytest.raises(UsageError, match="idempotency"):
        campaign.receive(first_team.id, "try", "run", "a.tsv", b"other\tNOUN\n", idempotency="k")
    assert (
        campaign.receive(team(campaign, "two").id, "try", "run", "a.tsv", key(campaign)).submission != first.submission
    )


def test_a_receipt_is_bound_to_the_ledger(campaign: Campaign, team: Registering) -> None:
    receipt = campaign.receive(team(campaign, "one").id, "try", "run", "a.tsv", key(campaign))
    entry = Campaign(campaign.folder).ledger.entries()[receipt.position]
    assert entry.hash == receipt.head and entry.time == receipt.time
    assert entry.details and entry.details["upload"] == receipt.sha256
    assert campaign.store.get(receipt.sha256) == key(campaign)


def quotas(campaign: Campaign, valid: int, total: int) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("valid = 20\ntotal = 60", f"valid = {valid}\ntotal = {total}"))


def test_valid_and_all_submissions_are_counted_apart(campaign: Campaign, team: Registering) -> None:
    quotas(campaign, 2, 4)
    first_team = team(campaign, "one")
    campaign.receive(first_team.id, "try", "bad", "a.tsv", b"no tab")
    campaign.receive(first_team.id, "try", "good", "b.tsv", key(campaign))
    assert score_waiting(campaign) == {"refused": 1, "scored": 1}
    assert campaign.submission_counts(first_team.id, "try") == {"valid": 1, "waiting": 0, "total": 2}
    campaign.receive(first_team.id, "try", "again", "b.tsv", key(campaign))
    with pytest.raises(UsageError, match="2 valid"):
        campaign.receive(first_team.id, "try", "more", "b.tsv", key(campaign))
    score_waiting(campaign)
    with pytest.raises(UsageError, match="2 valid"):
        campaign.receive(first_team.id, "try", "more", "c.tsv", key(campaign))


def test_our_faults_never_count(campaign: Campaign, team: Registering, monkeypatch: pytest.MonkeyPatch) -> None:
    quotas(campaign, 1, 1)
    first_team = team(campaign, "one")
    receipt = campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign))
    from aune.campaign.runs import scoring_process

    monkeypatch.setattr(scoring_process, "main", lambda folder: (_ for _ in ()).throw(RuntimeError("lightning")))
    assert score_waiting(campaign) == {"retried": 1, "fault": 1}
    assert campaign.submission_counts(first_team.id, "try") == {"valid": 0, "waiting": 0, "total": 0}
    text = campaign.status(Viewer("participant", first_team.id), receipt.submission)
    assert text["state"] == "fault" and "our fault" in text["problems"][0][3]
    monkeypatch.undo()
    campaign.receive(first_team.id, "try", "run", "b.tsv", key(campaign) + b"\n")
    assert lease_next_job(campaign) is not None


def test_deadlines_to_the_second(campaign: Campaign, team: Registering) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("[phases]\n", '[phases]\n"dry run" = "2030-03-28 23:59 AoE"\n'))
    ends = parse_instant("2030-03-28 23:59 AoE")
    assert ends == datetime(2030, 3, 29, 11, 59, tzinfo=UTC)
    first_team = team(campaign, "one")
    campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign), at=ends)
    for late in (timedelta(microseconds=1), timedelta(seconds=1), timedelta(days=1)):
        with pytest.raises(UsageError, match="2030-03-28 23:59:00 AoE"):
            campaign.receive(first_team.id, "try", "late", "a.tsv", key(campaign), at=ends + late)


def test_what_is_refused_before_it_is_recorded(campaign: Campaign, team: Registering) -> None:
    first_team = team(campaign, "one")
    without = campaign.register("without a licence")
    before, remaining = len(campaign.ledger.entries()), campaign.store.digests()
    for who, dataset, run, why in (
        (first_team.id, "final", "run", "taken in the phase 'test'"),
        (first_team.id, "train", "run", "nothing is submitted"),
        (first_team.id, "none", "run", "no data"),
        (first_team.id, "try", "../x", "the run"),
        ("nobody", "try", "run", "no team"),
        (without.id, "try", "run", "licence"),
    ):
        with pytest.raises(UsageError, match=why):
            campaign.receive(who, dataset, run, "a.tsv", b"x\tNOUN\n")
    assert len(campaign.ledger.entries()) == before
    assert campaign.store.digests() == remaining, "what is refused fills no disk"
    with pytest.raises(UsageError, match="no results of the test yet"):
        campaign.validate(first_team.id)
    campaign.withdraw(first_team.id, "tired")
    with pytest.raises(UsageError, match="withdrawn"):
        campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign))


def test_the_protocol_is_frozen_at_the_end_of_the_dry_run(campaign: Campaign) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("draws = 10000", "draws = 5000"))
    assert campaign.protocol.scoring.draws == 5000, "until then its file is the protocol"
    campaign.begin_phase("dry adjudication")
    frozen = campaign.protocol
    path.write_text(path.read_text().replace("draws = 5000", "draws = 200"))
    assert campaign.protocol == frozen
    assert open_campaign(campaign.folder).protocol.digest == frozen.digest
    with pytest.raises(UsageError, match="changed since it was frozen"):
        campaign.begin_phase("test")
    with pytest.raises(UsageError, match="reason"):
        campaign.freeze_protocol(" ")
    campaign.freeze_protocol("draws were slow", "Ann")
    assert campaign.protocol.scoring.draws == 200
    assert [item["reason"] for item in campaign.state.protocols] == ["the protocol as it was tried", "draws were slow"]
    campaign.begin_phase("test")
    (campaign.folder / "licence.txt").write_text("changed afterwards\n")
    assert campaign.protocol.digest == campaign.state.protocols[-1]["digest"], "what a file held is frozen too"
    (campaign.folder / "licence.txt").write_bytes(campaign.store.get(campaign.protocol.files["licence.txt"]))
    with pytest.raises(UsageError, match="nothing to record"):
        campaign.freeze_protocol("no change")


def test_keys_are_committed_before_their_phase(campaign: Campaign) -> None:
    assert {commitment["dataset"] for commitment in campaign.commitments()} == {"train", "try"}
    campaign.begin_phase("dry adjudication")
    campaign.begin_phase("test")
    kinds = [entry.kind for entry in campaign.ledger.entries()]
    assert kinds[-4:] == ["commitment", "key", "texts", "phase"]
    (campaign.folder / "keys/final.tsv").write_text("changed\tNOUN\n")
    from aune.campaign.campaign import sha256_hex

    assert campaign.state.keys["final"][0].digest != sha256_hex(b"changed\tNOUN\n")


def test_heads_are_published_at_each_phase(campaign: Campaign) -> None:
    assert [head["phase"] for head in campaign.heads()] == ["call", "training", "dry run"]
    hashes = {entry.hash for entry in campaign.ledger.entries()}
    assert {head["head"] for head in campaign.heads()} <= hashes
    assert [item["now"] for item in campaign.schedule()].index(True) == 2


def test_not_yours_is_as_if_it_were_not_there(campaign: Campaign, team: Registering) -> None:
    first_team, two = team(campaign, "one"), team(campaign, "two")
    receipt = campaign.receive(first_team.id, "try", "run", "a.tsv", key(campaign))
    for viewer in (EVERYBODY, Viewer("participant", two.id), Viewer("annotator")):
        with pytest.raises(NotVisibleError):
            campaign.status(viewer, receipt.submission)
        with pytest.raises(NotVisibleError):
            campaign.receipts(viewer, first_team.id)
        with pytest.raises(NotVisibleError):
            campaign.status(viewer, "s-0000000000000000")
    assert campaign.receipts(Viewer("participant", first_team.id), first_team.id) == [receipt]
    assert campaign.status(THE_ORGANISER, receipt.submission)["state"] == "received"


def test_consent_is_asked_before_the_test(campaign: Campaign, team: Registering) -> None:
    first_team, two = team(campaign, "one"), team(campaign, "two")
    campaign.consent(first_team.id, "anonymous")
    campaign.consent(first_team.id, "named")
    campaign.begin_phase("dry adjudication")
    campaign.begin_phase("test")
    with pytest.raises(UsageError, match="test has begun"):
        campaign.consent(first_team.id, "anonymous")
    with pytest.raises(UsageError, match="expected named"):
        campaign.consent(two.id, "loudly")
    late = team(campaign, "late")
    campaign.consent(two.id, "named")
    campaign.begin_phase("test adjudication")
    campaign.consent(late.id, "named")
    with pytest.raises(UsageError, match="what a team agreed to stands"):
        campaign.consent(late.id, "anonymous")


def test_nobody_agrees_to_be_named_once_results_are_published(campaign: Campaign, team: Registering) -> None:
    silent = team(campaign, "silent")
    for phase in ("dry adjudication", "test", "test adjudication", "publication"):
        campaign.begin_phase(phase)
    with pytest.raises(UsageError, match="results are published"):
        campaign.consent(silent.id, "named")


def end_dry_run_in_2100(campaign: Campaign) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("[phases]\n", '[phases]\n"dry run" = "2100-03-28 23:59 AoE"\n'))


def test_a_phase_ends_before_its_published_end_only_with_a_reason(campaign: Campaign) -> None:
    end_dry_run_in_2100(campaign)
    with pytest.raises(UsageError, match=r"'dry run' ends on .*give the reason"):
        campaign.begin_phase("dry adjudication")
    assert campaign.phase == "dry run"
    campaign.begin_phase("dry adjudication", "every team has sent its runs", "Olga")
    details = campaign.entries[-1].details
    assert details and details["reason"] == "every team has sent its runs" and details["ended"] == "dry run"
    changes = changelog(campaign, THE_ORGANISER)
    assert any("dry run ended before its published end" in change["what"] for change in changes)


NEW_DATASET = """
[[data]]
name = "more"
phase = "{phase}"
condition = "main"
key = "keys/try.tsv"
"""


def test_a_dataset_whose_phase_has_begun_is_refused(campaign: Campaign, team: Registering) -> None:
    path = campaign.folder / "campaign.toml"
    before = path.read_text()
    path.write_text(before.replace("[scoring]", NEW_DATASET.format(phase="dry run") + "[scoring]", 1))
    with pytest.raises(UsageError, match="more was added after its phase had begun"):
        campaign.receive(team(campaign, "one").id, "more", "run", "a.tsv", key(campaign))
    with pytest.raises(UsageError, match="more is for the phase 'dry run', which has begun"):
        campaign.freeze_protocol("more texts")
    path.write_text(before.replace("[scoring]", NEW_DATASET.format(phase="test") + "[scoring]", 1))
    campaign.freeze_protocol("more texts")


def test_a_placeholder_licence_cannot_open_a_campaign(tmp_path: Path) -> None:
    campaign = create_campaign(tmp_path / "campaign", "demo", "tagging")
    licence = campaign.folder / "licence.txt"
    licence.write_text(f"{PLACEHOLDER_LICENCE} Participants accept it before they get them.\n")
    with pytest.raises(UsageError, match=r"licence.txt is a placeholder"):
        campaign.begin_phase("training")
    licence.write_text("CC BY 4.0\n")
    campaign.begin_phase("training")


def test_nobody_fills_the_ledger_by_turning_round(campaign: Campaign, team: Registering) -> None:
    first_team = team(campaign, "one")
    campaign.add_member(first_team.id, "Ann")
    with pytest.raises(UsageError, match="100 times"):
        for _ in range(MOST_CHANGES):
            campaign.consent(first_team.id, "anonymous")
            campaign.consent(first_team.id, "named")
    with pytest.raises(UsageError, match="100 times"):
        for number in range(MOST_CHANGES):
            campaign.add_member(first_team.id, f"m{number}")
            campaign.remove_member(first_team.id, f"m{number}")


def test_no_pseudonym_is_part_of_another() -> None:
    """Who looks for `tern` in a page must not find `bittern`."""
    assert [(bird, other) for bird in BIRDS for other in BIRDS if bird != other and bird in other] == []
    assert len({*BIRDS}) == len(BIRDS) > 100


def test_pseudonyms_are_stable_and_all_different(campaign: Campaign) -> None:
    teams = [campaign.register(f"team {number}") for number in range(150)]
    names = [item.pseudonym for item in teams]
    assert len(set(names)) == 150
    again = open_campaign(campaign.folder)
    assert [again.team(document.id).pseudonym for document in teams] == names


def test_two_processes_see_each_other(campaign: Campaign, team: Registering) -> None:
    other = Campaign(campaign.folder)
    first_team = team(campaign, "one")
    assert other.team("one").id == first_team.id
    receipt = other.receive(first_team.id, "try", "run", "a.tsv", key(campaign))
    job = lease_next_job(campaign)
    assert job is not None and job.submission == receipt.submission
    assert lease_next_job(other) is None, "it is leased"
    assert run_job(campaign, job) == "scored"
    assert other.state.submissions[receipt.submission].state == "scored"


def test_a_folder_that_is_no_campaign(tmp_path: Path) -> None:
    from aune.errors import InputError

    with pytest.raises(InputError, match=r"campaign\.toml"):
        Campaign(tmp_path)
    create_campaign(tmp_path / "c", "demo", "speech")
    with pytest.raises(UsageError, match="something already"):
        create_campaign(tmp_path / "c", "demo", "speech")
    with pytest.raises(UsageError, match="expected a name"):
        create_campaign(tmp_path / "d", "a/b", "speech")
    with pytest.raises(UsageError, match="no campaigns for cooking"):
        create_campaign(tmp_path / "d", "demo", "cooking")


def test_a_taken_name_is_not_told_and_the_organiser_resolves_it(campaign: Campaign) -> None:
    first, second = campaign.register("Les Bleus"), campaign.register(" les  bleus")
    alone = campaign.register("Les Verts")
    assert second.name == " les  bleus" and first.pseudonym != second.pseudonym
    assert campaign.namesakes() == [[first, second]]
    campaign.rename(second.id, "Les Verts")
    assert campaign.namesakes() == [[campaign.team(second.id), alone]]
    with pytest.raises(UsageError, match="say which"):
        campaign.team("Les Verts")
    for phase in ("dry adjudication", "test", "test adjudication"):
        campaign.begin_phase(phase)
    with pytest.raises(UsageError, match="both called 'Les Verts'"):
        campaign.begin_phase("publication")
    campaign.rename(second.id, "Les Rouges")
    campaign.begin_phase("publication")
    with pytest.raises(UsageError, match="expected a name"):
        campaign.rename(second.id, " ")
