"""The laws of the policy: whatever the table says, it says nothing that leaks."""

from __future__ import annotations

import pytest

from aune.campaign.protocol.phases import ARCHIVE, PHASES, TEST, TEST_ADJUDICATION, has_reached
from aune.campaign.protocol.visibility import CELLS, EVERYBODY, HELD_BACK, ROLES, THINGS, Viewer, may_see

OWN, OTHER = Viewer("participant", "t1"), Viewer("participant", "t2")
SHUT_AGAIN = {"own disputes"}  # the dry run's disputes are over when the test begins


def test_the_table_is_whole() -> None:
    assert all(len(row) == len(PHASES) for row in CELLS.values())
    assert all(set(cell) <= set("vpta.") for row in CELLS.values() for cell in row)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("viewer", [OWN, OTHER, EVERYBODY, Viewer("annotator")])
@pytest.mark.parametrize("shown", [{}, dict.fromkeys(HELD_BACK, ARCHIVE)])
def test_what_was_shown_stays_shown(thing: str, viewer: Viewer, shown: dict[str, str]) -> None:
    """Whatever is held back from everybody stays with those who saw it before."""
    seen = [may_see(viewer, thing, phase, "t1", shown) for phase in PHASES]
    if thing not in SHUT_AGAIN:
        assert seen == sorted(seen)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("phase", PHASES)
def test_more_rights_see_more(thing: str, phase: str) -> None:
    """Everybody, a participant, the owner, the organiser: each sees what the one before sees."""
    anybody, other, owner, organiser = (
        may_see(item, thing, phase, owner="t1") for item in (EVERYBODY, OTHER, OWN, Viewer("organiser"))
    )
    assert anybody <= other <= owner <= organiser
    assert organiser


@pytest.mark.parametrize("phase", PHASES)
def test_the_test_leaks_nothing(phase: str) -> None:
    early = not has_reached(phase, TEST_ADJUDICATION)
    for viewer in (OWN, OTHER, EVERYBODY, Viewer("annotator")):
        for thing in ("test scores", "test key", "names", "participants", "archive"):
            assert not (early and may_see(viewer, thing, phase, owner="t1")), thing
        assert not may_see(viewer, "teams", phase, owner="t1")
        assert not may_see(viewer, "impact", phase, owner="t1")
    assert may_see(OWN, "test texts", phase) == has_reached(phase, TEST)
    assert may_see(EVERYBODY, "names", phase) == has_reached(phase, ARCHIVE)


@pytest.mark.parametrize("thing", HELD_BACK)
def test_the_protocol_only_holds_back(thing: str) -> None:
    for phase in PHASES:
        for role in ROLES:
            for team in ("", "t1", "t2"):
                viewer = Viewer(role, team)
                is_visible = may_see(viewer, thing, phase, "t1", {thing: ARCHIVE})
                assert is_visible <= may_see(viewer, thing, phase, "t1")


def test_a_viewer_without_a_team_owns_nothing() -> None:
    assert not may_see(Viewer("participant", ""), "validity", "test", owner="")
