"""Boards of many runs: made in batches, with the same numbers; only new runs are evaluated; pages show parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.protocol_file import Scoring
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication import board_index, board_pages
from aune.campaign.publication.board_index import read_index, write_index
from aune.campaign.publication.board_pages import LargeBoard
from aune.campaign.publication.visible_results import board_csv, visible_board
from aune.campaign.runs import jobs, leaderboard, scoring_process
from aune.campaign.runs.jobs import board_job, board_progress, known_scores, make_board, run_in_process, score_waiting
from aune.campaign.runs.leaderboard import BoardBuilder, RankedValue, is_testable
from aune.campaign.scaffold import create_campaign
from aune.contract import registry
from tests.campaign.runs.test_scoring_process import relabel_key

Registering = Callable[..., Team]


@pytest.fixture(params=["tagging", "entities", "coref", "speech"])
def played_campaign(request: pytest.FixtureRequest, tmp_path: Path, team: Registering) -> Campaign:
    """A campaign of a task with runs of five teams that differ, some of them twice."""
    return campaign_with_runs(tmp_path / "campaign", request.param, team)


def campaign_with_runs(folder: Path, task: str, team: Registering, teams: int = 5) -> Campaign:
    campaign = create_campaign(folder, "demo", task)
    path = folder / "campaign.toml"
    path.write_text(path.read_text().replace("draws = 10000", "draws = 300"))
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    for number in range(teams):
        send(campaign, team(campaign, f"team {number}").id, number % 3)
    assert set(score_waiting(campaign)) == {"scored"}
    return campaign


CHANGES = {
    "tagging": (b"dog\tNOUN", b"dog\tVERB"),
    "entities": (b"Ben\tB-PER", b"Ben\tB-LOC"),
    "coref": (b"[[0,0],[2,2],[5,5]]", b"[[0,0],[2,2]]"),
    "speech": (b"cold", b"old"),
}


def send(campaign: Campaign, team: str, kind: int, run: str = "run") -> None:
    """A run that is right, or in which labels are exchanged."""
    path = campaign.folder / campaign.dataset("try").key
    key = path.read_bytes()
    data = key if kind == 0 else key.replace(*CHANGES[campaign.protocol.task])
    if kind == 2:
        data = key + b"\n" * (campaign.protocol.task in ("tagging", "entities"))
    campaign.receive(team, "try", run, path.name, data)


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Boards of four runs are large, of batches of two."""
    for module in (leaderboard, scoring_process, jobs, board_index):
        monkeypatch.setattr(module, "MANY_RUNS", 3)
    monkeypatch.setattr(scoring_process, "BATCH_RUNS", 2)
    monkeypatch.setattr(board_pages, "ROWS_PER_PAGE", 2)
    yield


def without_mark(board: Mapping[str, Any]) -> dict[str, Any]:
    return {**board, "test": {name: value for name, value in board["test"].items() if name != "large"}}


@pytest.mark.usefixtures("few_are_many")
def test_batches_change_no_number(played_campaign: Campaign) -> None:
    job = board_job(played_campaign, "try", played_campaign.state.standing_submissions("try"), derived=False)
    batched, whole = (run_in_process(played_campaign, {**job, "large": large})["board"] for large in (True, False))
    assert batched["test"]["large"] and batched["systems"].keys() == {run["id"] for run in job["runs"]}
    assert without_mark(batched) == whole


@pytest.mark.usefixtures("few_are_many")
def test_only_new_runs_are_evaluated_where_none_is_tested(
    tmp_path: Path, team: Registering, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = campaign_with_runs(tmp_path / "campaign", "tagging", team)
    monkeypatch.setattr(leaderboard, "MOST_PAIRS", 5)  # five runs are ten pairs
    before = make_board(campaign, "try")
    assert before["ranking"]["pairs"] == [] and "no two runs were tested" in before["warnings"][-1]
    assert {row["worst"] for row in before["ranking"]["ranks"]} == {5}
    send(campaign, team(campaign, "late").id, 1)
    score_waiting(campaign)
    runs = campaign.state.standing_submissions("try")
    job = board_job(campaign, "try", runs, known=known_scores(campaign, "try", runs))
    assert [run["id"] for run in job["runs"]] == [run.id for run in runs if run.id not in before["systems"]]
    after = make_board(campaign, "try")
    fresh = run_in_process(campaign, board_job(campaign, "try", runs))["board"]
    assert json.loads(json.dumps(fresh)) == after, "the same board as from nothing"


def test_untested_runs_are_in_the_order_of_their_values() -> None:
    scoring = Scoring(("speech.wer",), "speech.wer", "wer", {})
    ranked = [f"run {number}" for number in range(1000)]
    assert not is_testable(scoring, len(ranked))
    known = {run: RankedValue(None if number == 7 else number % 10 / 10, "empty") for number, run in enumerate(ranked)}
    builder = BoardBuilder(scoring, ranked, registry.measure("speech.wer", "speech"), is_large=True, known=known)
    ranking = builder.build()["ranking"]
    by_run = {row["system"]: row["rank"] for row in ranking["ranks"]}
    assert ranking["undefined"] == {"run 7": "empty"} and len(by_run) == 999
    assert (by_run["run 0"], by_run["run 990"], by_run["run 1"]) == (1, 1, 101), "the lowest rate is the best"
    assert {(row["best"], row["worst"]) for row in ranking["ranks"]} == {(1, 999)}


@pytest.mark.usefixtures("few_are_many")
def test_pages_show_parts_of_what_the_board_says(tmp_path: Path, team: Registering) -> None:
    campaign = campaign_with_runs(tmp_path / "campaign", "tagging", team)
    assert read_index(campaign, "try") is None
    write_index(campaign, "try", make_board(campaign, "try"))
    index = read_index(campaign, "try")
    assert index is not None
    whole = visible_board(campaign, THE_ORGANISER, "try")
    board = LargeBoard(campaign, THE_ORGANISER, "try", index)
    pages = [board.page("participants", "rank", number) for number in (1, 2, 3)]
    assert [len(page.runs) for page in pages] == [2, 2, 1] and {page.pages for page in pages} == {3}
    shown = [run for page in pages for run in page.runs]
    ranks = {row["system"]: row for row in whole["ranking"]["ranks"]}
    assert [run.row.rank for run in shown] == sorted(row["rank"] for row in ranks.values())
    for run in shown:
        main = whole["systems"][run.label][whole["measure"]]["values"][whole["value"]]
        assert (run.row.score, [run.row.low, run.row.high]) == (main["score"], main["interval"])
        assert (run.row.best, run.row.worst) == (ranks[run.label]["best"], ranks[run.label]["worst"])
    by_name = [run.label for number in (1, 2, 3) for run in board.page("", "run", number).runs]
    assert by_name == sorted(ranks) and board.page("", "value", 99).page == 3, "a page beyond the last is the last"
    assert sorted("".join(board.csv()).splitlines()) == sorted(board_csv(whole).splitlines())
    assert board.pairs(shown[0].label).count("<tr>") == 1 + 4 and board.pairs("nobody") == ""
    assert shown[0].label in pages[0].values and pages[0].values.count('scope="col"') < 2 + 3


@pytest.mark.usefixtures("few_are_many")
def test_who_sees_the_board_is_the_policy_s(tmp_path: Path, team: Registering) -> None:
    campaign = campaign_with_runs(tmp_path / "campaign", "tagging", team)
    campaign.begin_phase("dry adjudication")
    write_index(campaign, "try", make_board(campaign, "try"))
    index = read_index(campaign, "try")
    assert index is not None
    first_team = campaign.team("team 1")
    page = LargeBoard(campaign, Viewer("participant", first_team.id), "try", index).page("", "run", 1)
    names = {run.label for run in page.runs} | {str(page.values)}
    assert not any(other.name in str(names) for other in campaign.state.teams.values() if other.id != first_team.id)
    with pytest.raises(Exception, match="not to be seen"):
        LargeBoard(campaign, EVERYBODY, "try", index)


@pytest.mark.usefixtures("few_are_many")
def test_an_archive_of_a_large_board_is_verified(tmp_path: Path, team: Registering) -> None:
    campaign = campaign_with_runs(tmp_path / "campaign", "tagging", team)
    for phase in ("dry adjudication", "test"):
        campaign.begin_phase(phase)
    for number in range(5):
        path = campaign.folder / "keys/final.tsv"
        data = path.read_bytes() if number % 2 else relabel_key("tagging", path.read_bytes())
        campaign.receive(campaign.team(f"team {number}").id, "final", "run", "a.tsv", data)
    score_waiting(campaign)
    for phase in ("test adjudication", "publication", "archive"):
        campaign.begin_phase(phase)
    write_archive(campaign, tmp_path / "site", pages=False)
    data = json.loads((tmp_path / "site/archive.json").read_bytes())
    assert [board["test"].get("large") for board in data["boards"]] == [True, True][: len(data["boards"])]
    assert verify_folder(tmp_path / "site").problems == []


def test_the_progress_of_a_board_can_be_asked_for(campaign: Campaign) -> None:
    assert board_progress(campaign, "try") is None
    folder = campaign.folder / "work" / "1-a"
    folder.mkdir(parents=True)
    scoring_process.write_progress(folder, "try", 50, 753)
    assert board_progress(campaign, "try") == (50, 753) and board_progress(campaign, "final") is None
    (folder / scoring_process.PROGRESS).write_text("half a li")
    assert board_progress(campaign, "try") is None
