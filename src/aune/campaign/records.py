"""What a campaign knows, as the fold of its ledger: teams, submissions, keys, disputes, boards.

Every kind of entry has one function here that says what it changes. Nothing else keeps state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.campaign.entries import checked
from aune.campaign.instants import unstamped
from aune.campaign.ledger import FILE, BrokenError, Entry
from aune.campaign.phases import CALL

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

    @property
    def competes(self) -> bool:
        return self.kind == TEAM and not self.withdrawn

    def is_told_by(self, text: str, known: str = "") -> bool:
        """Whether a text holds the name of the team or of somebody in it, more often than a text that others know.

        >>> Team("t", "Ann & Co", "FR", TEAM, "wren", ["Ann"]).is_told_by("Announce it, said Ann.", "It was Ann.")
        False
        """
        return any(_occurrences(name, text) > _occurrences(name, known) for name in self.names if name.strip())

    @property
    def names(self) -> tuple[str, ...]:
        """What tells who it is."""
        return self.name, *self.members, *self.former


def _occurrences(name: str, text: str) -> int:
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
    mended: dict[int, str] = field(default_factory=dict)
    """The digests of tables that took the place of the one that was sent, by the version of the key they came with."""

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
    """The phases that began before every dispute was settled, with what was left and why."""
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
    pages: dict[tuple[str, int], str] = field(default_factory=dict)
    """The report page of a submission, by the version of the key."""
    made: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What annotators' files the key of each dataset was made from."""
    agreements: dict[str, str] = field(default_factory=dict)
    downloads: list[tuple[str, str, str]] = field(default_factory=list)
    archives: list[Mapping[str, Any]] = field(default_factory=list)

    def version(self, dataset: str) -> int:
        """The version of a dataset's key that scores now; 0 when there is none yet."""
        return len(self.keys.get(dataset, ()))

    def unsettled(self) -> list[Dispute]:
        """The disputes that wait for a decision or for a key, but for those that a phase went over with a reason."""
        known = {name for phase in self.unsettled_phases for name in phase["unsettled"]}
        return [dispute for dispute in self.disputes.values() if not dispute.is_settled and dispute.id not in known]

    def of_team(self, team: str, dataset: str) -> list[Submission]:
        return [
            submission
            for submission in self.submissions.values()
            if (submission.team, submission.dataset) == (team, dataset)
        ]

    def standing(self, dataset: str) -> list[Submission]:
        """The last valid submission of every run of every team that has not withdrawn.

        They come in the order of their ids, which are random: a board, a table or a file tells by its order nothing of
        who was first.
        """
        last: dict[tuple[str, str], Submission] = {}
        for one in self.submissions.values():
            if one.dataset == dataset and one.state == SCORED and not self.teams[one.team].withdrawn:
                last[one.team, one.run] = one
        return sorted(last.values(), key=lambda one: one.id)


Step = Callable[[State, Entry, Mapping[str, Any]], None]


def folded(entries: Iterable[Entry], state: State | None = None, name: str = FILE) -> State:
    """The state after some entries of a file; what they say is checked, as the file may be a stranger's."""
    found = State() if state is None else state
    for entry in entries:
        try:
            unstamped(entry.time)
            said = checked(entry.kind, entry.details)
            STEPS[entry.kind](found, entry, said)
        except (KeyError, TypeError, ValueError) as error:
            raise BrokenError.at(name, entry.position + 1, f"what no entry of aune says ({error})") from None
    return found


def _phase(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.phase = said["phase"]
    state.phases.append((said["phase"], entry.time, entry.hash))
    if said.get("unsettled"):
        state.unsettled_phases.append({**said, "time": entry.time})


def _protocol(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.protocols.append({**said, "time": entry.time})


def _team(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]] = Team(
        said["team"], said["name"], said["country"], said["kind"], said["pseudonym"], list(said["members"])
    )


def _renamed(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]].name = said["name"]


def _member(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]].members.append(said["member"])


def _left(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    team = state.teams[said["team"]]
    team.members.remove(said["member"])
    team.former.append(said["member"])
    team.changes += 1


def _consent(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    team = state.teams[said["team"]]
    team.consent = said["consent"]
    team.changes += 1


def _validated(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]].validated = True


def _withdrawn(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]].withdrawn = said["reason"] or "no reason given"


def _licence(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.teams[said["team"]].licence = True


def _download(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.downloads.append((entry.time, said["team"], said["dataset"]))


def _key(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    key = Key(
        said["dataset"], said["version"], said["digest"], said["salt"], said["commitment"], said["protocol"],
        said["scoring"], tuple(said["disputes"]), entry.time,
    )  # fmt: skip
    state.keys.setdefault(key.dataset, []).append(key)
    for dispute in key.disputes:
        state.disputes[dispute].version = key.version


def _texts(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.texts[said["dataset"]] = Texts(said["digest"], said["name"], said["format"])


def _commitment(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    """Public from the start; what it vouches for is told by the key's own entry."""


def _submission(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    one = Submission(
        said["submission"], said["team"], said["run"], said["dataset"], said["upload"], said["name"], said["table"],
        said["table_name"], said["idempotency"], entry.position, entry.time, entry.hash,
    )  # fmt: skip
    state.submissions[one.id] = one
    state.by_idempotency[one.team, one.idempotency] = one.id


def _leased(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    one = state.submissions[said["submission"]]
    one.attempts[said["version"]] = said["attempt"]
    one.leases[said["version"]] = said["until"]
    one.waits_for = said.get("reason", "")


def _ended(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    one = state.submissions[said["submission"]]
    version = said["version"]
    one.waits_for = ""
    one.leases.pop(version, None)
    if said["state"] == FAULT:
        one.faults[version] = said["reason"]
        one.state = one.state if one.results else FAULT
        return
    one.results[version] = said["result"]
    if not (one.state == SCORED and said["state"] == REFUSED and len(one.results) > 1):
        one.state = said["state"]


def _dispute(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.disputes[said["dispute"]] = Dispute(
        said["dispute"], said["team"], said["dataset"], said["document"], said["claim"], said["edit"],
        said["argument"], entry.time,
    )  # fmt: skip


def _decision(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    one = state.disputes[said["dispute"]]
    one.decision, one.author, one.reason = said["decision"], said["author"], said["reason"]


def _table(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    """A table that was mended after a dispute: it comes with the next version of the key."""
    state.submissions[said["submission"]].mended[said["version"]] = said["digest"]
    state.disputes[said["dispute"]].mended = said["submission"]


def _board(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    place = said["dataset"], said["version"]
    state.boards[place] = said["digest"]
    state.board_runs[place] = tuple(said["runs"])


def _page(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.pages[said["submission"], said["version"]] = said["digest"]


def _made(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.made[said["dataset"]] = said


def _agreement(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.agreements[said["dataset"]] = said["digest"]


def _assigned(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    """Told to the annotator; what becomes of it is in the workbench."""


def _archived(state: State, entry: Entry, said: Mapping[str, Any]) -> None:
    state.archives.append({**said, "time": entry.time})


STEPS: Mapping[str, Step] = {
    "phase": _phase,
    "protocol": _protocol,
    "team": _team,
    "renamed": _renamed,
    "member": _member,
    "left": _left,
    "consent": _consent,
    "validated": _validated,
    "withdrawn": _withdrawn,
    "licence": _licence,
    "download": _download,
    "key": _key,
    "texts": _texts,
    "commitment": _commitment,
    "submission": _submission,
    "leased": _leased,
    "ended": _ended,
    "dispute": _dispute,
    "decision": _decision,
    "table": _table,
    "board": _board,
    "page": _page,
    "made": _made,
    "agreement": _agreement,
    "assigned": _assigned,
    "archived": _archived,
}
DISCLOSED = (
    "phase", "protocol", "commitment", "key", "texts", "ended", "decision", "board", "page", "made", "agreement",
    "archived",
)  # fmt: skip
"""Entries whose details an archive shows as they are: they name no team and no person outside the organisers."""
