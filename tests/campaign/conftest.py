"""What tests of campaigns share: jobs run in a copy of this process, which has everything loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Team
from aune.campaign.runs import jobs
from aune.campaign.scaffold import create_campaign


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process for every job would take a second each; one test starts real ones."""
    monkeypatch.setattr(jobs, "run_spawned", jobs.run_forked)


def in_its_dry_run(folder: Path) -> Campaign:
    """A tagging campaign."""
    result = create_campaign(folder, "demo", "tagging")
    for phase in ("training", "dry run"):
        result.begin_phase(phase)
    return result


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """A tagging campaign in its dry run."""
    return in_its_dry_run(tmp_path / "campaign")


@pytest.fixture
def team() -> Callable[..., Team]:
    """`team(campaign, name)`: a new team that accepted the licence."""

    def register_team(campaign: Campaign, name: str, **rest: str) -> Team:
        first_team = campaign.register(name, **rest)
        campaign.accept_licence(first_team.id)
        return campaign.team(first_team.id)

    return register_team
