"""A campaign: its folder, and the actions of its people. Every action is an entry of the ledger.

    folder/campaign.toml    the protocol, beside the files that it names
    folder/store/           everything that was ever sent or made, by digest
    folder/ledger.jsonl     the events

Actions check the phase, the deadline and the quota under the ledger's lock, so several processes can run concurrently.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aune.campaign.keys.key_files import (
    AnnotatorFile,
    annotator_files,
    check_key,
    key_reader_options,
    measure_agreement,
    read_annotator_files,
)
from aune.campaign.keys.texts import make_texts, usual_ending
from aune.campaign.ledger.ledger_file import BrokenLedgerError, Entry, Ledger, Writer, canonical_json
from aune.campaign.ledger.people import PEOPLE_FILE, People
from aune.campaign.ledger.state import (
    ANONYMOUS,
    BASELINE,
    FAULT,
    LISTED,
    NAMED,
    ORGANISERS,
    RECEIVED,
    SCORED,
    TEAM,
    State,
    Submission,
    Team,
    fold_entries,
)
from aune.campaign.protocol.deadlines import format_instant, format_timestamp, now
from aune.campaign.protocol.phases import (
    CALL,
    DRY_ADJUDICATION,
    OPEN,
    PHASES,
    PUBLICATION,
    SUBMITTING,
    TEST,
    TEST_ADJUDICATION,
    check_next_phase,
    has_reached,
)
from aune.campaign.protocol.protocol_file import (
    NAME_PATTERN,
    PLACEHOLDER_LICENCE,
    PROTOCOL_FILE,
    Dataset,
    Protocol,
    parse_protocol,
    read_protocol,
)
from aune.campaign.protocol.visibility import Viewer, may_see
from aune.campaign.runs.run_metadata import check_metadata, read_metadata, record_metadata
from aune.contract import registry
from aune.errors import InputError, Place, Problem, Remedy, UsageError, make_visible
from aune.files import read_bytes, read_text, sha256_hex, write_atomically
from aune.privacy import make_private_folder
from aune.reading.corpus import read
from aune.sandbox import choose_sandbox
from aune.store import Store

MOST_CHANGES = 100  # changes of a team's consent and members
BIRDS = (
    "avocet", "bittern", "brambling", "bunting", "bustard", "buzzard", "chaffinch", "chough", "coot", "cormorant",
    "crake", "crane", "curlew", "dipper", "dove", "dunlin", "dunnock", "eagle", "egret", "eider", "falcon",
    "fieldfare", "firecrest", "fulmar", "gadwall", "gannet", "garganey", "godwit", "goldeneye", "goosander",
    "goshawk", "grebe", "guillemot", "harrier", "hawfinch", "heron", "hobby", "hoopoe", "ibis", "jackdaw", "jay",
    "kestrel", "kingfisher", "kite", "kittiwake", "knot", "lapwing", "linnet", "magpie", "mallard", "martin",
    "merganser", "merlin", "moorhen", "nightjar", "noddy", "nuthatch", "oriole", "osprey", "ouzel", "owl",
    "pelican", "petrel", "pintail", "pipit", "plover", "pochard", "puffin", "quail", "rail", "raven", "razorbill",
    "redpoll", "redshank", "redstart", "robin", "rook", "ruff", "sanderling", "serin", "shelduck", "shoveler",
    "shrike", "siskin", "skua", "skylark", "smew", "snipe", "sparrow", "spoonbill", "starling", "stilt", "stint",
    "stonechat", "stork", "swallow", "swift", "teal", "thrush", "tit", "treecreeper", "turnstone", "twite",
    "wagtail", "warbler", "waxwing", "wheatear", "whimbrel", "whinchat", "whitethroat", "wigeon", "woodcock",
    "woodpecker", "wren", "wryneck", "yellowhammer",
)  # fmt: skip


class NotVisibleError(UsageError):
    """Raised when the policy hides something from a viewer, as if it did not exist."""

    def __init__(self, thing: str) -> None:
        super().__init__(f"{thing}: not to be seen by this role in this phase")


class Newcomer(NamedTuple):
    """A system of the organisers, or a baseline, that may not have sent anything yet."""

    name: str
    kind: str


class Receipt(NamedTuple):
    """A team's proof of a submission, which stays valid."""

    submission: str
    dataset: str
    run: str
    file: str
    sha256: str
    time: str
    position: int
    head: str
    """The head of the ledger after this submission."""

    @classmethod
    def from_submission(cls, submission: Submission) -> Receipt:
        return cls(
            submission.id,
            submission.dataset,
            submission.run,
            submission.name,
            submission.upload,
            submission.time,
            submission.position,
            submission.head,
        )


class Campaign:
    """A campaign in a folder."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        if not (self.folder / PROTOCOL_FILE).is_file():
            place, remedy = Place(str(self.folder / PROTOCOL_FILE)), Remedy("make one with `aune campaign new`")
            what = f"no {PROTOCOL_FILE}"
            raise InputError([Problem("campaign.missing", place, what, "the folder of a campaign", (remedy,))])
        self.store = Store(self.folder / "store")
        self.ledger = Ledger(self.folder / "ledger.jsonl")
        self.people = People(self.folder / PEOPLE_FILE)
        self._names: Mapping[str, str] = {}
        """The names of people with which the state was computed."""
        self._state, self._seen, self._is_fixed = State(), 0, False
        self._protocol: tuple[str, Protocol] | None = None

    @property
    def state(self) -> State:
        """The state after all entries; within a `snapshot`, the state at its beginning.

        New entries make a new state object, so that iterating over an old one is safe.
        """
        if self._is_fixed:
            return self._state
        entries = self.ledger.entries()
        names = self.people.names()
        if names is not self._names:
            if not self._names.items() <= names.items():  # a name was deleted
                self._state, self._seen = State(), 0
            self._names = names
        if len(entries) > self._seen:
            named = [self.with_names(entry) for entry in entries[self._seen :]]
            self._state = fold_entries(named, self._state.copy(), str(self.ledger.path))
            self._seen = len(entries)
        return self._state

    def with_names(self, entry: Entry) -> Entry:
        """An entry with the names of people in place of the ids in the ledger."""
        if entry.details is None or not isinstance(entry.details, Mapping):
            return entry
        return entry._replace(details=self.people.resolve(entry.kind, entry.details))

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries of the ledger from which `state` is computed."""
        self.state  # noqa: B018 - reads new entries
        return self.ledger.entries()[: self._seen]

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads inside see the state of one moment and the writes made inside, not the writes of others."""
        self.state  # noqa: B018 - reads new entries
        before, self._is_fixed = self._is_fixed, True
        try:
            yield
        finally:
            self._is_fixed = before

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def protocol(self) -> Protocol:
        """The protocol in force: the file, or its last version once it is frozen."""
        frozen = self.state.protocols
        if not frozen:
            stat = (self.folder / PROTOCOL_FILE).stat()
            version_key = f"{stat.st_mtime_ns} {stat.st_size}"
            if self._protocol is None or self._protocol[0] != version_key:
                self._protocol = version_key, read_protocol(self.folder)
            return self._protocol[1]
        newest = frozen[-1]
        if self._protocol is None or self._protocol[0] != newest["digest"]:
            text = self.store.get(newest["text"]).decode()
            plan = parse_protocol(text, self.folder, str(self.folder / PROTOCOL_FILE), complete=False)
            self._protocol = newest["digest"], replace(plan, files=dict(newest["files"]))  # the frozen digests
        return self._protocol[1]

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The right to append to the ledger; earlier entries of other processes are visible."""
        with self.ledger.writing() as writer:
            before, self._is_fixed = self._is_fixed, False
            try:
                yield writer
            finally:
                with suppress(BrokenLedgerError):  # the next reader gets the error
                    self.state  # noqa: B018 - entries written here belong to the snapshot
                self._is_fixed = before

    def append(self, kind: str, details: Mapping[str, Any]) -> Entry:
        with self.writing() as writer:
            return writer.append(kind, details)

    def may_see(self, viewer: Viewer, thing: str, owner: str = "") -> bool:
        """Whether the policy and this campaign's protocol let a viewer see a thing."""
        return may_see(viewer, thing, self.phase, owner, self.protocol.public)

    def check(self, viewer: Viewer, thing: str, owner: str = "") -> None:
        """Refuse what a viewer may not see, as if it did not exist."""
        if not self.may_see(viewer, thing, owner):
            raise NotVisibleError(thing)

    def dataset(self, name: str) -> Dataset:
        if name not in self.protocol.datasets:
            raise UsageError(f"no data {name!r}: expected one of {', '.join(self.protocol.datasets)}")
        return self.protocol.datasets[name]

    def plan_of(self, dataset: str) -> Protocol:
        """The protocol for one dataset, with the task and the scoring of its track."""
        return self.protocol.for_dataset(dataset)

    def team(self, name: str) -> Team:
        """The team with an id or a name."""
        state = self.state
        if name in state.teams:
            return state.teams[name]
        namesakes = [team for team in state.teams.values() if team.name == name]
        if not namesakes:
            raise UsageError(f"no team {name!r}: register it with `aune campaign team`")
        if len(namesakes) > 1:
            raise UsageError(
                f"several teams are called {name!r}: say which, {' or '.join(namesake.id for namesake in namesakes)}"
            )
        return namesakes[0]

    def namesakes(self) -> list[list[Team]]:
        """Groups of teams with indistinguishable names, of which the organiser must rename some."""
        by_name: dict[str, list[Team]] = {}
        for team in self.state.teams.values():
            by_name.setdefault(" ".join(team.name.split()).casefold(), []).append(team)
        return [teams for teams in by_name.values() if len(teams) > 1]

    # Actions of the organiser.

    def begin_phase(self, phase: str, reason: str = "", author: str = "organiser") -> Entry:
        """Begin the next phase. Everything that begins with it is made first, so that it can be refused as a whole.

        A reason is required and recorded if disputes have no decision, or are accepted but in no key, or if the present
        phase ends before its published end.
        """
        check_next_phase(self.phase, phase, self.protocol.phases)
        if self.phase == CALL:  # a campaign under way keeps the licence that it was opened with
            self._check_licence()
        self._departures(phase, reason, author)
        if any(self.plan_of(dataset.name).scoring.scorer for dataset in self.protocol.datasets_in(phase)):
            choose_sandbox()  # raises if there is no sandbox: runs could not be scored
        if (phase == DRY_ADJUDICATION and not self._is_frozen()) or (
            has_reached(phase, TEST) and not self.state.protocols
        ):
            self.freeze_protocol("the protocol as it was tried")
        if phase == TEST:
            self._check_unchanged()
        if has_reached(phase, PUBLICATION) and (namesakes := self.namesakes()):
            ids = " and ".join(team.id for team in namesakes[0])
            raise UsageError(
                f"{ids} are both called {namesakes[0][0].name!r}: `aune campaign rename` one of them first"
            )
        for dataset in self.protocol.datasets_in(phase):
            self.commit_key(dataset.name)
        with self.writing() as writer:  # meanwhile, another process may have begun a phase or filed a dispute
            check_next_phase(self.phase, phase, self.protocol.phases)
            return writer.append("phase", {"phase": phase, **self._departures(phase, reason, author)})

    def _check_licence(self) -> None:
        """Refuse to open a campaign whose licence is still the placeholder that `aune campaign new` wrote."""
        licence = self.protocol.licence
        if licence and read_text(self.folder / licence).startswith(PLACEHOLDER_LICENCE):
            raise UsageError(f"{licence} is a placeholder: write the licence of your texts there, or leave it out")

    def _departures(self, phase: str, reason: str, author: str) -> dict[str, Any]:
        """The record of a phase that ends before its published end, or that leaves disputes unsettled."""
        early: dict[str, Any] = {}
        ends = self.protocol.deadlines.get(self.phase)
        if ends is not None and now() < ends:
            if not reason.strip():
                shown = format_instant(ends, self.protocol.zone)
                raise UsageError(
                    f"{self.phase!r} ends on {shown}, as was published: give the reason why it ends now (--reason), "
                    "which is published"
                )
            early = {"ended": self.phase, "early": format_timestamp(ends), "reason": reason, "author": author}
        return {**early, **self._unsettled_details(phase, reason, author)}

    def _unsettled_details(self, phase: str, reason: str, author: str) -> dict[str, Any]:
        """The record of the disputes that a phase leaves unsettled."""
        unsettled = self.state.unsettled_disputes() if phase == TEST or has_reached(phase, PUBLICATION) else []
        if unsettled and not reason.strip():
            undecided = sum(not dispute.decision for dispute in unsettled)
            raise UsageError(
                f"{undecided} dispute{'s wait' if undecided != 1 else ' waits'} for a decision, "
                f"{len(unsettled) - undecided} accepted for a new key: settle them first, or say why, "
                "which is published"
            )
        canonical_json([reason, author])  # refuse values that cannot be recorded before anything is stored
        return (
            {"unsettled": [dispute.id for dispute in unsettled], "reason": reason, "author": author}
            if unsettled
            else {}
        )

    def freeze_protocol(self, reason: str, author: str = "organiser") -> Entry:
        """Record the current protocol file as a new version, with a reason.

        If it scores differently, the affected keys get a new version too, by which every run is scored again.
        """
        if not reason.strip():
            raise UsageError("expected a reason for a new version of the protocol")
        canonical_json([reason, author])  # refuse values that cannot be recorded before anything is stored
        plan = read_protocol(self.folder)
        self._check_new_datasets(plan)
        details = {
            "digest": plan.digest,
            "text": self.store.add(plan.text.encode()),
            "files": {path: self.store.add(read_bytes(self.folder / path)) for path in plan.files},
            "reason": reason,
            "author": author,
        }
        with self.writing() as writer:
            before = self.state.protocols
            if before and before[-1]["digest"] == plan.digest:
                raise UsageError(f"{PROTOCOL_FILE} is what it was: nothing to record")
            entry = writer.append("protocol", {"version": len(before) + 1, **details})
            for name, keys in self.state.keys.items():
                dataset = self.protocol.datasets.get(name)
                if dataset and dataset.phase in SUBMITTING and keys[-1].scoring != self.plan_of(name).scoring_digest:
                    self.fix_key(writer, name, self.store.get(keys[-1].digest))
        return entry

    def _check_new_datasets(self, plan: Protocol) -> None:
        """Refuse a dataset whose phase has begun: its key can no longer be committed before the phase."""
        for dataset in plan.datasets.values():
            if has_reached(self.phase, dataset.phase) and not self.state.version(dataset.name):
                raise UsageError(
                    f"{dataset.name} is for the phase {dataset.phase!r}, which has begun without a commitment to its "
                    "key: name a later phase, or remove it"
                )

    def _is_frozen(self) -> bool:
        """Whether the last version in the ledger is the current protocol file."""
        frozen = self.state.protocols
        return bool(frozen) and frozen[-1]["digest"] == read_protocol(self.folder).digest

    def _check_unchanged(self) -> None:
        if not self._is_frozen():
            raise UsageError(
                f"{PROTOCOL_FILE} or a file it names changed since it was frozen: record a new version with a reason "
                "(`aune campaign freeze FOLDER --reason …`), or put back what was there"
            )

    def make_key(self, name: str, key: bytes, annotations: Mapping[str, tuple[str, bytes]], author: str) -> None:
        """Store a key that `author` made from the files of several annotators: (file name, bytes) by annotator.

        It is written to the path in the protocol. The annotators' files and their agreement are stored with it.
        """
        dataset = self.dataset(name)
        if self.state.version(name):
            raise UsageError(f"the key of {name} is committed: what is wrong with it is now mended by disputes")
        if len(annotations) < 2:
            raise UsageError("expected what at least two annotators did: agreement is theirs")
        check_key(self.plan_of(name), dataset, key)
        self._record_annotators(name, annotator_files(self.plan_of(name), dataset, annotations), key, author)
        make_private_folder((self.folder / dataset.key).parent)
        write_atomically(self.folder / dataset.key, key, private=True)

    def _record_annotators(self, name: str, files: Sequence[AnnotatorFile], key: bytes, author: str) -> None:
        agreement = measure_agreement(self.folder, self.plan_of(name), files)
        stored_files = [{"name": layer.name, "digest": self.store.add(layer.data)} for layer in files]
        details = {"dataset": name, "key": sha256_hex(key), "layers": stored_files, "author": author}
        digest = self.store.add(canonical_json(agreement))
        with self.writing() as writer:
            writer.append("made", details)
            writer.append("agreement", {"dataset": name, "digest": digest})

    def assign(self, annotator: str, texts: Sequence[str], author: str) -> None:
        """Record an annotation assignment."""
        with self.writing() as writer:
            person = self.people.identify(annotator)
            writer.append("assigned", {"annotator": person, "texts": list(texts), "author": author})

    def forget_person(self, name: str) -> None:
        """Delete the name of a person; the ledger keeps the id."""
        with self.writing():
            self.people.forget(name)

    def commit_key(self, name: str) -> None:
        """Commit the first key of a dataset by a public salted hash, and make the texts that are handed out."""
        if self.state.version(name):
            return
        dataset, plan = self.dataset(name), self.plan_of(name)
        if dataset.source:
            self._commit_open_key(dataset)
            return
        task = registry.task(plan.task)
        key = read_bytes(self.folder / dataset.key)
        record = self.state.made_keys.get(name)
        if record and record["key"] != sha256_hex(key):
            raise UsageError(
                f"{dataset.key} is not the key that {record['author']} made from the annotators' files: make it again "
                f"(`aune campaign key`), or put back what was there"
            )
        if not record and dataset.annotators:
            self._record_annotators(name, read_annotator_files(self.folder, plan, dataset), key, "organiser")
        corpus = read(task, str(self.folder / dataset.key), dataset.format or None, **key_reader_options(plan))
        if dataset.texts:
            corpus = read(task, str(self.folder / dataset.texts), None, **key_reader_options(plan))
        form, texts = make_texts(plan.task, corpus)
        name_of_texts = f"{name}{usual_ending(registry.format(plan.task, form))}"
        digest = self.store.add(texts)
        with self.writing() as writer:
            if self.state.version(name):  # another process committed it meanwhile
                return
            self.fix_key(writer, name, key)
            writer.append("texts", {"dataset": name, "digest": digest, "name": name_of_texts, "format": form})

    def _commit_open_key(self, dataset: Dataset) -> None:
        """Commit the newest key and the texts of a test dataset for the open phase."""
        with self.writing() as writer:
            if not self.state.version(dataset.name):
                texts = self.state.texts[dataset.source]
                self.fix_key(writer, dataset.name, self.store.get(self.state.keys[dataset.source][-1].digest))
                details = {"dataset": dataset.name, "digest": texts.digest, "format": texts.format}
                writer.append("texts", {**details, "name": f"{dataset.name}{Path(texts.name).suffix}"})

    def fix_key(self, writer: Writer, name: str, key: bytes, disputes: Sequence[str] = ()) -> int:
        """Commit the next version of a key by a public salted hash; returns the version number."""
        version, salt = self.state.version(name) + 1, secrets.token_hex(32)
        commitment = hashlib.sha256(bytes.fromhex(salt) + key).hexdigest()
        public = {"dataset": name, "version": version, "commitment": commitment}
        details = {
            **public, "salt": salt, "digest": self.store.add(key), "disputes": list(disputes),
            "protocol": len(self.state.protocols), "scoring": self.plan_of(name).scoring_digest,
        }  # fmt: skip
        writer.append("commitment", public)
        writer.append("key", details)
        return version

    # Teams.

    def register(self, name: str, country: str = "", kind: str = TEAM, members: Sequence[str] = ()) -> Team:
        """Register a team, with a pseudonym that reveals nothing about it.

        The name of another team is accepted too: a refusal would reveal who takes part.
        """
        _check_name(name)
        if kind not in (TEAM, ORGANISERS, BASELINE):
            raise UsageError(f"{kind!r} is no kind of team: expected {TEAM}, {ORGANISERS} or {BASELINE}")
        with self.writing() as writer:
            state = self.state
            if kind == TEAM and not takes_teams(state.phase):
                raise UsageError("the test is over: no team can register any more")
            return self._add_team(writer, Newcomer(name, kind), country, members)

    def _add_team(self, writer: Writer, newcomer: Newcomer, country: str = "", members: Sequence[str] = ()) -> Team:
        taken = {team.pseudonym for team in self.state.teams.values()}
        free = [bird for bird in BIRDS if bird not in taken] or [f"{bird} {len(taken)}" for bird in BIRDS]
        details: dict[str, Any] = {
            "team": f"t-{secrets.token_hex(8)}", "name": newcomer.name, "country": country, "kind": newcomer.kind,
            "pseudonym": secrets.choice(free), "members": [self.people.identify(member) for member in members],
        }  # fmt: skip
        writer.append("team", details)
        return self.team(details["team"])

    def _sender(self, team: str | Newcomer) -> Team:
        """The team that sends something; a newcomer that is not registered yet has no id."""
        if isinstance(team, str):
            return self.team(team)
        _check_name(team.name)
        known = (candidate for candidate in self.state.teams.values() if (candidate.name, candidate.kind) == team)
        return next(known, Team("", team.name, "", team.kind, ""))

    def rename(self, team: str, name: str) -> None:
        """Rename a team, for the organiser: because two have the same name, or one was misspelt."""
        _check_name(name)
        self.append("renamed", {"team": self.team(team).id, "name": name})

    def add_member(self, team: str, member: str) -> None:
        with self.writing() as writer:
            writer.append("member", {"team": self.team(team).id, "member": self.people.identify(member)})

    def remove_member(self, name: str, member: str) -> None:
        """Record that a member leaves a team; other members stay."""
        with self.writing() as writer:
            team = self.team(name)
            if member not in team.members:
                raise UsageError(f"no member {member!r} of {team.name}: expected one of {', '.join(team.members)}")
            if len(team.members) == 1:
                raise UsageError(f"{member} is the last member of {team.name}: add another first, or withdraw the team")
            _check_change_limit(team)
            writer.append("left", {"team": team.id, "member": self.people.identify(member)})

    def consent(self, name: str, consent: str) -> None:
        """Record what a team agrees to; an answer given before the test is final when the test begins.

        A team that registered late, or did not answer, may still answer until results are published.
        """
        if consent not in (NAMED, LISTED, ANONYMOUS):
            raise UsageError(f"{consent!r}: expected {NAMED}, {LISTED} or {ANONYMOUS}")
        with self.writing() as writer:
            team = self.team(name)
            if team.consent == consent:
                return
            if has_reached(self.phase, TEST) and team.consent and not team.is_late:
                raise UsageError("the test has begun: what a team agreed to stands")
            if has_reached(self.phase, PUBLICATION) and consent == NAMED and not team.is_late:
                raise UsageError("results are published: a team that said nothing before stays without a name")
            _check_change_limit(team)
            writer.append("consent", {"team": team.id, "consent": consent})

    def validate(self, name: str) -> None:
        """Record that a team has checked its results and confirms that they are its own."""
        if not has_reached(self.phase, TEST_ADJUDICATION):
            raise UsageError(f"there are no results of the test yet: stand by them in the phase {TEST_ADJUDICATION!r}")
        with self.writing() as writer:
            team = self.team(name)
            if not team.validated:
                writer.append("validated", {"team": team.id})

    def withdraw(self, name: str, reason: str = "") -> None:
        """Record that a team withdraws; it stays listed as withdrawn."""
        with self.writing() as writer:
            team = self.team(name)
            if team.withdrawn:
                raise UsageError("this team has withdrawn already")
            writer.append("withdrawn", {"team": team.id, "reason": reason})

    def accept_licence(self, name: str) -> None:
        with self.writing() as writer:
            team = self.team(name)
            if not team.licence:
                licence = self.protocol.files.get(self.protocol.licence, "")
                writer.append("licence", {"team": team.id, "licence": licence})

    # Submissions.

    def receive(
        self, team: str | Newcomer, dataset: str, run: str, name: str, upload: bytes | Iterable[bytes], *,
        table: bytes | Iterable[bytes] = b"", table_name: str = "", idempotency: str = "", at: datetime | None = None,
        metadata: Mapping[str, str] = MappingProxyType({}),
    ) -> Receipt:  # fmt: skip
        """Accept a run; it is on disk and in the ledger when this returns. The same run again gets the same receipt.

        The deadline applies to `at`, the arrival of the last byte; otherwise, a team could begin to send before the
        deadline and gain time by sending on. A newcomer is registered with its first run. A refused run leaves no
        trace.
        """
        arrived, most = at or now(), self.protocol.limits.upload
        chunks, rows = ([part] if isinstance(part, bytes) else part for part in (upload, table))
        with (
            self.store.receive(chunks, most, name) as upload_arrival,
            self.store.receive(rows, most, table_name) as table_arrival,
            self.writing() as writer,
        ):
            table_digest = table_arrival.digest if table else ""
            idempotency_key = idempotency or sha256_hex(
                "\0".join((dataset, run, upload_arrival.digest, table_digest)).encode()
            )
            owner = self._sender(team)
            if known := self._earlier_submission(owner, idempotency_key):
                return self._repeated_receipt(known, dataset, run, upload_arrival.digest, table_digest)
            self._check_submission(owner, dataset, run, arrived)
            texts = check_metadata(self.protocol, metadata, must_be_complete=owner.kind == TEAM)
            for part in (upload_arrival, table_arrival) if table else (upload_arrival,):
                part.keep()
            if isinstance(team, Newcomer) and not owner.id:
                owner = self._add_team(writer, team)
            details = {
                "submission": f"s-{secrets.token_hex(8)}",
                "team": owner.id,
                "run": run,
                "dataset": dataset,
                "upload": upload_arrival.digest,
                "name": name[:200],
                "table": table_digest,
                "table_name": table_name[:200],
                "idempotency": idempotency_key,
                "arrived": format_timestamp(arrived),
            }
            writer.append("submission", details)
            if texts:
                record_metadata(self.store, writer, details["submission"], texts)
            return Receipt.from_submission(self.state.submissions[details["submission"]])

    def _earlier_submission(self, team: Team, idempotency: str) -> Submission | None:
        """The submission that a team has sent with an idempotency key."""
        state = self.state
        return state.submissions.get(state.by_idempotency.get((team.id, idempotency), ""))

    def _repeated_receipt(self, submission: Submission, dataset: str, run: str, digest: str, table: str) -> Receipt:
        if (submission.dataset, submission.run, submission.upload, submission.table) != (dataset, run, digest, table):
            raise UsageError("another submission has this idempotency key: use a new one for a new submission")
        return Receipt.from_submission(submission)

    def _check_submission(self, team: Team, name: str, run: str, arrived: datetime) -> None:
        dataset, plan = self.dataset(name), self.protocol
        if not NAME_PATTERN.fullmatch(run):
            raise UsageError(f"the run {run!r}: expected a name of letters, digits, '.', '_' and '-'")
        if team.withdrawn:
            raise UsageError("this team has withdrawn")
        if dataset.phase not in SUBMITTING:
            raise UsageError(f"{name} is for {dataset.phase}: nothing is submitted for it")
        if dataset.phase != self.phase and team.kind == TEAM:
            raise UsageError(f"runs for {name} are taken in the phase {dataset.phase!r}: now it is {self.phase!r}")
        ends = plan.deadlines.get(dataset.phase)
        if ends is not None and arrived > ends and team.kind == TEAM:
            raise UsageError(
                f"the deadline was {format_instant(ends, plan.zone)}: this arrived at {format_timestamp(arrived)}"
            )
        if plan.licence and not team.licence and team.kind == TEAM:
            raise UsageError("the licence of the texts was not accepted: accept it first")
        if not self.state.version(name):
            begun = has_reached(self.phase, dataset.phase)
            why = "was added after its phase had begun" if begun else "has no key yet: its phase has not begun"
            raise UsageError(f"{name} {why}")
        if team.kind == TEAM:
            self._check_quota(team, dataset)

    def _check_quota(self, team: Team, dataset: Dataset) -> None:
        used, quota = self.submission_counts(team.id, dataset.name), self.protocol.quotas[dataset.phase]
        if used["total"] >= quota.total:
            raise UsageError(f"all {quota.total} submissions for {dataset.name} are used")
        if used["valid"] + used["waiting"] >= quota.valid:
            raise UsageError(f"all {quota.valid} valid submissions for {dataset.name} are used, or wait to be scored")

    def submission_counts(self, team: str, dataset: str) -> dict[str, int]:
        """How many submissions a team has used: valid, waiting, all; those that failed by our fault do not count."""
        states = [submission.state for submission in self.state.team_submissions(team, dataset)]
        return {
            "valid": states.count(SCORED),
            "waiting": states.count(RECEIVED),
            "total": sum(state != FAULT for state in states),
        }

    def deadline_passed(self, phase: str) -> bool:
        ends = self.protocol.deadlines.get(phase)
        return ends is not None and now() > ends

    # Public information.

    def heads(self) -> list[dict[str, str]]:
        """The head of the ledger at the beginning of each phase."""
        return [{"phase": phase, "time": time, "head": head} for phase, time, head in self.state.phases]

    def commitments(self) -> list[dict[str, Any]]:
        """The salted hashes by which keys were committed."""
        return [
            {"dataset": key.dataset, "version": key.version, "commitment": key.commitment, "time": key.time}
            for keys in self.state.keys.values()
            for key in keys
        ]

    def schedule(self) -> list[dict[str, Any]]:
        """The phases, their ends, and which one is current."""
        plan = self.protocol
        return [
            {
                "phase": phase,
                "ends": format_instant(plan.deadlines[phase], plan.zone) if phase in plan.deadlines else "",
                "now": phase == self.phase,
                "over": PHASES.index(phase) < PHASES.index(self.phase),
            }
            for phase in plan.phases
        ]

    def receipts(self, viewer: Viewer, team: str) -> list[Receipt]:
        owner = self.team(team).id
        self.check(viewer, "receipts", owner)
        return [
            Receipt.from_submission(submission)
            for submission in self.state.submissions.values()
            if submission.team == owner
        ]

    def status(self, viewer: Viewer, submission_id: str) -> dict[str, Any]:
        """The status of a submission, as far as a viewer may see it now."""
        submission = self.state.submissions.get(submission_id)
        if submission is None:
            raise NotVisibleError(submission_id)
        self.check(viewer, "validity", submission.team)
        status: dict[str, Any] = {**Receipt.from_submission(submission)._asdict(), "state": submission.state}
        if self.protocol.metadata:
            status["metadata"] = read_metadata(self.store, submission)
        if submission.is_out:
            status |= {"withdrawn": submission.retracted, "disqualified": submission.disqualified}
        if self.plan_of(submission.dataset).scoring.rank == "primary":
            primaries = self.state.primary_submissions(submission.dataset)
            status["primary"] = primaries.get(submission.team) == submission.id
        result = self.result(submission)
        if result:
            status |= {name: result[name] for name in ("problems", "notes", "residue", "residue_count", "documents")}
            status["codes"] = result.get("codes", [""] * len(result["problems"]))  # older results have none
        if submission.state == FAULT:
            status["problems"] = [[submission.name, 1, 1, "this was our fault, and does not count: send it again"]]
        if result and self.may_see(viewer, f"{self.dataset(submission.dataset).phase} scores", submission.team):
            status["scores"] = result.get("scores", [])
        return status

    def result(self, submission: Submission, version: int | None = None) -> dict[str, Any] | None:
        """The result of a submission for a version of the key, by default the newest."""
        chosen = version if version is not None else max(submission.results, default=None)
        if chosen is None or chosen not in submission.results:
            return None
        result: dict[str, Any] = json.loads(self.store.get(submission.results[chosen]))
        return result


def takes_teams(phase: str) -> bool:
    """Whether teams can register in a phase: until the test is over, and again when the campaign is open."""
    return phase in (TEST, OPEN) or not has_reached(phase, TEST)


def _check_change_limit(team: Team) -> None:
    """Refuse endless changes: the ledger only grows, and they would fill the disk."""
    if team.changes >= MOST_CHANGES:
        raise UsageError(f"this team changed {MOST_CHANGES} times what it agrees to or who is in it: it stays as it is")


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or make_visible(name) != name:
        raise UsageError("expected a name for the team, of 200 letters at most, on one line and without hidden signs")
