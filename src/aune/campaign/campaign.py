"""A campaign: its folder, and what its people do in it. Every action is an entry of the ledger.

    folder/campaign.toml    the protocol, with the files that it names beside it
    folder/store/           everything that was ever sent or made, by digest
    folder/ledger.jsonl     what happened

Actions check the phase, the deadline and the quota under the ledger's lock, so that several processes can work at once.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.instants import now, shown, stamp
from aune.campaign.keys import Layer, agreement_of, check_key, layers, layers_in, reading
from aune.campaign.ledger import Entry, Ledger, Writer, canonical
from aune.campaign.phases import (
    DRY_ADJUDICATION,
    PHASES,
    PUBLICATION,
    SUBMITTING,
    TEST,
    TEST_ADJUDICATION,
    check_step,
    since,
)
from aune.campaign.policy import Viewer, may_see
from aune.campaign.protocol import FILE, NAME, Dataset, Protocol, protocol, protocol_of
from aune.campaign.records import (
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
    folded,
)
from aune.campaign.store import Store
from aune.campaign.texts import ending, handed_out
from aune.core import registry
from aune.core.corpus import read
from aune.core.errors import InputError, Problem, UsageError, visible
from aune.core.files import bytes_of, digest_of, write_whole

MOST_CHANGES = 100  # of what a team agrees to, and of who is in it
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


class NotYoursError(UsageError):
    """What the policy does not let a viewer see: as if it were not there."""

    def __init__(self, thing: str) -> None:
        super().__init__(f"{thing}: not to be seen by this role in this phase")


class Newcomer(NamedTuple):
    """A system of the organisers, or a baseline, that may not have sent anything yet."""

    name: str
    kind: str


class Receipt(NamedTuple):
    """What a team gets for a submission; it holds for ever."""

    submission: str
    dataset: str
    run: str
    file: str
    sha256: str
    time: str
    position: int
    head: str
    """The ledger's hash with this submission in it."""

    @classmethod
    def of(cls, submission: Submission) -> Receipt:
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
        if not (self.folder / FILE).is_file():
            what = f"found no {FILE}, expected the folder of a campaign: make one with `aune campaign new`"
            raise InputError([Problem(str(self.folder / FILE), 1, 1, what)])
        self.store = Store(self.folder / "store")
        self.ledger = Ledger(self.folder / "ledger.jsonl")
        self._state, self._seen = State(), 0
        self._protocol: tuple[str, Protocol] | None = None

    @property
    def state(self) -> State:
        """Everything that happened so far."""
        entries = self.ledger.entries()
        folded(entries[self._seen :], self._state, str(self.ledger.path))
        self._seen = len(entries)
        return self._state

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def protocol(self) -> Protocol:
        """The protocol in force: the file, and once it is frozen, its last version."""
        frozen = self.state.protocols
        if not frozen:
            written = (self.folder / FILE).stat()
            same = f"{written.st_mtime_ns} {written.st_size}"
            if self._protocol is None or self._protocol[0] != same:
                self._protocol = same, protocol(self.folder)
            return self._protocol[1]
        newest = frozen[-1]
        if self._protocol is None or self._protocol[0] != newest["digest"]:
            text = self.store.get(newest["text"]).decode()
            found = protocol_of(text, self.folder, str(self.folder / FILE), complete=False)
            self._protocol = newest["digest"], replace(found, files=dict(newest["files"]))  # as they were frozen
        return self._protocol[1]

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with self.ledger.writing() as writer:
            yield writer

    def append(self, kind: str, details: Mapping[str, Any]) -> Entry:
        with self.writing() as writer:
            return writer.append(kind, details)

    def may(self, viewer: Viewer, thing: str, owner: str = "") -> bool:
        """The policy, with what this campaign's protocol holds back."""
        return may_see(viewer, thing, self.phase, owner, self.protocol.public)

    def check(self, viewer: Viewer, thing: str, owner: str = "") -> None:
        """Refuse what a viewer may not see, as if it were not there."""
        if not self.may(viewer, thing, owner):
            raise NotYoursError(thing)

    def dataset(self, name: str) -> Dataset:
        if name not in self.protocol.datasets:
            raise UsageError(f"no data {name!r}: expected one of {', '.join(self.protocol.datasets)}")
        return self.protocol.datasets[name]

    def team(self, name: str) -> Team:
        """A team by its id or its name."""
        state = self.state
        if name in state.teams:
            return state.teams[name]
        named = [team for team in state.teams.values() if team.name == name]
        if not named:
            raise UsageError(f"no team {name!r}: register it with `aune campaign team`")
        if len(named) > 1:
            raise UsageError(f"several teams are called {name!r}: say which, {' or '.join(one.id for one in named)}")
        return named[0]

    def namesakes(self) -> list[list[Team]]:
        """Teams that nobody could tell apart by their names: the organiser asks one of them for another."""
        by_name: dict[str, list[Team]] = {}
        for team in self.state.teams.values():
            by_name.setdefault(" ".join(team.name.split()).casefold(), []).append(team)
        return [teams for teams in by_name.values() if len(teams) > 1]

    # The organiser's part.

    def go_to(self, phase: str, reason: str = "", author: str = "organiser") -> Entry:
        """The next phase; what begins with it is made first, so that it can be refused as a whole.

        Where disputes are left without a decision, or accepted and in no key, the ledger has to say why.
        """
        check_step(self.phase, phase, self.protocol.phases)
        self._left_unsettled(phase, reason, author)
        if (phase == DRY_ADJUDICATION and not self._is_frozen()) or (since(phase, TEST) and not self.state.protocols):
            self.freeze("the protocol as it was tried")
        if phase == TEST:
            self._check_unchanged()
        if since(phase, PUBLICATION) and (alike := self.namesakes()):
            which = " and ".join(one.id for one in alike[0])
            raise UsageError(f"{which} are both called {alike[0][0].name!r}: `aune campaign rename` one of them first")
        for dataset in self.protocol.of_phase(phase):
            self.commit(dataset.name)
        with self.writing() as writer:  # somebody else may have gone on, or disputed something, meanwhile
            check_step(self.phase, phase, self.protocol.phases)
            return writer.append("phase", {"phase": phase, **self._left_unsettled(phase, reason, author)})

    def _left_unsettled(self, phase: str, reason: str, author: str) -> dict[str, Any]:
        """What a phase says of the disputes that it leaves behind."""
        left = self.state.unsettled() if phase == TEST or since(phase, PUBLICATION) else []
        if left and not reason.strip():
            undecided = sum(not one.decision for one in left)
            raise UsageError(
                f"{undecided} dispute{'s wait' if undecided != 1 else ' waits'} for a decision, "
                f"{len(left) - undecided} accepted for a new key: settle them first, or say why, which is published"
            )
        canonical([reason, author])  # what cannot be recorded is refused before anything is kept
        return {"unsettled": [one.id for one in left], "reason": reason, "author": author} if left else {}

    def freeze(self, reason: str, author: str = "organiser") -> Entry:
        """The protocol as its file says it now, as a new version with a reason.

        Where it scores otherwise, keys have a new version too, by which every run is scored again.
        """
        if not reason.strip():
            raise UsageError("expected a reason for a new version of the protocol")
        canonical([reason, author])  # what cannot be recorded is refused before anything is kept
        found = protocol(self.folder)
        said = {
            "digest": found.digest,
            "text": self.store.put(found.text.encode()),
            "files": {path: self.store.put(bytes_of(self.folder / path)) for path in found.files},
            "reason": reason,
            "author": author,
        }
        with self.writing() as writer:
            before = self.state.protocols
            if before and before[-1]["digest"] == found.digest:
                raise UsageError(f"{FILE} is what it was: nothing to record")
            entry = writer.append("protocol", {"version": len(before) + 1, **said})
            for name, keys in self.state.keys.items():
                dataset = self.protocol.datasets.get(name)
                if dataset and dataset.phase in SUBMITTING and keys[-1].scoring != self.protocol.scoring_digest:
                    self.fix_key(writer, name, self.store.get(keys[-1].digest))
        return entry

    def _is_frozen(self) -> bool:
        """Whether the protocol is in the ledger as its file says it now."""
        frozen = self.state.protocols
        return bool(frozen) and frozen[-1]["digest"] == protocol(self.folder).digest

    def _check_unchanged(self) -> None:
        if not self._is_frozen():
            raise UsageError(
                f"{FILE} or a file it names changed since it was frozen: record a new version with a reason "
                "(`aune campaign freeze FOLDER --reason …`), or put back what was there"
            )

    def make_key(self, name: str, key: bytes, annotations: Mapping[str, tuple[str, bytes]], author: str) -> None:
        """The key of a dataset, made by somebody from the files of several annotators: (file name, bytes) by annotator.

        It is written where the protocol has it. Their files and their agreement are kept with it.
        """
        dataset = self.dataset(name)
        if self.state.version(name):
            raise UsageError(f"the key of {name} is committed: what is wrong with it is now mended by disputes")
        if len(annotations) < 2:
            raise UsageError("expected what at least two annotators did: agreement is theirs")
        check_key(self.protocol, dataset, key)
        self._record_layers(name, layers(self.protocol, dataset, annotations), key, author)
        (self.folder / dataset.key).parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / dataset.key, key)

    def _record_layers(self, name: str, done: Sequence[Layer], key: bytes, author: str) -> None:
        agreement = agreement_of(self.folder, self.protocol, done)
        kept = [{"name": layer.name, "digest": self.store.put(layer.data)} for layer in done]
        said = {"dataset": name, "key": digest_of(key), "layers": kept, "author": author}
        digest = self.store.put(canonical(agreement))
        with self.writing() as writer:
            writer.append("made", said)
            writer.append("agreement", {"dataset": name, "digest": digest})

    def assign(self, annotator: str, texts: Sequence[str], author: str) -> None:
        """Record that somebody is to annotate some texts, by whom it is told."""
        self.append("assigned", {"annotator": annotator, "texts": list(texts), "author": author})

    def commit(self, name: str) -> None:
        """Fix the first key of a dataset, by a salted hash that is public, and make the texts that are handed out."""
        if self.state.version(name):
            return
        dataset, plan = self.dataset(name), self.protocol
        task = registry.task(plan.task)
        key = bytes_of(self.folder / dataset.key)
        made = self.state.made.get(name)
        if made and made["key"] != digest_of(key):
            raise UsageError(
                f"{dataset.key} is not the key that {made['author']} made from the annotators' files: make it again "
                f"(`aune campaign key`), or put back what was there"
            )
        if not made and dataset.annotators:
            self._record_layers(name, layers_in(self.folder, plan, dataset), key, "organiser")
        corpus = read(task, str(self.folder / dataset.key), dataset.format or None, **reading(plan))
        if dataset.texts:
            corpus = read(task, str(self.folder / dataset.texts), None, **reading(plan))
        form, texts = handed_out(plan.task, corpus)
        name_of_texts = f"{name}{ending(registry.format(plan.task, form))}"
        digest = self.store.put(texts)
        with self.writing() as writer:
            if self.state.version(name):  # by somebody else, meanwhile
                return
            self.fix_key(writer, name, key)
            writer.append("texts", {"dataset": name, "digest": digest, "name": name_of_texts, "format": form})

    def fix_key(self, writer: Writer, name: str, key: bytes, disputes: Sequence[str] = ()) -> int:
        """The next version of a key, fixed by a salted hash that is public; the version."""
        version, salt = self.state.version(name) + 1, secrets.token_hex(32)
        commitment = hashlib.sha256(bytes.fromhex(salt) + key).hexdigest()
        public = {"dataset": name, "version": version, "commitment": commitment}
        said = {
            **public, "salt": salt, "digest": self.store.put(key), "disputes": list(disputes),
            "protocol": len(self.state.protocols), "scoring": self.protocol.scoring_digest,
        }  # fmt: skip
        writer.append("commitment", public)
        writer.append("key", said)
        return version

    # Teams.

    def register(self, name: str, country: str = "", kind: str = TEAM, members: Sequence[str] = ()) -> Team:
        """A new team, with a pseudonym that says nothing about it.

        A name that another team has is taken like any other: to refuse it would tell who takes part.
        """
        _check_name(name)
        if kind not in (TEAM, ORGANISERS, BASELINE):
            raise UsageError(f"{kind!r} is no kind of team: expected {TEAM}, {ORGANISERS} or {BASELINE}")
        with self.writing() as writer:
            state = self.state
            if kind == TEAM and since(state.phase, TEST) and state.phase != TEST:
                raise UsageError("the test is over: no team can register any more")
            return self._registered(writer, Newcomer(name, kind), country, members)

    def _registered(self, writer: Writer, who: Newcomer, country: str = "", members: Sequence[str] = ()) -> Team:
        taken = {team.pseudonym for team in self.state.teams.values()}
        free = [bird for bird in BIRDS if bird not in taken] or [f"{bird} {len(taken)}" for bird in BIRDS]
        said: dict[str, Any] = {
            "team": f"t-{secrets.token_hex(8)}", "name": who.name, "country": country, "kind": who.kind,
            "pseudonym": secrets.choice(free), "members": list(members),
        }  # fmt: skip
        writer.append("team", said)
        return self.team(said["team"])

    def _sender(self, team: str | Newcomer) -> Team:
        """The team that sends something; a newcomer of whom nobody has heard has no id yet."""
        if isinstance(team, str):
            return self.team(team)
        _check_name(team.name)
        known = (one for one in self.state.teams.values() if (one.name, one.kind) == team)
        return next(known, Team("", team.name, "", team.kind, ""))

    def rename(self, team: str, name: str) -> None:
        """Another name for a team, by the organiser: where two have the same, or one was misspelt."""
        _check_name(name)
        self.append("renamed", {"team": self.team(team).id, "name": name})

    def add_member(self, team: str, member: str) -> None:
        self.append("member", {"team": self.team(team).id, "member": member})

    def remove_member(self, team: str, member: str) -> None:
        """Somebody leaves a team that goes on."""
        with self.writing() as writer:
            found = self.team(team)
            if member not in found.members:
                raise UsageError(f"no member {member!r} of {found.name}: expected one of {', '.join(found.members)}")
            if len(found.members) == 1:
                raise UsageError(
                    f"{member} is the last member of {found.name}: add another first, or withdraw the team"
                )
            _check_patience(found)
            writer.append("left", {"team": found.id, "member": member})

    def consent(self, team: str, consent: str) -> None:
        """What a team agrees to; asked before the test, and final when the test begins."""
        if consent not in (NAMED, LISTED, ANONYMOUS):
            raise UsageError(f"{consent!r}: expected {NAMED}, {LISTED} or {ANONYMOUS}")
        with self.writing() as writer:
            one = self.team(team)
            if one.consent == consent:
                return
            if since(self.phase, TEST) and (one.consent or consent == NAMED):
                raise UsageError("the test has begun: what a team agreed to before it stands")
            _check_patience(one)
            writer.append("consent", {"team": one.id, "consent": consent})

    def validate(self, team: str) -> None:
        """A team that looked at its results and says that they are its own."""
        if not since(self.phase, TEST_ADJUDICATION):
            raise UsageError(f"there are no results of the test yet: stand by them in the phase {TEST_ADJUDICATION!r}")
        with self.writing() as writer:
            one = self.team(team)
            if not one.validated:
                writer.append("validated", {"team": one.id})

    def withdraw(self, team: str, reason: str = "") -> None:
        """A team leaves; it stays listed as having left."""
        with self.writing() as writer:
            one = self.team(team)
            if one.withdrawn:
                raise UsageError("this team has withdrawn already")
            writer.append("withdrawn", {"team": one.id, "reason": reason})

    def accept_licence(self, team: str) -> None:
        with self.writing() as writer:
            one = self.team(team)
            if not one.licence:
                licence = self.protocol.files.get(self.protocol.licence, "")
                writer.append("licence", {"team": one.id, "licence": licence})

    # Submissions.

    def receive(
        self, team: str | Newcomer, dataset: str, run: str, name: str, upload: bytes | Iterable[bytes], *,
        table: bytes | Iterable[bytes] = b"", table_name: str = "", idempotency: str = "", at: datetime | None = None,
    ) -> Receipt:  # fmt: skip
        """Take a run: on the disk and in the ledger when this returns. The same run twice has the same receipt.

        `at` is when its last byte arrived, which is what the deadline is about: who could begin to send before it and
        go on behind it would have had longer than others. A newcomer is registered with its first run. What is refused
        leaves nothing.
        """
        arrived, most = at or now(), self.protocol.limits.upload
        chunks, rows = ([one] if isinstance(one, bytes) else one for one in (upload, table))
        with (
            self.store.arriving(chunks, most, name) as sent,
            self.store.arriving(rows, most, table_name) as beside,
            self.writing() as writer,
        ):
            table_digest = beside.digest if table else ""
            name_of_it = idempotency or digest_of("\0".join((dataset, run, sent.digest, table_digest)).encode())
            owner = self._sender(team)
            if known := self._known(owner, name_of_it):
                return self._same(known, dataset, run, sent.digest, table_digest)
            self._check_may_submit(owner, dataset, run, arrived)
            for one in (sent, beside) if table else (sent,):
                one.keep()
            if isinstance(team, Newcomer) and not owner.id:
                owner = self._registered(writer, team)
            said = {
                "submission": f"s-{secrets.token_hex(8)}", "team": owner.id, "run": run, "dataset": dataset,
                "upload": sent.digest, "name": name[:200], "table": table_digest, "table_name": table_name[:200],
                "idempotency": name_of_it, "arrived": stamp(arrived),
            }  # fmt: skip
            writer.append("submission", said)
            return Receipt.of(self.state.submissions[said["submission"]])

    def _known(self, team: Team, idempotency: str) -> Submission | None:
        """What a team has sent under an idempotency key."""
        state = self.state
        return state.submissions.get(state.by_idempotency.get((team.id, idempotency), ""))

    def _same(self, submission: Submission, dataset: str, run: str, digest: str, table: str) -> Receipt:
        if (submission.dataset, submission.run, submission.upload, submission.table) != (dataset, run, digest, table):
            raise UsageError("another submission has this idempotency key: use a new one for a new submission")
        return Receipt.of(submission)

    def _check_may_submit(self, team: Team, name: str, run: str, arrived: datetime) -> None:
        dataset, plan = self.dataset(name), self.protocol
        if not NAME.fullmatch(run):
            raise UsageError(f"the run {run!r}: expected a name of letters, digits, '.', '_' and '-'")
        if team.withdrawn:
            raise UsageError("this team has withdrawn")
        if dataset.phase not in SUBMITTING:
            raise UsageError(f"{name} is for {dataset.phase}: nothing is submitted for it")
        if dataset.phase != self.phase and team.kind == TEAM:
            raise UsageError(f"runs for {name} are taken in the phase {dataset.phase!r}: now it is {self.phase!r}")
        ends = plan.deadlines.get(dataset.phase)
        if ends is not None and arrived > ends and team.kind == TEAM:
            raise UsageError(f"the deadline was {shown(ends, plan.zone)}: this arrived at {stamp(arrived)}")
        if plan.licence and not team.licence and team.kind == TEAM:
            raise UsageError("the licence of the texts was not accepted: accept it first")
        if not self.state.version(name):
            raise UsageError(f"{name} has no key yet: its phase has not begun")
        if team.kind == TEAM:
            self._check_quota(team, dataset)

    def _check_quota(self, team: Team, dataset: Dataset) -> None:
        used, quota = self.used(team.id, dataset.name), self.protocol.quotas[dataset.phase]
        if used["total"] >= quota.total:
            raise UsageError(f"all {quota.total} submissions for {dataset.name} are used")
        if used["valid"] + used["waiting"] >= quota.valid:
            raise UsageError(f"all {quota.valid} valid submissions for {dataset.name} are used, or wait to be scored")

    def used(self, team: str, dataset: str) -> dict[str, int]:
        """How many submissions a team has used: valid ones, those that wait, all; none that failed by our fault."""
        states = [one.state for one in self.state.of_team(team, dataset)]
        return {
            "valid": states.count(SCORED),
            "waiting": states.count(RECEIVED),
            "total": sum(state != FAULT for state in states),
        }

    def deadline_passed(self, phase: str) -> bool:
        ends = self.protocol.deadlines.get(phase)
        return ends is not None and now() > ends

    # What anybody sees.

    def heads(self) -> list[dict[str, str]]:
        """The head of the ledger at the beginning of each phase."""
        return [{"phase": phase, "time": time, "head": head} for phase, time, head in self.state.phases]

    def commitments(self) -> list[dict[str, Any]]:
        """The salted hashes that keys were fixed by."""
        return [
            {"dataset": one.dataset, "version": one.version, "commitment": one.commitment, "time": one.time}
            for keys in self.state.keys.values()
            for one in keys
        ]

    def schedule(self) -> list[dict[str, Any]]:
        """The phases, when they end, and which is the present one."""
        plan = self.protocol
        return [
            {
                "phase": phase,
                "ends": shown(plan.deadlines[phase], plan.zone) if phase in plan.deadlines else "",
                "now": phase == self.phase,
                "over": PHASES.index(phase) < PHASES.index(self.phase),
            }
            for phase in plan.phases
        ]

    def receipts(self, viewer: Viewer, team: str) -> list[Receipt]:
        owner = self.team(team).id
        self.check(viewer, "receipts", owner)
        return [Receipt.of(submission) for submission in self.state.submissions.values() if submission.team == owner]

    def status(self, viewer: Viewer, submission: str) -> dict[str, Any]:
        """What a viewer may know of a submission now."""
        one = self.state.submissions.get(submission)
        if one is None:
            raise NotYoursError(submission)
        self.check(viewer, "validity", one.team)
        found: dict[str, Any] = {**Receipt.of(one)._asdict(), "state": one.state}
        result = self.result(one)
        if result:
            found |= {name: result[name] for name in ("problems", "notes", "residue", "residue_count", "documents")}
        if one.state == FAULT:
            found["problems"] = [[one.name, 1, 1, "this was our fault, and does not count: send it again"]]
        if result and self.may(viewer, f"{self.dataset(one.dataset).phase} scores", one.team):
            found["scores"] = result.get("scores", [])
        return found

    def result(self, submission: Submission, version: int | None = None) -> dict[str, Any] | None:
        """The result of a submission by a version of the key; the newest when none is named."""
        chosen = version if version is not None else max(submission.results, default=None)
        if chosen is None or chosen not in submission.results:
            return None
        found: dict[str, Any] = json.loads(self.store.get(submission.results[chosen]))
        return found


def _check_patience(team: Team) -> None:
    """A ledger is never shorter: whoever turns round and round would fill the disk with it."""
    if team.changes >= MOST_CHANGES:
        raise UsageError(f"this team changed {MOST_CHANGES} times what it agrees to or who is in it: it stays as it is")


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or visible(name) != name:
        raise UsageError("expected a name for the team, of 200 letters at most, on one line and without hidden signs")
