"""GRACE replayed, without pages: from the call to the archive, with real texts and real systems.

Systems are teams, with tables and identities; there are two conditions, one dispute that is accepted and one that is
refused, one team that leaves, and one that is not named. `AUNE_FULL=1` takes more of the text, and the pages of runs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.disputes.resolution import (
    decide_dispute,
    dispute_impact,
    file_dispute,
    make_key_version,
    open_disputes,
)
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import participants, score_differences, visible_board
from aune.campaign.runs.baseline_runs import enter_baseline
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import open_campaign

PROTOCOL = """
[campaign]
name = "grace"
title = "GRACE, replayed"
task = "tagging"
zone = "Europe/Paris"
licence = "licence.txt"
[[conditions]]
name = "words"
[[conditions]]
name = "surface"
[[data]]
name = "essais"
phase = "dry run"
condition = "words"
key = "keys/essais.tsv"
[[data]]
name = "tests"
phase = "test"
condition = "words"
key = "keys/gold.tsv"
annotators = { one = "keys/one.tsv", two = "keys/two.tsv" }
[[data]]
name = "tests-surface"
phase = "test"
condition = "surface"
key = "keys/gold_surface.tsv"
[scoring]
ranking = "precision_decision"
value = "precision"
measures = ["accuracy"]
unit = "sentence"
draws = 200
[scoring.options]
tagset = "grace"
[referential]
pivot = "grace"
[phases]
training = false
[coverage]
different = 0.2
"""

TEAMS = {
    "Perceptron Oy": ("sys1_perceptron_grace", "words", "named"),
    "Laboratoire CRF": ("sys2_crf_ftbtags", "words", "named"),
    "Ambigus Réunis": ("sys3_crf_grace_ambiguous", "words", "listed"),
    "Zephyr Secret Labs": ("sys3b_crf_grace_single", "words", "anonymous"),
    "Lexique SA": ("sys4_lexicon_ambiguous", "words", "named"),
    "Spacy Frères": ("sys5_spacytok_perceptron", "surface", "named"),
    "Compounds & Co": ("sys6_spacytok_compounds", "surface", "named"),
}
FULL = bool(os.environ.get("AUNE_FULL"))
SENTENCES = 120 if FULL else 50
SECRET = "Zephyr Secret Labs"
LEAVES = "Lexique SA"


def first_sentences(path: Path, sentences: int) -> str:
    return "\n\n".join(path.read_text("utf-8").split("\n\n")[:sentences]) + "\n"


def grace(folder: Path, home: Path) -> Campaign:
    """The campaign, called."""
    (folder / "keys").mkdir(parents=True)
    (folder / "licence.txt").write_text("For the evaluation only.\n")
    gold = first_sentences(home / "gold.tsv", SENTENCES)
    (folder / "keys/essais.tsv").write_text(first_sentences(home / "gold.tsv", 20), "utf-8")
    (folder / "keys/gold.tsv").write_text(gold, "utf-8")
    (folder / "keys/one.tsv").write_text(gold, "utf-8")
    (folder / "keys/two.tsv").write_text(gold.replace("\tRgp\n", "\tCs\n", 3), "utf-8")
    (folder / "keys/gold_surface.tsv").write_text(first_sentences(home / "gold_surface.tsv", SENTENCES), "utf-8")
    (folder / "campaign.toml").write_text(PROTOCOL, "utf-8")
    return open_campaign(folder)


def response(home: Path, system: str, sentences: int, surface: str) -> bytes:
    """The first sentences of a system's output; for a key without sentences, as many characters as the key has."""
    text = (home / f"{system}.tsv").read_text("utf-8")
    if not surface:
        return first_sentences(home / f"{system}.tsv", sentences).encode()
    wanted = len("".join(line.split("\t")[0] for line in surface.split("\n")))
    lines, size = [], 0
    for line in text.split("\n"):
        if size >= wanted:
            break
        lines.append(line)
        size += len(line.split("\t")[0].replace(" ", "").replace("_", ""))
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(scope="module")
def replayed_campaign(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The campaign up to its archive, and what was seen on the way."""
    home = data / "tagging/grace-like"
    if not home.is_dir():
        pytest.skip(f"no data at {home}")
    room = tmp_path_factory.mktemp("grace")
    campaign = grace(room / "campaign", home)
    seen: dict[str, Any] = {"campaign": campaign}
    teams = {name: campaign.register(name, "FR", members=[f"{name} member"]) for name in TEAMS}
    for name, team in teams.items():
        campaign.accept_licence(team.id)
        campaign.consent(team.id, TEAMS[name][2])
    campaign.begin_phase("dry run")
    table = (home / "table_ftb2grace.tsv").read_bytes()
    for name, (system, condition, _) in TEAMS.items():
        if condition == "words":
            extra = {"table": table, "table_name": "table.tsv"} if "ftb" in system else {}
            upload = response(home, system, 20, "")
            campaign.receive(teams[name].id, "essais", "run", f"{system}.tsv", upload, **extra)
    seen["dry"] = score_waiting(campaign)
    campaign.begin_phase("dry adjudication")
    campaign.begin_phase("test")
    surface = (campaign.folder / "keys/gold_surface.tsv").read_text("utf-8")
    for name, (system, condition, _) in TEAMS.items():
        extra = {"table": table, "table_name": "table.tsv"} if "ftb" in system else {}
        dataset = "tests" if condition == "words" else "tests-surface"
        upload = response(home, system, SENTENCES, surface if condition == "surface" else "")
        seen[name] = campaign.receive(teams[name].id, dataset, "run", f"{system} of {name}.tsv", upload, **extra)
    enter_baseline(campaign, "most_frequent", "tests", training=str(campaign.folder / "keys/essais.tsv"))
    seen["test"] = score_waiting(campaign)
    member = Viewer("participant", teams["Perceptron Oy"].id)
    seen["during"] = campaign.status(member, seen["Perceptron Oy"].submission)
    with pytest.raises(NotVisibleError):
        visible_board(campaign, member, "tests")
    campaign.withdraw(teams[LEAVES].id, "a bug of ours")
    campaign.begin_phase("test adjudication")
    seen["before"] = visible_board(campaign, member, "tests")
    with pytest.raises(NotVisibleError):
        visible_board(campaign, EVERYBODY, "tests")
    good = file_dispute(campaign, member, "tests", "gold", "reference", {"word": 1, "tags": "Vmip1s-"}, "first person")
    bad = file_dispute(campaign, member, "tests", "gold", "reference", {"word": 4, "tags": "Ncms"}, "masculine")
    seen["impact"] = dispute_impact(campaign, THE_ORGANISER, good.id)
    seen["order"] = [document.id for document, _ in open_disputes(campaign, THE_ORGANISER)]
    decide_dispute(campaign, good.id, "accepted", "Josette", "it is the first person")
    decide_dispute(campaign, bad.id, "refused", "Josette", "consommation is feminine")
    assert make_key_version(campaign, "tests") == 2
    seen["again"] = score_waiting(campaign)
    campaign.begin_phase("publication")
    seen["public"] = visible_board(campaign, EVERYBODY, "tests")
    for name in ("Perceptron Oy", "Laboratoire CRF", "Spacy Frères"):
        campaign.validate(teams[name].id)
    campaign.begin_phase("archive")
    seen["named"] = visible_board(campaign, EVERYBODY, "tests")
    seen["archive"] = room / "archive"
    write_archive(campaign, seen["archive"], pages=FULL)
    return seen


def test_every_run_is_scored(replayed_campaign: dict[str, Any]) -> None:
    assert replayed_campaign["dry"] == {"scored": 5}
    assert replayed_campaign["test"] == {"scored": 8}
    assert replayed_campaign["again"] == {
        "scored": 6
    }  # the baseline, and five of "tests"; the other condition has its old key


def test_the_test_tells_only_that_a_run_is_valid(replayed_campaign: dict[str, Any]) -> None:
    assert replayed_campaign["during"]["state"] == "scored"
    assert "scores" not in replayed_campaign["during"]


def test_results_are_pseudonymous_until_they_are_named(replayed_campaign: dict[str, Any]) -> None:
    names = set(replayed_campaign["before"]["systems"])
    assert "Perceptron Oy / run" in names  # one's own
    assert not any(team in name for name in names for team in TEAMS if team != "Perceptron Oy")
    public = set(replayed_campaign["public"]["systems"])
    assert not any(team in name for name in public for team in TEAMS)
    named = set(replayed_campaign["named"]["systems"])
    assert {"Perceptron Oy / run", "Laboratoire CRF / run"} <= named
    assert not any(team in name for name in named for team in ("Ambigus Réunis", SECRET, LEAVES))
    assert len(named) == len(public) == 5
    pseudonyms = public & named
    assert len(pseudonyms) == 3, "who is not named keeps the pseudonym, and the baseline its name"


def test_rank_groups_and_blocks(replayed_campaign: dict[str, Any]) -> None:
    named = replayed_campaign["named"]
    assert named["blocks"]["baselines"] == ["most_frequent / most_frequent"]
    ranked = [rank["system"] for rank in named["ranking"]["ranks"]]
    assert ranked[0] == "Laboratoire CRF / run"  # 98.9 of what it decides
    assert "most_frequent / most_frequent" not in ranked
    assert named["agreement"]["ranking"]
    assert set(named["derived"]) == {"plane", "relative", "variance", "vote"}
    assert named["derived"]["vote"]["tagging.precision_decision"]["precision"] > 0.9


def test_an_accepted_dispute_changes_scores_and_keeps_the_old_ones(replayed_campaign: dict[str, Any]) -> None:
    changed = score_differences(replayed_campaign["campaign"], EVERYBODY, "tests")
    assert all(set(score["values"]) == {1, 2} for score in changed)
    moved = {score["run"]: score["values"][2] - score["values"][1] for score in changed}
    assert any(moved.values())
    effects = {item.run: item for item in replayed_campaign["impact"]}
    assert len(effects) == 5
    assert any(effect.change < 0 for effect in effects.values())


def test_participants_are_listed_with_those_who_left(replayed_campaign: dict[str, Any]) -> None:
    rows = {row["participant"]: row for row in participants(replayed_campaign["campaign"], EVERYBODY)}
    assert rows[LEAVES]["withdrawn"] == "yes" and rows[LEAVES]["public"] == "–"
    assert rows["Laboratoire CRF"]["public"] == "yes"
    assert rows["Ambigus Réunis"]["public"] == "no"
    assert rows["(not named)"]["country"] == "" and SECRET not in rows


def test_the_archive_is_verified_and_names_nobody_who_did_not_agree(replayed_campaign: dict[str, Any]) -> None:
    report = verify_folder(replayed_campaign["archive"], head=replayed_campaign["Perceptron Oy"].head)
    assert not report.problems
    assert any("numbers, computed again" in item for item in report.checked)
    for path in replayed_campaign["archive"].rglob("*"):
        assert SECRET not in str(path)
        if path.is_file():
            content = path.read_bytes()
            for secret in (SECRET, f"{SECRET} member", "Perceptron Oy member"):
                assert secret.encode() not in content, f"{secret} in {path}"
