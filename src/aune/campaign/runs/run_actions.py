"""Actions on a submitted run: name it primary, describe it, withdraw it, disqualify it, reinstate it.

Each action applies to the run, which means all submissions that a team has made under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping

from aune.campaign.campaign import MOST_CHANGES, Campaign
from aune.campaign.ledger.state import TEAM, Submission
from aune.campaign.protocol.phases import ARCHIVE, OPEN, PUBLICATION, has_reached
from aune.campaign.runs.run_metadata import check_metadata, read_metadata, record_metadata
from aune.errors import UsageError


def name_primary(campaign: Campaign, submission_id: str) -> None:
    """Rank this run of a team and not its others, only while runs are accepted, so that no one chooses by scores."""
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
    """Withdraw a run before results are public; a later submission under the same name is a new run."""
    with campaign.writing() as writer:
        submission = find_submission(campaign, submission_id)
        if has_reached(campaign.phase, PUBLICATION) and not is_open_run(campaign, submission):
            raise UsageError("results are published: no run can be withdrawn any more")
        _check_counts(campaign, submission)
        _check_changes(campaign, submission)
        writer.append("retracted", {"submission": submission.id})


def describe_run(campaign: Campaign, submission_id: str, metadata: Mapping[str, str]) -> None:
    """Record a team's description of a run, in place of its previous one."""
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
    """Return a disqualified run to the boards, with a reason that is published."""
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
    """The submission with an id."""
    submission = campaign.state.submissions.get(submission_id)
    if submission is None:
        raise UsageError(f"no submission {submission_id!r}: its id is on the receipt")
    return submission


def is_open_run(campaign: Campaign, submission: Submission) -> bool:
    """Whether a run belongs to the open phase, which has begun."""
    return campaign.dataset(submission.dataset).phase == campaign.phase == OPEN


def _check_counts(campaign: Campaign, submission: Submission) -> None:
    """Refuse a submission that is not among the runs that count."""
    standing = campaign.state.standing_submissions(submission.dataset)
    if submission.id not in {run.id for run in standing}:
        raise UsageError(f"{submission.id} is not among the valid runs of {submission.dataset} that count")


def _check_changes(campaign: Campaign, submission: Submission) -> None:
    """Refuse endless changes: the ledger only grows, and they would fill the disk."""
    state = campaign.state
    changes = sum(
        entry.kind in ("primary", "described", "retracted")
        and state.submissions[(entry.details or {})["submission"]].team == submission.team
        for entry in campaign.entries
    )
    if changes >= MOST_CHANGES + len(state.team_submissions(submission.team, submission.dataset)):
        raise UsageError(f"this team changed {MOST_CHANGES} times what it says of its runs: it stays as it is")
