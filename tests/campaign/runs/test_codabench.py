"""The bundle for Codabench: laid out as the platform lays it out, its program scores as the campaign does."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.runs.codabench import _phases, bundle, score_submission
from aune.campaign.runs.jobs import score_waiting


def unpack_bundle(data: bytes, folder: Path) -> Path:
    zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
    return folder


def test_the_bundle_scores_as_the_campaign_does(
    campaign: Campaign, team: Callable[..., Team], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = (campaign.folder / "keys/try.tsv").read_bytes().replace(b"NOUN", b"VERB", 1)
    receipt = campaign.receive(team(campaign, "one").id, "try", "run", "a.tsv", answer)
    score_waiting(campaign)
    home = unpack_bundle(bundle(campaign), tmp_path / "bundle")
    names = {path.name for path in home.iterdir()}
    assert {
        "competition.yaml",
        "scoring_program.zip",
        "reference_try.zip",
        "logo.png",
        "terms.md",
        "overview.md",
        "texts_dry_run.zip",
    } == names
    texts = unpack_bundle((home / "texts_dry_run.zip").read_bytes(), tmp_path / "texts")
    assert sorted(path.name for path in texts.rglob("*") if path.is_file()) == ["campaign.toml", "try.tsv"]
    assert b"NOUN" not in (texts / "try/try.tsv").read_bytes(), "what participants get has no annotation"
    program = unpack_bundle((home / "scoring_program.zip").read_bytes(), tmp_path / "program")
    assert "score.py" in (program / "metadata.yaml").read_text()
    unpack_bundle((home / "reference_try.zip").read_bytes(), tmp_path / "input/ref")
    (tmp_path / "input/res").mkdir()
    (tmp_path / "input/res/mine.tsv").write_bytes(answer)
    (tmp_path / "output").mkdir()
    assert score_submission(str(tmp_path / "input"), str(tmp_path / "output")) == 0
    scores = json.loads((tmp_path / "output/scores.json").read_bytes())
    result = campaign.result(campaign.state.submissions[receipt.submission])
    assert result is not None
    expected = {
        f"{score['measure'].rpartition('.')[2]}_{name}": value
        for score in result["scores"]
        for name, value in score["values"].items()
        if value is not None
    }
    assert scores == expected and scores["accuracy_accuracy"] == 0.875


def test_a_bad_submission_is_refused_in_words(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = unpack_bundle(bundle(campaign, "an/image"), tmp_path / "bundle")
    assert 'docker_image: "an/image"' in (home / "competition.yaml").read_text()
    unpack_bundle((home / "reference_try.zip").read_bytes(), tmp_path / "input/ref")
    (tmp_path / "input/res").mkdir()
    (tmp_path / "input/res/mine.tsv").write_bytes(b"no tab here\n")
    (tmp_path / "output").mkdir()
    assert score_submission(str(tmp_path / "input"), str(tmp_path / "output")) == 3
    assert "mine.tsv:1:1: found" in capsys.readouterr().err
    assert not (tmp_path / "output/scores.json").exists()


def test_the_competition_file_says_what_the_protocol_says(campaign: Campaign, tmp_path: Path) -> None:
    """It is YAML whose values are JSON: read here line by line, since no reader of YAML is installed."""
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("[phases]\n", '[phases]\n"dry run" = "2030-03-28 23:59 AoE"\n'))
    text = (unpack_bundle(bundle(campaign), tmp_path) / "competition.yaml").read_text()
    values = {}
    for line in text.splitlines():
        name, _, value = line.strip().removeprefix("- ").partition(":")
        if value.strip():
            values.setdefault(name, []).append(json.loads(value))
    assert values["version"] == [2]
    assert values["reference_data"] == ["reference_try.zip"]
    assert values["end"] == ["2030-03-29 11:59:00"]
    assert values["public_data"] == ["texts_dry_run.zip"]
    assert values["max_submissions"] == [60]
    assert "precision_decision_overall" in values["key"]


def test_phases_follow_each_other_as_the_platform_wants_them(campaign: Campaign) -> None:
    """Its documentation: every phase but the last has an end, none overlap, times are written without a zone."""
    for phase in ("dry adjudication", "test"):
        campaign.begin_phase(phase)
    dry_run, test = _phases(campaign)
    assert dry_run["start"] < dry_run["end"] < test["start"] and "end" not in test
    for moment in (dry_run["start"], dry_run["end"], test["start"]):
        assert datetime.strptime(moment, "%Y-%m-%d %H:%M:%S").year >= 2026
