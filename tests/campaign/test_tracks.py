"""Tracks: data with a task and measures of their own, in one campaign, from the call to the archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import REFERENCE, decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.protocol_file import read_protocol
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.static_pages import condition_parts
from aune.campaign.publication.visible_results import changelog, visible_board
from aune.campaign.runs.baseline_runs import baseline_names, enter_baseline
from aune.campaign.runs.codabench import bundle
from aune.campaign.runs.handouts import make_handout, read_handout
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.submission_checks import Run, check_run
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError, UsageError

TRACKS = """
[[tracks]]
name = "names"
title = "Named entities"
task = "entities"

[tracks.scoring]
ranking = "f_measure"
measures = ["ser"]
unit = "sentence"
draws = 100

[[tracks]]
name = "strict"

[tracks.scoring]
ranking = "precision_decision"
draws = 100
"""
NAMES = """
[[data]]
name = "names-train"
phase = "training"
key = "keys/names-train.conll"
track = "names"

[[data]]
name = "names"
phase = "test"
key = "keys/names.conll"
track = "names"

[[data]]
name = "strict"
phase = "test"
key = "keys/final.tsv"
track = "strict"

"""
KEY = "Cleo\tB-PER\nmet\tO\nDan\tB-PER\nin\tO\nRome\tB-LOC\n.\tO\n\nAcme\tB-ORG\nhired\tO\nher\tO\n.\tO\n"


def with_tracks(folder: Path) -> Campaign:
    """A campaign of tagging with a track of entities and one of another measure."""
    campaign = create_campaign(folder, "demo", "tagging")
    (folder / "keys/names.conll").write_text(KEY, "utf-8")
    (folder / "keys/names-train.conll").write_text("Dan\tB-PER\nin\tO\nRome\tB-LOC\n", "utf-8")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace("draws = 10000", "draws = 100")
    protocol.write_text(text.replace("[scoring]\n", f"{NAMES}[scoring]\n", 1) + TRACKS, "utf-8")
    return campaign


@pytest.fixture
def tracked_campaign(tmp_path: Path) -> Campaign:
    campaign = with_tracks(tmp_path / "tracked")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    return campaign


def test_each_track_has_its_task_and_its_measures(
    tracked_campaign: Campaign, team: Callable[..., Team], tmp_path: Path
) -> None:
    first_team = team(tracked_campaign, "one")
    assert tracked_campaign.protocol.tasks == ("tagging", "entities")
    assert tracked_campaign.plan_of("names").task == "entities" and tracked_campaign.plan_of("final").task == "tagging"
    runs = {
        "names": ("a.conll", KEY.replace("B-ORG", "B-PER")),
        "final": ("a.tsv", (tracked_campaign.folder / "keys/final.tsv").read_text("utf-8")),
        "strict": ("a.tsv", (tracked_campaign.folder / "keys/final.tsv").read_text("utf-8")),
    }
    for dataset, (name, text) in runs.items():
        tracked_campaign.receive(first_team.id, dataset, "run", name, text.encode())
    tracked_campaign.receive(first_team.id, "names", "wrong", "a.tsv", runs["final"][1].encode())
    assert score_waiting(tracked_campaign) == {"scored": 3, "refused": 1}, "a run of another task is none"
    assert {"known_names", "most_frequent"} <= set(baseline_names(tracked_campaign))
    enter_baseline(tracked_campaign, "known_names", "names")
    score_waiting(tracked_campaign)
    for phase in ("test adjudication",):
        tracked_campaign.begin_phase(phase)
    board = visible_board(tracked_campaign, THE_ORGANISER, "names")
    assert (board["measure"], board["value"]) == ("entities.f_measure", "f1") and board["blocks"]["baselines"]
    assert visible_board(tracked_campaign, THE_ORGANISER, "strict")["measure"] == "tagging.precision_decision"
    dispute = file_dispute(
        tracked_campaign, Viewer("participant", first_team.id), "names", "names", REFERENCE,
        {"remove": [6, 7, "ORG"], "add": [6, 7, "PER"]}, "she is a person",
    )  # fmt: skip
    decide_dispute(tracked_campaign, dispute.id, "accepted", "Ann", "so it is")
    make_key_version(tracked_campaign, "names")
    score_waiting(tracked_campaign)
    for phase in ("publication", "archive"):
        tracked_campaign.begin_phase(phase)
    assert any("ORG" in row["what"] for row in changelog(tracked_campaign, EVERYBODY)), (
        "an edit in the words of its task"
    )
    boards = [visible_board(tracked_campaign, EVERYBODY, name) for name in ("names", "final", "strict")]
    assert boards[0]["systems"][f"{first_team.pseudonym} / 1"]["entities.f_measure"]["values"]["f1"]["score"] == 1.0
    assert condition_parts(boards[:2]) == [], "numbers of two tracks are not compared"
    write_archive(tracked_campaign, tmp_path / "archive")
    assert verify_folder(tmp_path / "archive").problems == []
    data = json.loads((tmp_path / "archive/archive.json").read_bytes())
    assert {board["dataset"]: board["measure"] for board in data["boards"]}["names"] == "entities.f_measure"
    with pytest.raises(UsageError, match="tracks"):
        bundle(tracked_campaign)


def test_a_team_checks_a_run_of_a_track(tracked_campaign: Campaign, team: Callable[..., Team], tmp_path: Path) -> None:
    files = make_handout(tracked_campaign, Viewer("participant", team(tracked_campaign, "one").id), "names")
    folder = tmp_path / "handout"
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    protocol, dataset, texts, labels = read_handout(folder)
    assert labels == ["LOC", "PER"], "those of the training of the same track"
    check = check_run(protocol, protocol.datasets[dataset], folder, texts, Run("a.conll", KEY.encode(), "", b""))
    assert check.is_valid
    other = check_run(protocol, protocol.datasets[dataset], folder, texts, Run("a.conll", b"Cleo\tB-PER\n", "", b""))
    assert not other.is_valid


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('track = "strict"', 'track = "nothing"', "expected one of names, strict"),
        ('name = "strict"\n\n[tracks', 'name = "names"\n\n[tracks', "a second time"),
        ('entities"\ntask = "entities"', 'entities"\ntask = "cooking"', "expected one of"),
        ('ranking = "f_measure"\nmeasures', 'ranking = "cooking"\nmeasures', "cooking"),
        ("[tracks.scoring]\nranking", "[tracks.other]\nranking", "scoring"),
    ],
)
def test_what_is_wrong_with_a_track_is_said(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with_tracks(tmp_path / "wrong")
    protocol = tmp_path / "wrong/campaign.toml"
    text = protocol.read_text("utf-8")
    assert old in text
    protocol.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError, match=problem):
        read_protocol(tmp_path / "wrong")
