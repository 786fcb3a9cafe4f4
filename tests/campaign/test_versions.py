"""Whatever an adjudication changes (the key, a team's table, the protocol), in whatever order: every run is scored
again, what it scored before is kept and published, and the archive can be verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.visibility import EVERYBODY, THE_ORGANISER, Viewer
from aune.campaign.publication.visible_results import changelog, score_differences
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign

TAGS = ("DET", "VERB", "PRON", "ADJ", "ADV", "PUNCT")
TABLE = "".join([*(f'{tag} = "{tag}"\n' for tag in TAGS), 'N = "PROPN"\n']).encode()


@pytest.fixture
def tested_campaign(tmp_path: Path, team: Callable[..., Team]) -> Campaign:
    """Two teams in the adjudication of the test, one of them with a table in which nouns are names."""
    campaign = create_campaign(tmp_path / "c", "demo", "tagging")
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace("draws = 10000", "draws = 100"))
    first_team, two = team(campaign, "one"), team(campaign, "Zephyr Labs")
    for phase in ("training", "dry run", "dry adjudication", "test"):
        campaign.begin_phase(phase)
    key = (campaign.folder / "keys/final.tsv").read_bytes()
    campaign.receive(first_team.id, "final", "run", "a.tsv", key)
    campaign.receive(
        two.id, "final", "zephyr", "b.tsv", key.replace(b"NOUN", b"N"), table=TABLE, table_name="t.toml"
    )  # fmt: skip
    score_waiting(campaign)
    campaign.begin_phase("test adjudication")
    return campaign


def the_key(campaign: Campaign) -> None:
    claim = file_dispute(campaign, THE_ORGANISER, "final", "final", "reference", {"word": 4, "tags": "ADJ"}, "x")
    decide_dispute(campaign, claim.id, "accepted", "Ann", "about the key")


def the_table(campaign: Campaign) -> None:
    viewer = Viewer("participant", campaign.team("Zephyr Labs").id)
    edit = {"run": "zephyr", "tag": "N", "to": ["NOUN"]}
    claim = file_dispute(campaign, viewer, "final", "", "table", edit, "a slip")
    decide_dispute(campaign, claim.id, "accepted", "Ann", "about the table")


def the_protocol(campaign: Campaign) -> None:
    path = campaign.folder / "campaign.toml"
    path.write_text(path.read_text().replace('measures = ["accuracy"]', 'measures = ["kappa"]'))
    campaign.freeze_protocol("about the protocol", "Ann")


CHANGES = {"key": the_key, "table": the_table, "protocol": the_protocol}


@pytest.mark.parametrize("order", ["key+table|protocol|table", "table|key", "protocol|key+table"])
def test_whatever_changes_is_scored_again_kept_and_verified(
    tested_campaign: Campaign, order: str, tmp_path: Path
) -> None:
    """What stands between bars is in one version."""
    scores = [_scores(tested_campaign)]
    for step in order.split("|"):
        for name in step.split("+"):
            CHANGES[name](tested_campaign)
        if step != "protocol":
            make_key_version(tested_campaign, "final")
        assert score_waiting(tested_campaign)["scored"] == 2, "all runs are scored again"
        scores.append(_scores(tested_campaign))
    assert tested_campaign.state.version("final") == len(scores)
    [shown] = [
        difference["values"]
        for difference in score_differences(tested_campaign, THE_ORGANISER, "final")
        if "zephyr" in difference["run"]
    ]
    assert shown == dict(enumerate(scores, 1)), "what each version gave is kept"
    why = [row["why"] for row in changelog(tested_campaign, THE_ORGANISER)]
    assert all(f"about the {name}" in why for name in set(order.replace("+", "|").split("|")))
    tested_campaign.begin_phase("publication")
    for row in changelog(tested_campaign, EVERYBODY):
        assert "ephyr" not in json.dumps(row), "neither the team nor what it calls its run"
    tested_campaign.begin_phase("archive")
    write_archive(tested_campaign, tmp_path / "archive", pages="protocol" in order)
    assert verify_folder(tmp_path / "archive").problems == []


def _scores(campaign: Campaign) -> float | None:
    [run] = [submission for submission in campaign.state.standing_submissions("final") if submission.run == "zephyr"]
    result = campaign.result(run) or {}
    score: dict[str, Any] = next(
        item for item in result["scores"] if item["measure"] == campaign.protocol.scoring.ranking
    )
    value: float | None = score["values"][campaign.protocol.scoring.value]
    return value
