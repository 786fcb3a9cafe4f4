"""What a campaign knows, as the fold of its ledger: teams, submissions, keys, disputes, boards.

Every kind of entry has one function here that says what it changes. Nothing else keeps state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.campaign.ledger.ledger_file import LEDGER_FILE, BrokenLedgerError, Entry
from aune.campaign.ledger.ledger_schema import check_details
from aune.campaign.protocol.deadlines import parse_timestamp
from aune.campaign.protocol.phases import CALL, OPEN

RECEIVED, SCORED, REFUSED, FAULT = "received", "scored", "refused", "fault"
"""The states of a submission: waiting, valid, invalid, or our fault, which counts for nothing."""
TEAM, ORGANISERS, BASELINE = "participant", "organiser", "baseline"
"""What a team is: one that competes, one of the organisers (shown for information), a baseline of aune."""
NAMED, LISTED, ANONYMOUS = "named", "listed", "anonymous"
"""What a team agreed to: its name with its results, its name in the list of participants only, or neither."""
ACCEPTED = "accepted"
"""What is decided of a dispute whose edit goes into the next key."""
ATTEMPTS = 2
"""A job whose worker dies is tried once more."""


@dataclass
class Team:
    """A participant."""

    id: str
    name: str
    country: str
    kind: str
    pseudonym: str
    members: list[str] = field(default_factory=list)
    former: list[str] = field(default_factory=list)
    """Members who left: their names are not told either."""
    consent: str = ""
    validated: bool = False
    withdrawn: str = ""
    """Why, and when it is not empty: that it has withdrawn."""
    licence: bool = False
    changes: int = 0
    """How often it changed what it agrees to, or who is in it."""
    is_late: bool = False
    """Whether it came in the open phase: it took no part in the campaign itself."""

    @property
    def competes(self) -> bool:
        return self.kind == TEAM and not self.withdrawn

    def is_named_in(self, text: str, known: str = "") -> bool:
        """Whether a text holds the name of the team or of somebody in it, more often than a text that others know.

        >>> Team("t", "Ann & Co", "FR", TEAM, "wren", ["Ann"]).is_named_in("Announce it, said Ann.", "It was Ann.")
        False
        """
        return any(
            _count_occurrences(name, text) > _count_occurrences(name, known) for name in self.names if name.strip()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What tells who it is."""
        return self.name, *self.members, *self.former


def _count_occurrences(name: str, text: str) -> int:
    """How often a name stands in a text by itself, in whatever letters."""
    plain = re.escape(name.strip().casefold())
    return len(re.findall(rf"(?<![^\W\d_]){plain}(?![^\W\d_])", text.casefold()))


class TableFile(NamedTuple):
    """A correspondence table: where an archive has it, and its digest."""

    path: str
    digest: str


@dataclass
class Submission:
    """A run as it was received."""

    id: str
    team: str
    run: str
    dataset: str
    upload: str
    """The digest of what was sent."""
    name: str
    """What the file was called."""
    table: str
    """The digest of the table that was sent with it."""
    table_name: str
    idempotency: str
    position: int
    time: str
    head: str
    state: str = RECEIVED
    results: dict[int, str] = field(default_factory=dict)
    """The digest of the result by the version of the key."""
    attempts: dict[int, int] = field(default_factory=dict)
    leases: dict[int, str] = field(default_factory=dict)
    """Until when a worker has it."""
    waits_for: str = ""
    """Why it cannot be scored yet, where that is known."""
    faults: dict[int, str] = field(default_factory=dict)
    description: str = ""
    """The digest of what its team says of it; '' where that is nothing."""
    retracted: bool = False
    """Whether its team took it back."""
    disqualified: str = ""
    """Why, where the organiser disqualified it."""
    mended: dict[int, str] = field(default_factory=dict)
    """The digests of tables that took the place of the one that was sent, by the version of the key they came with."""

    @property
    def is_out(self) -> bool:
        """Whether it was taken back or disqualified: it is on no board."""
        return self.retracted or bool(self.disqualified)

    def table_at(self, version: int) -> TableFile | None:
        """The table that it is scored with by a version of the key."""
        since = max((number for number in self.mended if number <= version), default=0)
        if since:
            return TableFile(f"tables/{self.id}-{since}.tsv", self.mended[since])
        ending = ".toml" if self.table_name.endswith(".toml") else ".tsv"
        return TableFile(f"tables/{self.id}{ending}", self.table) if self.table else None


@dataclass
class Key:
    """A version of the key of a dataset: what runs are scored by, with the tables and the protocol that go with it."""

    dataset: str
    version: int
    digest: str
    salt: str
    commitment: str
    protocol: int
    """The version of the protocol; 0 before it is frozen."""
    scoring: str
    """What that protocol says of scoring, as a digest."""
    disputes: tuple[str, ...] = ()
    """What was accepted since the version before: edits of the key, and of tables."""
    time: str = ""


@dataclass
class Texts:
    """What was handed out for a dataset."""

    digest: str
    name: str
    format: str


class Attachment(NamedTuple):
    """A file beside the texts: guidelines, audio, a lexicon."""

    name: str
    title: str
    file: str
    """What the file is called."""
    digest: str
    size: int
    phase: str
    """From which phase on it is there."""
    audience: str
    """`everybody`, or `teams`."""
    licence: bool
    """Whether a team gets it only once it accepted the licence."""


@dataclass
class Dispute:
    """A claim that something is wrong, with the edit that would mend it."""

    id: str
    team: str
    dataset: str
    document: str
    claim: str
    edit: Mapping[str, Any]
    argument: str
    time: str
    decision: str = ""
    author: str = ""
    reason: str = ""
    version: int = 0
    """The version of the key that it went into."""
    mended: str = ""
    """The submission whose table it changed, where it changed one."""

    @property
    def waits_for_a_key(self) -> bool:
        """Whether it was accepted with an edit that is in no key or table yet."""
        return self.decision == ACCEPTED and bool(self.edit) and not self.version

    @property
    def is_settled(self) -> bool:
        return bool(self.decision) and not self.waits_for_a_key


@dataclass
class State:
    """Everything."""

    phase: str = CALL
    phases: list[tuple[str, str, str]] = field(default_factory=list)
    """When each phase began, and the head of the ledger then."""
    unsettled_phases: list[Mapping[str, Any]] = field(default_factory=list)
    """The phases that began before the published end of the one before, or before every dispute was settled; why."""
    protocols: list[Mapping[str, Any]] = field(default_factory=list)
    """The frozen versions."""
    teams: dict[str, Team] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    by_idempotency: dict[tuple[str, str], str] = field(default_factory=dict)
    keys: dict[str, list[Key]] = field(default_factory=dict)
    texts: dict[str, Texts] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    boards: dict[tuple[str, int], str] = field(default_factory=dict)
    """The newest board of each dataset and version of its key."""
    board_runs: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    board_ranked: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """The runs that are ranked on each, where not all that compete are."""
    board_makers: dict[tuple[str, int], str] = field(default_factory=dict)
    """The version of aune that made each."""
    pages: dict[tuple[str, int], str] = field(default_factory=dict)
    """The report page of a submission, by the version of the key."""
    about: str = ""
    """The digest of the description of the campaign; '' where there is none."""
    doi: str = ""
    """The DOI of the archive, where it has one."""
    attachments: dict[str, Attachment] = field(default_factory=dict)
    """The files beside the texts, by name."""
    primaries: dict[tuple[str, str], str] = field(default_factory=dict)
    """The name of the run that each team chose as its primary one of a dataset."""
    verdicts: list[Mapping[str, Any]] = field(default_factory=list)
    """The runs that were taken back, disqualified or reinstated, when, and why."""
    made_keys: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What annotators' files the key of each dataset was made from."""
    agreements: dict[str, str] = field(default_factory=dict)
    downloads: list[tuple[str, str, str]] = field(default_factory=list)
    archives: list[Mapping[str, Any]] = field(default_factory=list)

    def copy(self) -> State:
        """A state that can be changed without those who iterate over this one being disturbed."""
        fields = {name: copy(value) for name, value in vars(self).items()}
        return State(**{**fields, "keys": {name: [*keys] for name, keys in self.keys.items()}})

    def version(self, dataset: str) -> int:
        """The version of a dataset's key that scores now; 0 when there is none yet."""
        return len(self.keys.get(dataset, ()))

    def unsettled_disputes(self) -> list[Dispute]:
        """The disputes that wait for a decision or for a key, but for those that a phase went over with a reason."""
        known = {name for phase in self.unsettled_phases for name in phase["unsettled"]}
        return [dispute for dispute in self.disputes.values() if not dispute.is_settled and dispute.id not in known]

    def team_submissions(self, team: str, dataset: str) -> list[Submission]:
        return [
            submission
            for submission in self.submissions.values()
            if (submission.team, submission.dataset) == (team, dataset)
        ]

    def standing_submissions(self, dataset: str) -> list[Submission]:
        """The last valid submission of every run that counts, of every team that has not withdrawn.

        They come in the order of their ids, which are random: a board, a table or a file tells by its order nothing of
        who was first.
        """
        return [submission for submission in self.valid_submissions(dataset) if not submission.is_out]

    def valid_submissions(self, dataset: str) -> list[Submission]:
        """The same, with the runs that were taken back or disqualified."""
        last: dict[tuple[str, str], Submission] = {}
        for submission in self.submissions.values():
            if (
                submission.dataset == dataset
                and submission.state == SCORED
                and not self.teams[submission.team].withdrawn
            ):
                last[submission.team, submission.run] = submission
        return sorted(last.values(), key=lambda submission: submission.id)

    def same_run(self, submission: Submission) -> list[Submission]:
        """All submissions of the same run, this one among them."""
        name = submission.run
        return [other for other in self.team_submissions(submission.team, submission.dataset) if other.run == name]

    def primary_submissions(self, dataset: str) -> dict[str, str]:
        """The primary submission of each team: that of the run that it chose, or else its last valid one."""
        primaries: dict[str, Submission] = {}
        for submission in sorted(self.standing_submissions(dataset), key=lambda candidate: candidate.position):
            chosen = self.primaries.get((submission.team, dataset))
            before = primaries.get(submission.team)
            if before is None or before.run != chosen:
                primaries[submission.team] = submission
        return {team: submission.id for team, submission in primaries.items()}


Applier = Callable[[State, Entry, Mapping[str, Any]], None]


def fold_entries(entries: Iterable[Entry], state: State | None = None, name: str = LEDGER_FILE) -> State:
    """The state after some entries of a file; what they say is checked, as the file may be a stranger's."""
    result = State() if state is None else state
    for entry in entries:
        try:
            parse_timestamp(entry.time)
            details = check_details(entry.kind, entry.details)
            APPLIERS[entry.kind](result, entry, details)
        except (KeyError, TypeError, ValueError) as error:
            raise BrokenLedgerError.at(name, entry.position + 1, f"what no entry of aune says ({error})") from None
    return result


def _apply_phase(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.phase = details["phase"]
    state.phases.append((details["phase"], entry.time, entry.hash))
    if details.get("unsettled") or details.get("early"):
        state.unsettled_phases.append({"unsettled": [], **details, "time": entry.time})


def _apply_protocol(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.protocols.append({**details, "time": entry.time})


def _apply_team(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]] = Team(
        details["team"],
        details["name"],
        details["country"],
        details["kind"],
        details["pseudonym"],
        list(details["members"]),
        is_late=state.phase == OPEN,
    )


def _apply_renamed(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]].name = details["name"]


def _apply_member(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]].members.append(details["member"])


def _apply_left(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    team = state.teams[details["team"]]
    team.members.remove(details["member"])
    team.former.append(details["member"])
    team.changes += 1


def _apply_consent(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    team = state.teams[details["team"]]
    team.consent = details["consent"]
    team.changes += 1


def _apply_validated(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]].validated = True


def _apply_withdrawn(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]].withdrawn = details["reason"] or "no reason given"


def _apply_licence(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.teams[details["team"]].licence = True


def _apply_download(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.downloads.append((entry.time, details["team"], details["dataset"]))


def _apply_key(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    key = Key(
        details["dataset"],
        details["version"],
        details["digest"],
        details["salt"],
        details["commitment"],
        details["protocol"],
        details["scoring"],
        tuple(details["disputes"]),
        entry.time,
    )
    state.keys.setdefault(key.dataset, []).append(key)
    for dispute in key.disputes:
        state.disputes[dispute].version = key.version


def _apply_texts(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.texts[details["dataset"]] = Texts(details["digest"], details["name"], details["format"])


def _apply_commitment(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    """Public from the start; what it vouches for is told by the key's own entry."""


def _apply_submission(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    submission = Submission(
        details["submission"],
        details["team"],
        details["run"],
        details["dataset"],
        details["upload"],
        details["name"],
        details["table"],
        details["table_name"],
        details["idempotency"],
        entry.position,
        entry.time,
        entry.hash,
    )
    state.submissions[submission.id] = submission
    state.by_idempotency[submission.team, submission.idempotency] = submission.id


def _apply_leased(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    submission = state.submissions[details["submission"]]
    submission.attempts[details["version"]] = details["attempt"]
    submission.leases[details["version"]] = details["until"]
    submission.waits_for = details.get("reason", "")


def _apply_ended(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    submission = state.submissions[details["submission"]]
    version = details["version"]
    submission.waits_for = ""
    submission.leases.pop(version, None)
    if details["state"] == FAULT:
        submission.faults[version] = details["reason"]
        submission.state = submission.state if submission.results else FAULT
        return
    submission.results[version] = details["result"]
    if not (submission.state == SCORED and details["state"] == REFUSED and len(submission.results) > 1):
        submission.state = details["state"]


def _apply_dispute(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.disputes[details["dispute"]] = Dispute(
        details["dispute"], details["team"], details["dataset"], details["document"], details["claim"], details["edit"],
        details["argument"], entry.time,
    )  # fmt: skip


def _apply_decision(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    dispute = state.disputes[details["dispute"]]
    dispute.decision, dispute.author, dispute.reason = details["decision"], details["author"], details["reason"]


def _apply_table(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    """A table that was mended after a dispute: it comes with the next version of the key."""
    state.submissions[details["submission"]].mended[details["version"]] = details["digest"]
    state.disputes[details["dispute"]].mended = details["submission"]


def _apply_board(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    board_key = details["dataset"], details["version"]
    state.boards[board_key] = details["digest"]
    state.board_runs[board_key] = tuple(details["runs"])
    state.board_ranked.pop(board_key, None)
    if "ranked" in details:
        state.board_ranked[board_key] = tuple(details["ranked"])
    state.board_makers[board_key] = str(details.get("aune", ""))


def _apply_page(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.pages[details["submission"], details["version"]] = details["digest"]


def _apply_made(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.made_keys[details["dataset"]] = details


def _apply_agreement(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.agreements[details["dataset"]] = details["digest"]


def _apply_about(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.about = details["digest"]


def _apply_attached(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.attachments[details["name"]] = Attachment(*(details[name] for name in Attachment._fields))


def _apply_detached(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    del state.attachments[details["name"]]


def _apply_doi(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.doi = details["doi"]


def _apply_message(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    """A notice to teams, and nothing else."""


def _apply_primary(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    submission = state.submissions[details["submission"]]
    state.primaries[submission.team, submission.dataset] = submission.run


def _apply_described(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.submissions[details["submission"]].description = details["digest"]


def _apply_retracted(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    for submission in state.same_run(state.submissions[details["submission"]]):
        submission.retracted = True
    state.verdicts.append({"kind": entry.kind, **details, "time": entry.time})


def _apply_disqualified(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    for submission in state.same_run(state.submissions[details["submission"]]):
        submission.disqualified = details["reason"]
    state.verdicts.append({"kind": entry.kind, **details, "time": entry.time})


def _apply_reinstated(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    for submission in state.same_run(state.submissions[details["submission"]]):
        submission.disqualified = ""
    state.verdicts.append({"kind": entry.kind, **details, "time": entry.time})


def _apply_assigned(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    """Told to the annotator; what becomes of it is in the workbench."""


def _apply_archived(state: State, entry: Entry, details: Mapping[str, Any]) -> None:
    state.archives.append({**details, "time": entry.time})


APPLIERS: Mapping[str, Applier] = {
    "phase": _apply_phase,
    "protocol": _apply_protocol,
    "team": _apply_team,
    "renamed": _apply_renamed,
    "member": _apply_member,
    "left": _apply_left,
    "consent": _apply_consent,
    "validated": _apply_validated,
    "withdrawn": _apply_withdrawn,
    "licence": _apply_licence,
    "download": _apply_download,
    "key": _apply_key,
    "texts": _apply_texts,
    "commitment": _apply_commitment,
    "submission": _apply_submission,
    "leased": _apply_leased,
    "ended": _apply_ended,
    "dispute": _apply_dispute,
    "decision": _apply_decision,
    "table": _apply_table,
    "board": _apply_board,
    "page": _apply_page,
    "about": _apply_about,
    "attached": _apply_attached,
    "detached": _apply_detached,
    "doi": _apply_doi,
    "message": _apply_message,
    "primary": _apply_primary,
    "described": _apply_described,
    "retracted": _apply_retracted,
    "disqualified": _apply_disqualified,
    "reinstated": _apply_reinstated,
    "made": _apply_made,
    "agreement": _apply_agreement,
    "assigned": _apply_assigned,
    "archived": _apply_archived,
}
DISCLOSED = (
    "phase", "protocol", "commitment", "key", "texts", "ended", "decision", "board", "page", "made", "agreement",
    "archived", "described", "retracted", "disqualified", "reinstated",
    "about", "attached", "detached", "doi",
)  # fmt: skip
"""Entries whose details an archive shows as they are: they name no team and no person outside the organisers."""
