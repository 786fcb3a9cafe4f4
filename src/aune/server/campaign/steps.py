"""What each person can do next, and what the organiser should check before the next phase."""

from __future__ import annotations

from typing import NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import visible_disputes
from aune.campaign.ledger.state import NAMED, TEAM
from aune.campaign.protocol.phases import (
    ARCHIVE,
    DISCUSSED,
    PUBLICATION,
    SUBMITTING,
    TEST,
    TEST_ADJUDICATION,
    discussion_phase,
    has_reached,
)
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER, Viewer
from aune.campaign.runs.jobs import waiting_submissions


class Step(NamedTuple):
    """A possible action, its link, and whether it is done."""

    text: str
    link: str
    done: bool = False


def steps(here: Campaign, who: Viewer) -> list[Step]:
    """What the viewer can do in this phase, in order."""
    if who.role == ORGANISER:
        return [Step("See where the campaign stands, and lead it on", "/campaign/manage")]
    if who.role == ANNOTATOR:
        return [Step("See your texts, and how far annotators agree", "/campaign/annotate")]
    if who.team:
        return [*_agreement_steps(here, who.team), *_run_steps(here, who.team), *_result_steps(here, who)]
    if has_reached(here.phase, ARCHIVE):
        return [Step("Get the archive, and check every number yourself", "/campaign/archive")]
    return []


def _agreement_steps(here: Campaign, name: str) -> list[Step]:
    team, plan = here.team(name), here.protocol
    todo = []
    if plan.licence:
        todo.append(Step("Accept the licence of the texts", "/campaign/team#licence", team.licence))
    if team.consent or team.is_late or not has_reached(here.phase, PUBLICATION):
        todo.append(Step("Say what may be published about you", "/campaign/team#consent", bool(team.consent)))
    return todo


def _run_steps(here: Campaign, team: str) -> list[Step]:
    fetched = {name for _, who, name in here.state.downloads if who == team}
    todo = []
    for dataset in here.protocol.datasets_in(here.phase):
        if dataset.name not in here.state.texts:
            continue
        todo.append(
            Step(f"Get the texts of {dataset.name}", f"/campaign/texts/{dataset.name}", dataset.name in fetched)
        )
        if dataset.phase in SUBMITTING:
            has_sent = here.submission_counts(team, dataset.name)["valid"] > 0
            todo.append(Step(f"Submit runs for {dataset.name}", f"/campaign/team#submit-{dataset.name}", has_sent))
    return todo


def _result_steps(here: Campaign, who: Viewer) -> list[Step]:
    """The steps after results are published: look at them, dispute the key, confirm the results."""
    team, todo = here.team(who.team), []
    for dataset in here.protocol.datasets.values():
        if (
            dataset.phase in SUBMITTING
            and here.phase == discussion_phase(dataset.phase)
            and here.state.version(dataset.name)
        ):
            todo.append(Step(f"Look at the results of {dataset.name}", f"/campaign/results/{dataset.name}"))
            if dataset.phase in DISCUSSED:
                disputed = any(
                    dispute.team == who.team and dispute.dataset == dataset.name
                    for dispute in visible_disputes(here, who)
                )
                link = f"/campaign/key/{dataset.name}"
                todo.append(Step(f"Say where the key of {dataset.name} is wrong", link, disputed))
    if has_reached(here.phase, TEST_ADJUDICATION) and team.consent == NAMED and not has_reached(here.phase, ARCHIVE):
        todo.append(Step("Stand by your results, so that they bear your name", "/campaign/team#stand", team.validated))
    if here.phase == PUBLICATION:
        todo.append(Step("See what the public sees", "/campaign/participants"))
    return todo


class Check(NamedTuple):
    """A point that the organiser checks before the next phase, and whether it is in order."""

    text: str
    is_right: bool
    link: str = ""


def checks(here: Campaign) -> list[Check]:
    """The points to check before the next phase begins."""
    state, plan = here.state, here.protocol
    teams = [team for team in state.teams.values() if team.kind == TEAM and not team.withdrawn]
    points = [
        Check(f"{len(teams)} {'team has' if len(teams) == 1 else 'teams have'} registered", bool(teams), "/people")
    ]
    for namesakes in here.namesakes():
        points.append(Check(f"{len(namesakes)} teams are called “{namesakes[0].name}”: rename all but one", False))
    if here.phase in SUBMITTING:
        if here.phase in plan.deadlines and not here.deadline_passed(here.phase):
            points.append(Check("The deadline has not passed yet", False))
        silent = [team.name for team in teams if not any(
            state.team_submissions(team.id, dataset.name) for dataset in plan.datasets_in(here.phase))]  # fmt: skip
        points.append(Check(f"{len(teams) - len(silent)} of {len(teams)} teams have submitted", not silent))
    if teams and not has_reached(here.phase, TEST):
        unasked = [team.name for team in teams if not team.consent]
        points.append(
            Check(f"{len(teams) - len(unasked)} of {len(teams)} teams have said what may be published", not unasked)
        )
    left = len(waiting_submissions(state))
    if state.submissions:
        points.append(
            Check(f"{left} submissions wait to be scored" if left else "Nothing waits to be scored", not left)
        )
    undecided = [dispute for dispute in state.disputes.values() if not dispute.decision]
    fresh = [dispute for dispute in state.disputes.values() if dispute.waits_for_a_key]
    if state.disputes:
        summary = f"{len(undecided)} disputes wait for a decision" if undecided else "Every dispute is decided"
        points.append(Check(summary, not undecided, "/campaign/disputes"))
    if fresh:
        points.append(Check(f"{len(fresh)} accepted disputes are in no key yet", False, "/campaign/disputes"))
    if here.phase == PUBLICATION:
        named = [team for team in teams if team.consent == NAMED]
        validated = [team for team in named if team.validated]
        points.append(
            Check(
                f"{len(validated)} of {len(named)} teams that may be named stand by their results", validated == named
            )
        )
    return points
