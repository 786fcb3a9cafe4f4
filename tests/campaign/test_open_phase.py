"""The open phase: after the archive, everybody can still submit, on another board; the archive stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import write_archive, zip_path
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.disputes.resolution import REFERENCE, decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import ANONYMOUS, NAMED, Team
from aune.campaign.protocol.protocol_file import read_protocol
from aune.campaign.protocol.visibility import EVERYBODY, Viewer
from aune.campaign.publication.run_report import may_read
from aune.campaign.publication.visible_results import participants, visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.run_actions import describe_run, name_primary, retract_run
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError, UsageError

OPEN_TABLE = '\n[open]\ndata = ["final"]\n\n[quotas.open]\nvalid = 3\n'


def with_open_phase(folder: Path, table: str = OPEN_TABLE, more: str = "") -> Campaign:
    campaign = create_campaign(folder, "demo", "tagging")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace("draws = 10000", "draws = 100")
    protocol.write_text(text.replace('# "test key" = "never"', more) + table, "utf-8")
    return campaign


def go_on(campaign: Campaign, *phases: str) -> None:
    for phase in phases:
        campaign.begin_phase(phase)


@pytest.fixture
def archived_campaign(tmp_path: Path, team: Callable[..., Team]) -> Campaign:
    """A campaign in its archive: two teams, one run each, and a key that was disputed."""
    campaign = with_open_phase(tmp_path / "c")
    go_on(campaign, "training", "dry run", "dry adjudication", "test")
    first_team, two = team(campaign, "one"), team(campaign, "two")
    campaign.consent(two.id, ANONYMOUS)
    key = (campaign.folder / "keys/final.tsv").read_text("utf-8")
    for sender, text in ((first_team, key), (two, key.replace("NOUN", "VERB"))):
        campaign.receive(sender.id, "final", "run", "a.tsv", text.encode())
    score_waiting(campaign)
    go_on(campaign, "test adjudication")
    dispute = file_dispute(
        campaign, Viewer("participant", two.id), "final", "final", REFERENCE, {"word": 4, "tags": "ADJ"}, "so"
    )
    decide_dispute(campaign, dispute.id, "accepted", "Ann", "agreed")
    make_key_version(campaign, "final")
    score_waiting(campaign)
    go_on(campaign, "publication", "archive")
    return campaign


def test_runs_after_the_archive_have_a_board_of_their_own(
    archived_campaign: Campaign, team: Callable[..., Team], tmp_path: Path
) -> None:
    write_archive(archived_campaign, tmp_path / "before", pages=False)
    before = visible_board(archived_campaign, EVERYBODY, "final")
    go_on(archived_campaign, "open")
    state = archived_campaign.state
    assert archived_campaign.dataset("final-open").source == "final"
    assert state.keys["final-open"][0].digest == state.keys["final"][-1].digest, "as it was corrected"
    late, two = team(archived_campaign, "late"), archived_campaign.team("two")
    archived_campaign.consent(late.id, NAMED)
    key = archived_campaign.store.get(state.keys["final"][-1].digest)
    good = archived_campaign.receive(late.id, "final-open", "good", "a.tsv", key)
    bad = archived_campaign.receive(late.id, "final-open", "bad", "a.tsv", key.replace(b"DET", b"ADV"))
    archived_campaign.receive(two.id, "final-open", "again", "a.tsv", key)
    score_waiting(archived_campaign)
    status = archived_campaign.status(Viewer("participant", late.id), good.submission)
    assert status["scores"], "scored at once, and seen at once"
    board = visible_board(archived_campaign, EVERYBODY, "final-open")
    assert set(board["systems"]) == {"late / good", "late / bad", f"{two.pseudonym} / 1"}
    assert visible_board(archived_campaign, EVERYBODY, "final") == before, "the board of the campaign stays"
    name_primary(archived_campaign, good.submission)
    retract_run(archived_campaign, bad.submission)
    score_waiting(archived_campaign)
    assert "late / bad" not in visible_board(archived_campaign, EVERYBODY, "final-open")["systems"]
    assert may_read(archived_campaign, EVERYBODY, good.submission)
    assert "late" not in {row["participant"] for row in participants(archived_campaign, EVERYBODY)}
    path = zip_path(archived_campaign)
    archived_campaign.receive(late.id, "final-open", "more", "a.tsv", key.replace(b"DET", b"X"))
    assert zip_path(archived_campaign) == path, "no archive is made again for it"
    with pytest.raises(UsageError, match="3 valid submissions for final-open are used"):
        archived_campaign.receive(late.id, "final-open", "most", "a.tsv", key.replace(b"DET", b"INTJ"))
    write_archive(archived_campaign, tmp_path / "after", pages=False)
    assert verify_folder(tmp_path / "after").problems == []
    old, new = (json.loads((tmp_path / name / "archive.json").read_bytes()) for name in ("before", "after"))
    assert [old[part] for part in ("boards", "runs", "participants", "keys")] == [
        new[part] for part in ("boards", "runs", "participants", "keys")
    ]


def test_what_belongs_to_the_campaign_stays_as_it_is(archived_campaign: Campaign, team: Callable[..., Team]) -> None:
    go_on(archived_campaign, "open")
    two = archived_campaign.team("two")
    [run] = archived_campaign.state.team_submissions(two.id, "final")
    refused = (
        lambda: archived_campaign.consent(two.id, NAMED),
        lambda: retract_run(archived_campaign, run.id),
        lambda: describe_run(archived_campaign, run.id, {}),
        lambda: archived_campaign.receive(two.id, "final", "late", "a.tsv", b"The\tDET\n"),
        lambda: file_dispute(
            archived_campaign,
            Viewer("participant", two.id),
            "final-open",
            "final",
            REFERENCE,
            {"word": 0, "tags": "ADJ"},
            "so",
        ),
        lambda: archived_campaign.begin_phase("archive"),
    )
    for action in refused:
        with pytest.raises(UsageError):
            action()


def test_a_key_that_is_never_published_is_not_in_the_open_phase(tmp_path: Path, team: Callable[..., Team]) -> None:
    campaign = with_open_phase(tmp_path / "c", more='"test key" = "never"')
    go_on(campaign, "training", "dry run", "dry adjudication", "test", "test adjudication", "publication", "archive")
    go_on(campaign, "open")
    late = team(campaign, "late")
    sent = campaign.receive(late.id, "final-open", "run", "a.tsv", (campaign.folder / "keys/final.tsv").read_bytes())
    score_waiting(campaign)
    viewer = Viewer("participant", late.id)
    assert campaign.status(viewer, sent.submission)["scores"]
    assert not may_read(campaign, viewer, sent.submission) and not campaign.may_see(viewer, "open key")
    with pytest.raises(NotVisibleError):
        campaign.check(EVERYBODY, "open key")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('[open]\ndata = ["try"]\n', "one of final"),
        ('[open]\ndata = "final"\n', "list of texts"),
        ("[open]\n", "no 'data'"),
        ('[phases]\nopen = 2030-01-01T00:00:00Z\n', "no table"),
        (f'{OPEN_TABLE}[[data]]\nname = "final-open"\nphase = "test"\nkey = "keys/final.tsv"\n', "a second time"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_table_is_reported(tmp_path: Path, table: str, problem: str) -> None:
    with_open_phase(tmp_path / "c", f"\n{table}" if "[phases]" not in table else "")
    protocol = tmp_path / "c/campaign.toml"
    if "[phases]" in table:
        protocol.write_text(protocol.read_text("utf-8").replace("[phases]\n", table, 1), "utf-8")
    with pytest.raises(InputError, match=problem):
        read_protocol(tmp_path / "c")


def test_an_open_phase_can_be_added_in_the_end(tmp_path: Path, team: Callable[..., Team]) -> None:
    campaign = with_open_phase(tmp_path / "c", "")
    go_on(campaign, "training", "dry run", "dry adjudication", "test", "test adjudication", "publication", "archive")
    versions = {name: len(keys) for name, keys in campaign.state.keys.items()}
    with pytest.raises(UsageError, match="no phase 'open'"):
        campaign.begin_phase("open")
    protocol = campaign.folder / "campaign.toml"
    protocol.write_text(protocol.read_text("utf-8") + OPEN_TABLE, "utf-8")
    campaign.freeze_protocol("an open phase")
    assert {name: len(keys) for name, keys in campaign.state.keys.items()} == versions, "nothing is scored again"
    campaign.begin_phase("open")
