from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aune import evaluate
from aune.campaign.protocol.protocol_file import Scoring
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER
from aune.campaign.publication.visible_results import visible_board
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.runs.leaderboard import (
    MOST_TEST_DRAWS,
    bare_ranks,
    build_board,
    choose_test_draws,
    relabel_board,
    too_few_draws,
)
from aune.campaign.scaffold import open_campaign

SCORING = Scoring(("coref.muc",), "coref.muc", "recall", {}, draws=200)
KEY = {str(number): [{1, 2, 3}] for number in range(25)}
HALF = {number: [{1, 2}, {3}] for number in KEY}


def test_runs_that_no_test_tells_apart_share_a_group() -> None:
    result = evaluate("coref", KEY, {"a": KEY, "b": KEY, "c": HALF}, measures=["muc"])
    ranking = build_board(result, SCORING, ["a", "b", "c"])["ranking"]
    assert ranking["groups"] == [["a", "b"], ["c"]]
    assert [rank["rank"] for rank in ranking["ranks"]] == [1, 1, 3]
    assert [(rank["best"], rank["worst"]) for rank in ranking["ranks"]] == [(1, 2), (1, 2), (3, 3)]


def test_undefined_never_ranks() -> None:
    alone = {number: [{1}] for number in KEY}
    result = evaluate("coref", alone, {"a": alone, "b": alone}, measures=["muc"], undefined="none")
    ranking = build_board(result, SCORING, ["a", "b"])["ranking"]
    assert ranking["ranks"] == [] and set(ranking["undefined"]) == {"a", "b"}


def test_those_who_do_not_compete_are_in_no_test() -> None:
    result = evaluate("coref", KEY, {"a": KEY, "baseline": KEY, "c": HALF}, measures=["muc"])
    board = build_board(result, SCORING, ["a", "c"])
    assert [rank["system"] for rank in board["ranking"]["ranks"]] == ["a", "c"]
    assert set(board["systems"]) == {"a", "baseline", "c"}
    assert bare_ranks(result, SCORING, ["a", "c"])["baseline"] == (1.0, None)
    renamed = relabel_board(board, {"a": "x", "baseline": "y", "c": "z"})
    assert renamed["ranking"]["groups"] == [["x"], ["z"]] and set(renamed["systems"]) == {"x", "y", "z"}


WNUT = """
[campaign]
name = "wnut17"
task = "entities"
[[data]]
name = "emerging"
phase = "test"
key = "gold.conll"
[scoring]
ranking = "f_measure"
unit = "sentence"
draws = 2000
[phases]
training = false
"dry run" = false
[coverage]
different = 0.06  # one of the seven runs has "&gt" as ">"
"""
PUBLISHED = {
    "uh_ritual": 41.86, "spinningbytes": 40.78, "sjtu_adapt": 40.42, "arcada": 39.98, "flytxt": 38.35, "mic-cis": 37.06,
    "drexel_cci": 26.30,
}  # fmt: skip


@pytest.fixture(scope="module")
def wnut(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = data / "entities/wnut17"
    if not home.is_dir():
        pytest.skip(f"no data at {home}")
    folder = tmp_path_factory.mktemp("wnut")
    (folder / "campaign.toml").write_text(WNUT)
    (folder / "gold.conll").write_bytes((home / "gold.conll").read_bytes())
    campaign = open_campaign(folder)
    campaign.begin_phase("test")
    for name in PUBLISHED:
        team = campaign.register(name)
        campaign.receive(team.id, "emerging", "run", f"{name}.conll", (home / f"{name}.conll").read_bytes())
    assert score_waiting(campaign) == {"scored": 7}
    for phase in ("test adjudication", "publication"):
        campaign.begin_phase(phase)
    return {
        "organiser": visible_board(campaign, THE_ORGANISER, "emerging"),
        "public": visible_board(campaign, EVERYBODY, "emerging"),
    }


def test_the_seven_runs_of_wnut_have_the_published_order(wnut: dict[str, Any]) -> None:
    found = wnut["organiser"]
    order = [rank["system"].removesuffix(" / run") for rank in found["ranking"]["ranks"]]
    assert order == list(PUBLISHED)
    for name, expected in PUBLISHED.items():
        score = found["systems"][f"{name} / run"]["entities.f_measure"]["values"][found["value"]]["score"]
        assert round(100 * score, 2) == expected
    assert found["ranking"]["groups"][-1] == ["drexel_cci / run"]
    assert len(found["ranking"]["groups"][0]) > 1, "the first ones do not differ significantly"
    assert found["derived"]["vote"]["entities.f_measure"][found["value"]] > 0.35


def test_the_public_board_has_the_same_numbers_under_pseudonyms(wnut: dict[str, Any]) -> None:
    def numbers(result: dict[str, Any]) -> list[str]:
        return sorted(str(system) for system in result["systems"].values())

    assert numbers(wnut["public"]) == numbers(wnut["organiser"])
    assert not any(name in str(wnut["public"]) for name in PUBLISHED)


def test_too_few_units_are_said() -> None:
    """Two sentences cannot tell two runs apart; a document alone has no interval either."""
    key = {"d": [["B-PER", "O"], ["O", "B-LOC"]]}
    runs = {"one": key, "two": {"d": [["O", "O"], ["O", "B-LOC"]]}}
    result = evaluate("entities", key, runs, measures=["f_measure"])
    for unit, what in (("sentence", "2 sentences"), ("document", "1 document")):
        scoring = Scoring(("entities.f_measure",), "entities.f_measure", "f1", {}, unit=unit, draws=100)
        board = build_board(result, scoring, ["one", "two"])
        message = f"{what} cannot tell any two runs apart, whatever they are: it takes 6 at least"
        assert message in board["warnings"]
        [pair] = board["ranking"]["pairs"]
        assert pair["p"] is None or pair["p"] > 0.05


def test_eleven_teams_with_three_runs_each_can_be_told_apart() -> None:
    """With 10,000 draws no p is small enough for 528 pairs, and every run had the letter a."""
    draws = choose_test_draws(SCORING._replace(draws=10_000), 33)
    assert too_few_draws(SCORING._replace(draws=10_000), 33)
    assert too_few_draws(SCORING._replace(draws=draws), 33) == []
    most = choose_test_draws(SCORING, 753)
    assert most == MOST_TEST_DRAWS and too_few_draws(SCORING._replace(draws=most), 753), "a board says so"
