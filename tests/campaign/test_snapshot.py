"""Whoever reads a campaign is not disturbed by those who write to it at the same time."""

from __future__ import annotations

from aune.campaign.campaign import Campaign


def test_somebody_registers_while_teams_are_listed(campaign: Campaign) -> None:
    """`dictionary changed size during iteration` gave an error under load."""
    other = Campaign(campaign.folder)
    campaign.register("one")
    for number, _ in enumerate(campaign.state.teams.values()):
        other.register(f"another {number}")
        assert len(campaign.state.teams) == 2


def test_a_snapshot_is_of_one_moment(campaign: Campaign) -> None:
    other = Campaign(campaign.folder)
    campaign.register("one")
    with campaign.snapshot():
        entries = len(campaign.entries)
        other.register("two")
        assert [team.name for team in campaign.state.teams.values()] == ["one"]
        assert len(campaign.entries) == entries
    assert [team.name for team in campaign.state.teams.values()] == ["one", "two"]


def test_what_is_written_in_a_snapshot_belongs_to_it(campaign: Campaign) -> None:
    other = Campaign(campaign.folder)
    with campaign.snapshot():
        other.register("one")
        campaign.register("two")
        assert [team.name for team in campaign.state.teams.values()] == ["one", "two"]
        other.register("three")
        assert len(campaign.state.teams) == 2
