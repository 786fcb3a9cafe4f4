"""The state of a campaign, computed from its ledger: teams, submissions, keys, disputes, boards.

Each kind of entry has one function here that applies it to the state. No other code keeps state.
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
"""The states of a submission: waiting, valid, invalid, or failed by our fault, which counts for no quota."""
TEAM, ORGANISERS, BASELINE = "participant", "organiser", "baseline"
"""The kinds of teams: competitors, teams of the organisers (shown for information), and baselines of aune."""
NAMED, LISTED, ANONYMOUS = "named", "listed", "anonymous"
"""The consent of a team: its name with its results, its name in the list of participants only, or neither."""
ACCEPTED = "accepted"
"""The decision on a dispute whose edit goes into the next key."""
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
    """Members who left; their names are not revealed either."""
    consent: str = ""
    validated: bool = False
    withdrawn: str = ""
    """The reason of the withdrawal; '' if the team has not withdrawn."""
    licence: bool = False
    changes: int = 0
    """How often its consent or its members changed."""
    is_late: bool = False
    """Whether it registered in the open phase, after the campaign itself."""

    @property
    def competes(self) -> bool:
        return self.kind == TEAM and not self.withdrawn

    def is_named_in(self, text: str, known: str = "") -> bool:
        """Whether a text contains the name of the team or of a member, more often than the public text `known` does.

        >>> Team("t", "Ann & Co", "FR", TEAM, "wren", ["Ann"]).is_named_in("Announce it, said Ann.", "It was Ann.")
        False
        """
        return any(
            _count_occurrences(name, text) > _count_occurrences(name, known) for name in self.names if name.strip()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All names that would reveal the team."""
        return self.name, *self.members, *self.former


def _count_occurrences(name: str, text: str) -> int:
    """How often a name occurs in a text as a separate word, ignoring case."""
    plain = re.escape(name.strip().casefold())
    return len(re.findall(rf"(?<![^\W\d_]){plain}(?![^\W\d_])", text.casefold()))


class TableFile(NamedTuple):
    """A correspondence table: its path in an archive, and its digest."""

    path: str
    digest: str


@dataclass
class Submission:
    """A submission of a run, as it was received."""

    id: str
    team: str
    run: str
    dataset: str
    upload: str
    """The digest of the uploaded file."""
    name: str
    """The name of the uploaded file."""
    table: str
    """The digest of the table that was sent with it."""
    table_name: str
    idempotency: str
    position: int
    time: str
    head: str
    state: str = RECEIVED
    results: dict[int, str] = field(default_factory=dict)
    """The digest of the result for each version of the key."""
    attempts: dict[int, int] = field(default_factory=dict)
    leases: dict[int, str] = field(default_factory=dict)
    """The time at which a worker's lease ends, for each version of the key."""
    waits_for: str = ""
    """The known reason why it cannot be scored yet."""
    faults: dict[int, str] = field(default_factory=dict)
    description: str = ""
    """The digest of its team's description; '' if there is none."""
    retracted: bool = False
    """Whether its team withdrew it."""
    disqualified: str = ""
    """The reason, if the organiser disqualified it."""
    mended: dict[int, str] = field(default_factory=dict)
    """The digests of the tables that replaced the uploaded one, by the version of the key that introduced them."""

    @property
    def is_out(self) -> bool:
        """Whether it was withdrawn or disqualified, and is on no board."""
        return self.retracted or bool(self.disqualified)

    def table_at(self, version: int) -> TableFile | None:
        """The table that is used to score it with a version of the key."""
        since = max((number for number in self.mended if number <= version), default=0)
        if since:
            return TableFile(f"tables/{self.id}-{since}.tsv", self.mended[since])
        ending = ".toml" if self.table_name.endswith(".toml") else ".tsv"
        return TableFile(f"tables/{self.id}{ending}", self.table) if self.table else None


@dataclass
class Key:
    """A version of the key of a dataset, with the protocol that is used with it, and the disputes that it settles."""

    dataset: str
    version: int
    digest: str
    salt: str
    commitment: str
    protocol: int
    """The version of the protocol; 0 before it is frozen."""
    scoring: str
    """The scoring digest of that protocol."""
    disputes: tuple[str, ...] = ()
    """The disputes accepted since the previous version: edits of the key, and of tables."""
    time: str = ""


@dataclass
class Texts:
    """The file that was handed out for a dataset."""

    digest: str
    name: str
    format: str


class Attachment(NamedTuple):
    """A file offered besides the texts: guidelines, audio, a lexicon."""

    name: str
    title: str
    file: str
    """The name of the file."""
    digest: str
    size: int
    phase: str
    """The first phase in which it is offered."""
    audience: str
    """`everybody`, or `teams`."""
    licence: bool
    """Whether a team must accept the licence first."""


@dataclass
class Dispute:
    """A claim that something is wrong, with the edit that would correct it."""

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
    """The version of the key that contains its edit."""
    mended: str = ""
    """The submission whose table it changed; '' if none."""

    @property
    def waits_for_a_key(self) -> bool:
        """Whether it was accepted with an edit that is in no key or table yet."""
        return self.decision == ACCEPTED and bool(self.edit) and not self.version

    @property
    def is_settled(self) -> bool:
        return bool(self.decision) and not self.waits_for_a_key


@dataclass
class State:
    """The whole state of a campaign."""

    phase: str = CALL
    phases: list[tuple[str, str, str]] = field(default_factory=list)
    """Each phase, when it began, and the head of the ledger then."""
    unsettled_phases: list[Mapping[str, Any]] = field(default_factory=list)
    """The phases that began before the published end of the previous one, or with disputes unsettled, and why."""
    protocols: list[Mapping[str, Any]] = field(default_factory=list)
    """The frozen versions of the protocol."""
    teams: dict[str, Team] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    by_idempotency: dict[tuple[str, str], str] = field(default_factory=dict)
    keys: dict[str, list[Key]] = field(default_factory=dict)
    texts: dict[str, Texts] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    boards: dict[tuple[str, int], str] = field(default_factory=dict)
    """The digest of the newest board of each dataset and version of its key."""
    board_runs: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    board_ranked: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """The ranked runs of each board, if not all competing runs are ranked."""
    board_makers: dict[tuple[str, int], str] = field(default_factory=dict)
    """The version of aune that made each board."""
    pages: dict[tuple[str, int], str] = field(default_factory=dict)
    """The digest of the report page of each submission, by the version of the key."""
    about: str = ""
    """The digest of the description of the campaign; '' if there is none."""
    doi: str = ""
    """The DOI of the archive; '' if it has none."""
    attachments: dict[str, Attachment] = field(default_factory=dict)
    """The files offered besides the texts, by name."""
    primaries: dict[tuple[str, str], str] = field(default_factory=dict)
    """The name of the run that each team chose as its primary one, by team and dataset."""
    verdicts: list[Mapping[str, Any]] = field(default_factory=list)
    """When and why runs were withdrawn, disqualified or reinstated."""
    made_keys: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each dataset, the record of the annotators' files from which its key was made."""
    agreements: dict[str, str] = field(default_factory=dict)
    downloads: list[tuple[str, str, str]] = field(default_factory=list)
    archives: list[Mapping[str, Any]] = field(default_factory=list)

    def copy(self) -> State:
        """A copy that can be changed while other code iterates over this state."""
        fields = {name: copy(value) for name, value in vars(self).items()}
        return State(**{**fields, "keys": {name: [*keys] for name, keys in self.keys.items()}})

    def version(self, dataset: str) -> int:
        """The current version of a dataset's key; 0 if there is none yet."""
        return len(self.keys.get(dataset, ()))

    def unsettled_disputes(self) -> list[Dispute]:
        """The disputes that wait for a decision or a key, except those that a phase left unsettled with a reason."""
        known = {name for phase in self.unsettled_phases for name in phase["unsettled"]}
        return [dispute for dispute in self.disputes.values() if not dispute.is_settled and dispute.id not in known]

    def team_submissions(self, team: str, dataset: str) -> list[Submission]:
        return [
            submission
            for submission in self.submissions.values()
            if (submission.team, submission.dataset) == (team, dataset)
        ]

    def standing_submissions(self, dataset: str) -> list[Submission]:
        """The last valid submission of every run that counts, of all teams that have not withdrawn.

        They are sorted by their ids, which are random, so that the order of a board, a table or a file does not reveal
        who was first.
        """
        return [submission for submission in self.valid_submissions(dataset) if not submission.is_out]

    def valid_submissions(self, dataset: str) -> list[Submission]:
        """Like `standing_submissions`, including runs that were withdrawn or disqualified."""
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
        """All submissions of the same run, including this one."""
        name = submission.run
        return [other for other in self.team_submissions(submission.team, submission.dataset) if other.run == name]

    def primary_submissions(self, dataset: str) -> dict[str, str]:
        """The primary submission of each team: of the run that the team chose, otherwise its last valid submission."""
        primaries: dict[str, Submission] = {}
        for submission in sorted(self.standing_submissions(dataset), key=lambda candidate: candidate.position):
            chosen = self.primaries.get((submission.team, dataset))
            before = primaries.get(submission.team)
            if before is None or before.run != chosen:
                primaries[submission.team] = submission
        return {team: submission.id for team, submission in primaries.items()}


Applier = Callable[[State, Entry, Mapping[str, Any]], None]


def fold_entries(entries: Iterable[Entry], state: State | None = None, name: str = LEDGER_FILE) -> State:
    """The state after some more entries of a file, which are checked, since a ledger may come from a stranger."""
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
    """Changes nothing: the entry is public from the start, and the key's own entry has the details."""


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
    """A table that a dispute corrected: it is used from the next version of the key on."""
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
    """Changes nothing: the message is only a notice to teams."""


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
    """Changes nothing: the annotator is notified, and the work itself is in the workbench."""


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
"""Entries whose details an archive discloses: they name no team, and no person other than organisers."""
