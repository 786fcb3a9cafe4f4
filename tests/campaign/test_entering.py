from __future__ import annotations

from pathlib import Path

import pytest

from aune.campaign.entering import baselines, enter_baseline
from aune.campaign.jobs import work
from aune.campaign.policy import THE_ORGANISER
from aune.campaign.publication import results
from aune.campaign.starting import founded
from aune.core.errors import UsageError


@pytest.mark.parametrize(
    ("task", "name"), [("tagging", "most_frequent"), ("coref", "same_string"), ("anaphora", "recent")]
)
def test_a_baseline_is_entered_in_one_step_and_shown_apart(task: str, name: str, tmp_path: Path) -> None:
    campaign = founded(tmp_path / "c", "demo", task)
    for phase in ("training", "dry run"):
        campaign.go_to(phase)
    assert name in baselines(campaign)
    enter_baseline(campaign, name, "try")
    assert work(campaign) == {"scored": 1}
    found = results(campaign, THE_ORGANISER, "try", derived=False)
    assert found["blocks"]["baselines"] == [f"{name} / {name}"]
    assert found["ranking"]["ranks"] == []
    with pytest.raises(UsageError, match="has no key yet"):
        enter_baseline(campaign, name, "final")
