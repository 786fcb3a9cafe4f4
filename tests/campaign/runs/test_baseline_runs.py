from __future__ import annotations

from pathlib import Path

import pytest

from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication.visible_results import visible_board
from aune.campaign.runs.baseline_runs import baseline_names, enter_baseline
from aune.campaign.runs.jobs import score_waiting
from aune.campaign.scaffold import create_campaign
from aune.errors import UsageError


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("tagging", "most_frequent"),
        ("coref", "same_string"),
        ("anaphora", "recent"),
        ("entities", "known_names"),
        ("entities", "capitals"),
        ("speech", "silence"),
        ("speech", "random_words"),
    ],
)
def test_a_baseline_is_entered_in_one_step_and_shown_apart(task: str, name: str, tmp_path: Path) -> None:
    campaign = create_campaign(tmp_path / "c", "demo", task)
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    assert name in baseline_names(campaign)
    enter_baseline(campaign, name, "try")
    assert score_waiting(campaign) == {"scored": 1}
    board = visible_board(campaign, THE_ORGANISER, "try", derived=False)
    assert board["blocks"]["baselines"] == [f"{name} / {name}"]
    assert board["ranking"]["ranks"] == []
    with pytest.raises(UsageError, match="has no key yet"):
        enter_baseline(campaign, name, "final")
