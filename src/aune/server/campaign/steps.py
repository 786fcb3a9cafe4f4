"""What each person can do next, and what the organiser should look at before the campaign goes on."""

from __future__ import annotations

from typing import NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.disputes import seen
from aune.campaign.jobs import waiting
from aune.campaign.phases import ARCHIVE, PUBLICATION, SUBMITTING, TEST, TEST_ADJUDICATION, discussed_in, since
from aune.campaign.policy import ANNOTATOR, ORGANISER, Viewer
from aune.campaign.records import NAMED, TEAM


class Step(NamedTuple):
    """Something to do, where, and whether it is done."""

    text: str
    link: str
    done: bool = False


def steps(here: Campaign, who: Viewer) -> list[Step]:
    """What somebody can do in this phase, in its order."""
    if who.role == ORGANISER:
        return [Step("See where the campaign stands, and lead it on", "/campaign/manage")]
    if who.role == ANNOTATOR:
        return [Step("See your texts, and how far annotators agree", "/campaign/annotate")]
    if who.team:
        return [*_agreements(here, who.team), *_runs(here, who.team), *_after(here, who)]
    if here.phase == ARCHIVE:
        return [Step("Get the archive, and check every number yourself", "/campaign/archive")]
    return []


def _agreements(here: Campaign, team: str) -> list[Step]:
    found, plan = here.team(team), here.protocol
    made = []
    if plan.licence:
        made.append(Step("Accept the licence of the texts", "/campaign/team#licence", found.licence))
    if found.consent or not since(here.phase, TEST):
        made.append(Step("Say what may be published about you", "/campaign/team#consent", bool(found.consent)))
    return made


def _runs(here: Campaign, team: str) -> list[Step]:
    fetched = {dataset for _, who, dataset in here.state.downloads if who == team}
    made = []
    for one in here.protocol.of_phase(here.phase):
        if one.name not in here.state.texts:
            continue
        made.append(Step(f"Get the texts of {one.name}", f"/campaign/texts/{one.name}", one.name in fetched))
        if one.phase in SUBMITTING:
            sent = here.used(team, one.name)["valid"] > 0
            made.append(Step(f"Submit runs for {one.name}", f"/campaign/team#submit-{one.name}", sent))
    return made


def _after(here: Campaign, who: Viewer) -> list[Step]:
    """When results are there: look, dispute, stand by them."""
    found, made = here.team(who.team), []
    for one in here.protocol.datasets.values():
        if one.phase in SUBMITTING and here.phase == discussed_in(one.phase) and here.state.version(one.name):
            made.append(Step(f"Look at the results of {one.name}", f"/campaign/results/{one.name}"))
            disputed = any(other.team == who.team and other.dataset == one.name for other in seen(here, who))
            made.append(Step(f"Say where the key of {one.name} is wrong", f"/campaign/key/{one.name}", disputed))
    if since(here.phase, TEST_ADJUDICATION) and found.consent == NAMED and here.phase != ARCHIVE:
        made.append(Step("Stand by your results, so that they bear your name", "/campaign/team#stand", found.validated))
    if here.phase == PUBLICATION:
        made.append(Step("See what the public sees", "/campaign/participants"))
    return made


class Check(NamedTuple):
    """Something that the organiser looks at before the next phase, and whether it is as it should be."""

    text: str
    is_right: bool
    link: str = ""


def checks(here: Campaign) -> list[Check]:
    """What to look at before the next phase begins."""
    state, plan = here.state, here.protocol
    teams = [team for team in state.teams.values() if team.kind == TEAM and not team.withdrawn]
    made = [Check(f"{len(teams)} {'team has' if len(teams) == 1 else 'teams have'} registered", bool(teams), "/people")]
    for namesakes in here.namesakes():
        made.append(Check(f"{len(namesakes)} teams are called “{namesakes[0].name}”: rename all but one", False))
    if here.phase in SUBMITTING:
        if here.phase in plan.deadlines and not here.deadline_passed(here.phase):
            made.append(Check("The deadline has not passed yet", False))
        silent = [team.name for team in teams if not any(
            state.of_team(team.id, one.name) for one in plan.of_phase(here.phase))]  # fmt: skip
        made.append(Check(f"{len(teams) - len(silent)} of {len(teams)} teams have submitted", not silent))
    if teams and not since(here.phase, TEST):
        unasked = [team.name for team in teams if not team.consent]
        made.append(
            Check(f"{len(teams) - len(unasked)} of {len(teams)} teams have said what may be published", not unasked)
        )
    left = len(waiting(state))
    if state.submissions:
        made.append(Check(f"{left} submissions wait to be scored" if left else "Nothing waits to be scored", not left))
    undecided = [dispute for dispute in state.disputes.values() if not dispute.decision]
    fresh = [dispute for dispute in state.disputes.values() if dispute.waits_for_a_key]
    if state.disputes:
        said = f"{len(undecided)} disputes wait for a decision" if undecided else "Every dispute is decided"
        made.append(Check(said, not undecided, "/campaign/disputes"))
    if fresh:
        made.append(Check(f"{len(fresh)} accepted disputes are in no key yet", False, "/campaign/disputes"))
    if here.phase == PUBLICATION:
        named = [team for team in teams if team.consent == NAMED]
        stood = [team for team in named if team.validated]
        made.append(
            Check(f"{len(stood)} of {len(named)} teams that may be named stand by their results", stood == named)
        )
    return made
