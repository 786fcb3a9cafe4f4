"""Notices: what people read on their own pages. Each asks the policy when it is told.

A notice is made from an entry of the ledger: for the team that the entry is about or for all teams, for the organisers
(a new team, a dispute, a fault of ours), for the annotator who has texts to annotate. Nothing else keeps it; `outbox`
makes letters of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.instants import shown
from aune.campaign.phases import MEANING
from aune.campaign.policy import ANNOTATOR, PARTICIPANT, THE_ORGANISER, Viewer
from aune.campaign.records import BASELINE, FAULT, SCORED, Team
from aune.campaign.wording import described

MOST_PROBLEMS = 20


class Reader(NamedTuple):
    """Whom a notice is for: a team, all organisers, or one annotator."""

    viewer: Viewer
    account: str = ""
    """The annotator's."""

    @property
    def name(self) -> str:
        return self.viewer.team or self.viewer.role


ORGANISERS = Reader(THE_ORGANISER)


def team_reader(team: str) -> Reader:
    return Reader(Viewer(PARTICIPANT, team))


def annotator_reader(account: str) -> Reader:
    return Reader(Viewer(ANNOTATOR), account)


class Notice(NamedTuple):
    """A notice to one reader."""

    name: str
    """Of the entry and the reader: the same notice has the same name for ever."""
    to: Reader
    time: str
    subject: str
    text: str


def notices(campaign: Campaign, first: int = 0, to: Reader | None = None) -> Iterator[Notice]:
    """All notices about what happened since an entry, as they may be told now; those to one reader if there is one."""
    title = campaign.protocol.title
    told: set[str] = set()
    for entry in campaign.ledger.entries():
        said = entry.details or {}
        is_new = entry.kind != "ended" or said["submission"] not in told
        if entry.kind == "ended":
            told.add(said["submission"])
        if entry.position < first:
            continue
        for reader, tell in _readers(campaign, entry.kind, said, is_new=is_new):
            if to not in (None, reader):
                continue
            letter = tell(campaign, reader.viewer, said)
            if letter:
                subject, text = letter
                name = f"{entry.position:06}-{reader.name}"
                yield Notice(name, reader, entry.time, f"{title}: {subject}", f"{text}\n")


def newest(campaign: Campaign, to: Reader) -> list[Notice]:
    """The notices to a reader, the newest first."""
    return list(notices(campaign, to=to))[::-1]


def _readers(
    campaign: Campaign, kind: str, said: Mapping[str, Any], *, is_new: bool
) -> Iterator[tuple[Reader, Teller]]:
    """Who is told of an entry, and what tells it; a run is told of once, and new keys are told to all."""
    if kind in TOLD and is_new:
        for team in _concerned(campaign, kind, said):
            yield team_reader(team.id), TOLD[kind]
    if kind in TOLD_TO_ORGANISERS:
        yield ORGANISERS, TOLD_TO_ORGANISERS[kind]
    if kind == "assigned":
        yield annotator_reader(said["annotator"]), _to_annotate


def _concerned(campaign: Campaign, kind: str, said: Mapping[str, Any]) -> Sequence[Team]:
    """The teams that an entry is told to."""
    state = campaign.state
    if kind in ("submission", "ended"):
        owner = state.submissions[said["submission"]].team
    elif kind == "decision":
        owner = state.disputes[said["dispute"]].team
    else:
        return [team for team in state.teams.values() if team.kind != BASELINE and not team.withdrawn]
    return [state.teams[owner]] if owner in state.teams and state.teams[owner].kind != BASELINE else []


Letter = tuple[str, str] | None
"""A subject and a text; None where there is nothing to tell."""
Teller = Callable[[Campaign, Viewer, Mapping[str, Any]], Letter]


def _received(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "receipts", said["team"]):
        return None
    [receipt] = [one for one in campaign.receipts(viewer, said["team"]) if one.submission == said["submission"]]
    lines = [f"{name}: {value}" for name, value in receipt._asdict().items()]
    return f"received {receipt.run} for {receipt.dataset}", "\n".join(["Keep this receipt.", "", *lines])


def _scored(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "validity", campaign.state.submissions[said["submission"]].team):
        return None
    status = campaign.status(viewer, said["submission"])
    what = {SCORED: "is valid", FAULT: "could not be scored, by our fault"}.get(status["state"], "is not valid")
    problems = status.get("problems", [])
    lines = [f"{path}:{line}:{column}: {message}" for path, line, column, message in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"… and {len(problems) - MOST_PROBLEMS} more problems")
    lines += status.get("notes", [])
    for score in status.get("scores", ()):
        lines += [f"{score['measure']} {name}: {_number(value)}" for name, value in score["values"].items()]
    about = f"{status['run']} for {status['dataset']}"
    return f"{about} {what}", "\n".join([f"The run {about} ({status['submission']}) {what}.", "", *lines])


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _phase(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    phase, plan = said["phase"], campaign.protocol
    head = next((one["head"] for one in campaign.heads() if one["phase"] == phase), "")
    lines = [f"The phase {phase} has begun: {MEANING[phase]}."]
    if phase in plan.deadlines:
        lines.append(f"It ends on {shown(plan.deadlines[phase], plan.zone)}.")
    return f"{phase} has begun", "\n".join([*lines, f"The head of the ledger is {head}."])


def _decided(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    one = campaign.state.disputes[said["dispute"]]
    if not campaign.may(viewer, "own disputes", one.team):
        return None
    text = (
        f"Your dispute {one.id} about {one.document} in {one.dataset} was {one.decision} by {one.author}:\n{one.reason}"
    )
    return f"your dispute was {one.decision}", text


def _new_key(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if said["version"] == 1 or not campaign.may(viewer, "decisions"):
        return None
    number = len(said["disputes"])
    why = f"with {number} accepted dispute{'s' * (number != 1)}" if number else "for the new version of the protocol"
    text = (
        f"The key of {said['dataset']} has the version {said['version']}, {why}. Every run is scored again by it; "
        "what was before is kept."
    )
    return f"a new key of {said['dataset']}", text


def _new_protocol(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "protocol"):
        return None
    text = f"The protocol has the version {said['version']}, by {said['author']}:\n{said['reason']}\n{said['digest']}"
    return f"the protocol, version {said['version']}", text


def _registered(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if said["kind"] == BASELINE or not campaign.may(viewer, "teams"):
        return None
    return (
        f"{said['name']} has registered",
        f"The team {said['name']} ({said['country'] or 'no country'}) has registered.",
    )


def _has_left(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not campaign.may(viewer, "teams"):
        return None
    name = campaign.state.teams[said["team"]].name
    return f"{name} has withdrawn", f"The team {name} has withdrawn: {said['reason'] or 'no reason given'}."


def _disputed(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if not said["team"] or not campaign.may(viewer, "teams"):  # the organisers' own need not be told to them
        return None
    name = campaign.state.teams[said["team"]].name
    edit = described(campaign.protocol.task, said["edit"]) if said["claim"] == "reference" else ""
    about = f"{name} disputes the {said['claim']} of {said['dataset']}, {said['document'] or 'the whole'}"
    lines = [f"{about} ({said['dispute']}).", *([edit] if edit else []), "", said["argument"]]
    return f"a dispute about {said['dataset']} waits for a decision", "\n".join(lines)


def _failed(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    if said["state"] != FAULT or not campaign.may(viewer, "teams"):
        return None
    one = campaign.state.submissions[said["submission"]]
    by = campaign.state.teams[one.team].name
    text = (
        f"{one.id}, the run {one.run} of {by} for {one.dataset}, could not be scored by version {said['version']} of "
        f"the key: {said['reason']}.\nIt counts for no quota, and its team was told that it was our fault."
    )
    return f"{one.run} of {by} could not be scored", text


def _to_annotate(campaign: Campaign, viewer: Viewer, said: Mapping[str, Any]) -> Letter:
    number = len(said["texts"])
    text = "\n".join([f"{said['author']} asks you to annotate:", "", *said["texts"]])
    return f"{number} text{'s' * (number != 1)} to annotate", text


TOLD_TO_ORGANISERS: Mapping[str, Teller] = {
    "team": _registered,
    "withdrawn": _has_left,
    "dispute": _disputed,
    "ended": _failed,
}
"""What organisers are told of each kind of entry."""
TOLD: Mapping[str, Teller] = {
    "submission": _received,
    "ended": _scored,
    "phase": _phase,
    "decision": _decided,
    "key": _new_key,
    "protocol": _new_protocol,
}
"""What teams are told of each kind of entry."""
