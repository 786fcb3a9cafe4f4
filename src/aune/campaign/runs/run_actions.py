"""What a team and the organiser do with a run that was sent: name it primary, describe it, take it back, disqualify it.

All of them are about a run, which is every submission that a team made under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping

from aune.campaign.campaign import MOST_CHANGES, Campaign
from aune.campaign.ledger.state import TEAM, Submission
from aune.campaign.protocol.phases import ARCHIVE, OPEN, PUBLICATION, has_reached
from aune.campaign.runs.run_metadata import check_metadata, read_metadata, record_metadata
from aune.errors import UsageError


def name_primary(campaign: Campaign, submission_id: str) -> None:
    """Rank a run of a team, and not its others; as long as runs are taken, so that nobody chooses by the scores."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if campaign.plan_of(submission.dataset).scoring.rank == "all":
            raise UsageError("every run is ranked in this campaign: there is no primary one")
        phase = campaign.dataset(submission.dataset).phase
        if campaign.phase != phase:
            raise UsageError(f"the primary run of {submission.dataset} is named in the phase {phase!r}")
        _check_counts(campaign, submission)
        if campaign.state.primaries.get((submission.team, submission.dataset)) != submission.run:
            _check_changes(campaign, submission)
            writer.append("primary", {"submission": submission.id})


def retract_run(campaign: Campaign, submission_id: str) -> None:
    """Take a run back, before results are public; what was sent under its name later is another run."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if has_reached(campaign.phase, PUBLICATION) and not is_open_run(campaign, submission):
            raise UsageError("results are published: no run can be withdrawn any more")
        _check_counts(campaign, submission)
        _check_changes(campaign, submission)
        writer.append("retracted", {"submission": submission.id})


def describe_run(campaign: Campaign, submission_id: str, metadata: Mapping[str, str]) -> None:
    """Record what a team says of a run, in place of what it said before."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if has_reached(campaign.phase, ARCHIVE) and not is_open_run(campaign, submission):
            raise UsageError("everything is published: descriptions of runs stay as they are")
        team = campaign.state.teams[submission.team]
        texts = check_metadata(campaign.protocol, metadata, must_be_complete=team.kind == TEAM)
        if texts != read_metadata(campaign.store, submission):
            _check_changes(campaign, submission)
            record_metadata(campaign.store, writer, submission.id, texts)


def disqualify_run(campaign: Campaign, submission_id: str, reason: str, author: str = "organiser") -> None:
    """Take a run off the boards, with a reason that is published."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if submission.disqualified:
            raise UsageError(f"{submission.run} was disqualified already")
        writer.append("disqualified", _verdict(submission, reason, author))


def reinstate_run(campaign: Campaign, submission_id: str, reason: str, author: str = "organiser") -> None:
    """Put a run back that was disqualified, with a reason that is published."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if not submission.disqualified:
            raise UsageError(f"{submission.run} was not disqualified")
        writer.append("reinstated", _verdict(submission, reason, author))


def _verdict(submission: Submission, reason: str, author: str) -> dict[str, str]:
    if not reason.strip():
        raise UsageError("expected the reason, which is published")
    return {"submission": submission.id, "reason": reason, "author": author}


def find_submission(campaign: Campaign, submission_id: str) -> Submission:
    """A submission by its id."""
    submission = campaign.state.submissions.get(submission_id)
    if submission is None:
        raise UsageError(f"no submission {submission_id!r}: its id is on the receipt")
    return submission


def is_open_run(campaign: Campaign, submission: Submission) -> bool:
    """Whether a run is one of the open phase, which is under way."""
    return campaign.dataset(submission.dataset).phase == campaign.phase == OPEN


def _check_counts(campaign: Campaign, submission: Submission) -> None:
    """Refuse what is not among the runs that count."""
    standing = campaign.state.standing_submissions(submission.dataset)
    if submission.id not in {run.id for run in standing}:
        raise UsageError(f"{submission.id} is not among the valid runs of {submission.dataset} that count")


def _check_changes(campaign: Campaign, submission: Submission) -> None:
    """A ledger is never shorter: refuse whoever changes one's mind for ever."""
    state = campaign.state
    changes = sum(
        entry.kind in ("primary", "described", "retracted")
        and state.submissions[(entry.details or {})["submission"]].team == submission.team
        for entry in campaign.entries
    )
    if changes >= MOST_CHANGES + len(state.team_submissions(submission.team, submission.dataset)):
        raise UsageError(f"this team changed {MOST_CHANGES} times what it says of its runs: it stays as it is")
