"""Notices: messages that people read on their own pages. The policy is checked whenever a notice is shown.

A notice is made from an entry of the ledger: for the team that the entry is about or for all teams, for the organisers
(a new team, a dispute, a fault of ours), or for the annotator of assigned texts. Notices are not stored; `outbox`
turns them into letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import BASELINE, FAULT, SCORED, Team
from aune.campaign.protocol.deadlines import format_instant
from aune.campaign.protocol.phases import MEANING
from aune.campaign.protocol.visibility import ANNOTATOR, PARTICIPANT, THE_ORGANISER, Viewer
from aune.corrections.edit_wording import describe_edit

MOST_PROBLEMS = 20


class Recipient(NamedTuple):
    """The recipient of a notice: a team, all organisers, or one annotator."""

    viewer: Viewer
    account: str = ""
    """The account of the annotator."""

    @property
    def name(self) -> str:
        return self.viewer.team or self.viewer.role


ORGANISER_RECIPIENT = Recipient(THE_ORGANISER)


def team_recipient(team: str) -> Recipient:
    return Recipient(Viewer(PARTICIPANT, team))


def annotator_recipient(account: str) -> Recipient:
    return Recipient(Viewer(ANNOTATOR), account)


class Notice(NamedTuple):
    """A notice to one reader."""

    name: str
    """Derived from the entry and the recipient: the same notice always has the same name."""
    to: Recipient
    time: str
    subject: str
    text: str
    link: str = "/campaign/notices"
    """The page of the server that the notice is about."""


LINKS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "submission": lambda details: f"/campaign/submission/{details['submission']}",
    "ended": lambda details: f"/campaign/submission/{details['submission']}",
    "disqualified": lambda details: f"/campaign/submission/{details['submission']}",
    "reinstated": lambda details: f"/campaign/submission/{details['submission']}",
    "retracted": lambda details: f"/campaign/submission/{details['submission']}",
    "phase": lambda details: "/campaign/",
    "protocol": lambda details: "/campaign/protocol",
    "key": lambda details: "/campaign/changes",
    "decision": lambda details: "/campaign/disputes",
    "dispute": lambda details: "/campaign/disputes",
    "team": lambda details: "/campaign/manage",
    "withdrawn": lambda details: "/campaign/manage",
    "assigned": lambda details: "/campaign/annotate",
}
"""The page that each kind of notice is about."""


def visible_notices(campaign: Campaign, first: int = 0, to: Recipient | None = None) -> Iterator[Notice]:
    """The notices from an entry on that may be shown now; if `to` is given, only those to this recipient."""
    title = campaign.protocol.title
    reported: set[str] = set()
    for entry in campaign.entries:
        details = campaign.with_names(entry).details or {}
        is_new = entry.kind != "ended" or details["submission"] not in reported
        if entry.kind == "ended":
            reported.add(details["submission"])
        if entry.position < first:
            continue
        for recipient, compose in _recipients(campaign, entry.kind, details, is_new=is_new):
            if to not in (None, recipient):
                continue
            letter = compose(campaign, recipient.viewer, details)
            if letter:
                subject, text = letter
                name = f"{entry.position:06}-{recipient.name}"
                link = LINKS[entry.kind](details) if entry.kind in LINKS else "/campaign/notices"
                yield Notice(name, recipient, entry.time, f"{title}: {subject}", f"{text}\n", link)


def newest_notices(campaign: Campaign, to: Recipient) -> list[Notice]:
    """The notices to a recipient, newest first."""
    return list(visible_notices(campaign, to=to))[::-1]


def _recipients(
    campaign: Campaign, kind: str, details: Mapping[str, Any], *, is_new: bool
) -> Iterator[tuple[Recipient, Composer]]:
    """The recipients of an entry, each with its composing function; teams get one notice of a run's outcome."""
    if kind in TEAM_NOTICES and is_new:
        for team in _concerned_teams(campaign, kind, details):
            yield team_recipient(team.id), TEAM_NOTICES[kind]
    if kind in ORGANISER_NOTICES:
        yield ORGANISER_RECIPIENT, ORGANISER_NOTICES[kind]
    if kind == "assigned":
        yield annotator_recipient(details["annotator"]), _compose_assignment


def _concerned_teams(campaign: Campaign, kind: str, details: Mapping[str, Any]) -> Sequence[Team]:
    """The teams that are notified of an entry."""
    state = campaign.state
    if kind in ("submission", "ended", "disqualified", "reinstated"):
        owner = state.submissions[details["submission"]].team
    elif kind == "decision":
        owner = state.disputes[details["dispute"]].team
    elif kind == "message":
        return [state.teams[team] for team in details["teams"]]
    else:
        return [team for team in state.teams.values() if team.kind != BASELINE and not team.withdrawn]
    return [state.teams[owner]] if owner in state.teams and state.teams[owner].kind != BASELINE else []


Letter = tuple[str, str] | None
"""A subject and a text; None if there is nothing to report."""
Composer = Callable[[Campaign, Viewer, Mapping[str, Any]], Letter]


def _compose_receipt(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not campaign.may_see(viewer, "receipts", details["team"]):
        return None
    [receipt] = [
        candidate
        for candidate in campaign.receipts(viewer, details["team"])
        if candidate.submission == details["submission"]
    ]
    lines = [f"{name}: {value}" for name, value in receipt._asdict().items()]
    return f"received {receipt.run} for {receipt.dataset}", "\n".join(["Keep this receipt.", "", *lines])


def _compose_outcome(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not campaign.may_see(viewer, "validity", campaign.state.submissions[details["submission"]].team):
        return None
    status = campaign.status(viewer, details["submission"])
    outcome = {SCORED: "is valid", FAULT: "could not be scored, by our fault"}.get(status["state"], "is not valid")
    problems = status.get("problems", [])
    lines = [f"{path}:{line}:{column}: {message}" for path, line, column, message in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"… and {len(problems) - MOST_PROBLEMS} more problems")
    lines += status.get("notes", [])
    for score in status.get("scores", ()):
        lines += [f"{score['measure']} {name}: {_format_number(value)}" for name, value in score["values"].items()]
    about = f"{status['run']} for {status['dataset']}"
    return f"{about} {outcome}", "\n".join([f"The run {about} ({status['submission']}) {outcome}.", "", *lines])


def _format_number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _compose_phase(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    phase, plan = details["phase"], campaign.protocol
    head = next((row["head"] for row in campaign.heads() if row["phase"] == phase), "")
    lines = [f"The phase {phase} has begun: {MEANING[phase]}."]
    if details.get("early"):
        lines.append(f"{details['ended']} ended before its published end: {details['reason']}")
    if phase in plan.deadlines:
        lines.append(f"It ends on {format_instant(plan.deadlines[phase], plan.zone)}.")
    return f"{phase} has begun", "\n".join([*lines, f"The head of the ledger is {head}."])


def _compose_decision(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    dispute = campaign.state.disputes[details["dispute"]]
    if not campaign.may_see(viewer, "own disputes", dispute.team):
        return None
    text = (
        f"Your dispute {dispute.id} about {dispute.document} in {dispute.dataset} was "
        f"{dispute.decision} by {dispute.author}:\n{dispute.reason}"
    )
    return f"your dispute was {dispute.decision}", text


def _compose_new_key(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if details["version"] == 1 or not campaign.may_see(viewer, "decisions"):
        return None
    number = len(details["disputes"])
    why = f"with {number} accepted dispute{'s' * (number != 1)}" if number else "for the new version of the protocol"
    text = (
        f"The key of {details['dataset']} has the version {details['version']}, {why}. Every run is "
        "scored again by it; "
        "what was before is kept."
    )
    return f"a new key of {details['dataset']}", text


def _compose_new_protocol(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not campaign.may_see(viewer, "protocol"):
        return None
    text = (
        f"The protocol has the version {details['version']}, by {details['author']}:\n"
        f"{details['reason']}\n{details['digest']}"
    )
    return f"the protocol, version {details['version']}", text


def _compose_registration(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if details["kind"] == BASELINE or not campaign.may_see(viewer, "teams"):
        return None
    return (
        f"{details['name']} has registered",
        f"The team {details['name']} ({details['country'] or 'no country'}) has registered.",
    )


def _compose_withdrawal(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not campaign.may_see(viewer, "teams"):
        return None
    name = campaign.state.teams[details["team"]].name
    return f"{name} has withdrawn", f"The team {name} has withdrawn: {details['reason'] or 'no reason given'}."


def _compose_dispute(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not details["team"] or not campaign.may_see(viewer, "teams"):  # no notice of the organisers' own disputes
        return None
    name = campaign.state.teams[details["team"]].name
    edit = (
        describe_edit(campaign.plan_of(details["dataset"]).task, details["edit"])
        if details["claim"] == "reference"
        else ""
    )
    about = f"{name} disputes the {details['claim']} of {details['dataset']}, {details['document'] or 'the whole'}"
    lines = [f"{about} ({details['dispute']}).", *([edit] if edit else []), "", details["argument"]]
    return f"a dispute about {details['dataset']} waits for a decision", "\n".join(lines)


def _compose_retraction(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if not campaign.may_see(viewer, "teams"):
        return None
    submission = campaign.state.submissions[details["submission"]]
    name = campaign.state.teams[submission.team].name
    text = f"{name} has withdrawn its run {submission.run} for {submission.dataset} ({submission.id})."
    return f"{name} has withdrawn a run for {submission.dataset}", text


def _compose_verdict(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    submission = campaign.state.submissions[details["submission"]]
    if not campaign.may_see(viewer, "validity", submission.team):
        return None
    about = f"{submission.run} for {submission.dataset}"
    text = f"The run {about} ({submission.id}): {details['author']} says\n{details['reason']}"
    return f"{about} {'was disqualified' if submission.disqualified else 'is no longer disqualified'}", text


def _compose_message(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    return details["subject"], f"{details['text']}\n\n{details['author']}"


def _compose_failure(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    if details["state"] != FAULT or not campaign.may_see(viewer, "teams"):
        return None
    submission = campaign.state.submissions[details["submission"]]
    by = campaign.state.teams[submission.team].name
    text = (
        f"{submission.id}, the run {submission.run} of {by} for {submission.dataset}, could not be "
        f"scored by version {details['version']} of "
        f"the key: {details['reason']}.\nIt counts for no quota, and its team was told that it was our fault."
    )
    return f"{submission.run} of {by} could not be scored", text


def _compose_assignment(campaign: Campaign, viewer: Viewer, details: Mapping[str, Any]) -> Letter:
    number = len(details["texts"])
    text = "\n".join([f"{details['author']} asks you to annotate:", "", *details["texts"]])
    return f"{number} text{'s' * (number != 1)} to annotate", text


ORGANISER_NOTICES: Mapping[str, Composer] = {
    "team": _compose_registration,
    "withdrawn": _compose_withdrawal,
    "dispute": _compose_dispute,
    "ended": _compose_failure,
    "retracted": _compose_retraction,
}
"""For each kind of entry, the function that composes the notice to organisers."""
TEAM_NOTICES: Mapping[str, Composer] = {
    "submission": _compose_receipt,
    "ended": _compose_outcome,
    "phase": _compose_phase,
    "decision": _compose_decision,
    "key": _compose_new_key,
    "protocol": _compose_new_protocol,
    "message": _compose_message,
    "disqualified": _compose_verdict,
    "reinstated": _compose_verdict,
}
"""For each kind of entry, the function that composes the notice to teams."""
