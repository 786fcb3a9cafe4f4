"""Walks through a campaign and the workbench: what people do one after the other, with good, old and forged values.

A site is made for each walk. Several people act, and the worker does, and after each step laws hold: no bug of ours;
the ledger is chained, only grows, and gives the state that the server holds; receipts stay true; layers are what their
events made of them; what was refused changed nothing, and so did who only looked; nobody reads what is not for them.
"""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import key_documents
from aune.campaign.ledger.ledger_file import Ledger
from aune.campaign.ledger.state import ANONYMOUS, TEAM
from aune.campaign.protocol.phases import ARCHIVE, PHASES, PUBLICATION, SUBMITTING, has_reached
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.scaffold import create_campaign
from aune.corrections.item_edits import EXAMPLES
from aune.corrections.item_listing import list_items
from aune.server.site import Site
from aune.server.startup import site_database

if __package__:
    from tests.fuzz.addresses import DATABASE, HOST, ODD, SAMPLES
    from tests.fuzz.mutants import SIGNS, mutate_data
    from tests.fuzz.rooms import MORE_EDITS
else:  # run as a script, this folder comes first
    from addresses import DATABASE, HOST, ODD, SAMPLES
    from mutants import SIGNS, mutate_data
    from rooms import MORE_EDITS

STEPS = 80  # of one walk; then another begins
OPENED = ("coref/formats/samples/muc-two.sgm", "entities/formats/samples/conll-2003.conll")
PEOPLE = {
    "Olgazqx": "organiser", "Omarzqx": "organiser", "Annzqx": "annotator", "Benzqx": "annotator",
    "Patzqx": "participant", "Paulzqx": "participant", "Petrazqx": "participant", "Pinazqx": "participant",
}  # fmt: skip
VISITOR = "a visitor"
BY_LOOKING = {"download"}
"""The entries that somebody who only looks makes."""
UNTOLD = {"Job", "Attempt"}
"""Rows that are no deeds of people: what waits to be done, and who guessed how often."""
TYPED = [text for item in ODD if (text := item.decode(errors="replace").replace("\0", ""))]


def subjects() -> list[str]:
    return [*EXAMPLES]


class Act(NamedTuple):
    """What somebody does: a form, or data; looking where there is neither."""

    who: str
    address: str
    form: Mapping[str, Any] | None = None
    data: Any = None
    bearer: str = ""
    once: str = ""
    """The idempotency key of what is sent."""

    @property
    def looks(self) -> bool:
        return self.form is None and self.data is None


@cache
def _database() -> None:
    """Django, with a database for as long as the process lasts; each walk has a folder of its own."""
    folder = tempfile.mkdtemp(prefix="aune-walks-")
    site_database(Site(folder=folder, database=os.environ.get(DATABASE, ""), accounts=True)).__enter__()


@dataclass
class Walk:
    """A site, those who act there, and what they were told."""

    generator: random.Random
    task: str
    folder: Path
    clients: dict[str, Any] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    invitations: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    """Who argued what."""
    team_names: dict[str, set[str]] = field(default_factory=dict)
    """What teams were ever called."""
    receipts: list[Mapping[str, Any]] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    """The layers in which names were given that nobody else gives."""
    sent: list[dict[str, Any]] = field(default_factory=list)
    """Events, which may be sent again."""
    forges: bool = False
    """Whether what is done now is not as it should be."""
    number: int = 0
    steps: int = 0

    @property
    def here(self) -> Campaign:
        return Campaign(self.folder)

    def fresh(self, word: str) -> str:
        """A word that nobody used before."""
        self.number += 1
        return f"{word}zqx{self.number}"

    def one_of(self, known: Collection[Any], forged: Sequence[Any] = TYPED) -> Any:
        """A good value; in what is forged now and then another one, and where there is none."""
        is_good = known and not (self.forges and self.generator.randrange(3) == 0)
        return self.generator.choice([*known] if is_good else [*forged])

    def mostly(self, usual: str) -> str:
        """Who acts: most often somebody of the role that may."""
        role = (
            usual
            if not self.forges or self.generator.randrange(2)
            else self.generator.choice(("organiser", "annotator", "participant"))
        )
        return self.generator.choice([name for name, person in PEOPLE.items() if person == role])

    def member(self) -> str:
        """Who acts for a team: most often somebody who is in one."""
        from aune.server.campaign.models import Membership

        if self.forges and self.generator.randrange(2):
            return self.mostly("participant")
        members = Membership.objects.filter(account__name__in=PEOPLE).order_by("pk")
        return self.generator.choice([*members.values_list("account__name", flat=True)] or [*PEOPLE])

    def layer(self, usual: str = "annotator", **wanted: Any) -> tuple[str, str]:
        """A layer, and who acts on it: most often whose it is."""
        from aune.server.workbench.models import Layer

        rows = Layer.objects.filter(**wanted).order_by("made").values_list("pk", "author__name")
        layer, author = self.one_of([*rows], [("none", "")])
        is_own = author in PEOPLE and not (self.forges and self.generator.randrange(2))
        return (author if is_own else self.mostly(usual)), str(layer)

    def act(self) -> Act:
        """What somebody does next: most often what this phase is for, and what they may."""
        self.forges = not self.generator.randrange(3)
        while True:
            deed = self.generator.choices(list(DEEDS), list(DEEDS.values()))[0]
            if self.here.phase in SEASONS.get(deed, PHASES) or not self.generator.randrange(6):
                return deed(self)


def begin_walk(generator: random.Random, task: str) -> Walk:
    """A new site with its people in it, none of them in a team, and two texts."""
    _database()
    from django.conf import settings
    from django.test import Client

    from aune.server.accounts.models import Account
    from aune.server.site_backup import _models

    for model in reversed(_models()):
        model._default_manager.all().delete()
    home = Path(tempfile.mkdtemp(prefix="aune-walk-")) / "campaign"
    create_campaign(home, "demo", task)
    (home / "licence.txt").write_text(
        "For the evaluation only.\n", encoding="utf-8"
    )  # with the placeholder it cannot be opened
    _opened_to_all(home / PROTOCOL_FILE)
    settings.SITE = Site(folder=str(home), database=settings.SITE.database, accounts=True)
    settings.SITE.files.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.SITE.files)
    walk = Walk(generator, task, home, {VISITOR: Client(headers={"host": HOST})})
    for name, role in PEOPLE.items():
        walk.clients[name] = Client(headers={"host": HOST})
        walk.clients[name].force_login(Account.objects.create_account(name, role, None))
    for sample in OPENED:
        with (SAMPLES / sample).open("rb") as file:
            assert walk.clients["Olgazqx"].post("/files", {"files": file}).status_code < 400
    _make_annotation(walk)
    for who in ("Patzqx", "Paulzqx"):
        assert walk.clients[who].post("/campaign/register", {"name": walk.fresh("Team")}).status_code == 302
        assert walk.clients[who].post("/campaign/team/licence").status_code == 302
    for phase in PHASES[1 : generator.randint(1, 5)]:
        walk.here.begin_phase(phase)
    return walk


def _opened_to_all(protocol: Path) -> None:
    """With applications, questions about runs, and an open phase."""
    text = protocol.read_text("utf-8").replace('registration = "invitation"', 'registration = "approval"')
    more = '\n[open]\ndata = ["final"]\n\n[[metadata]]\nname = "resources"\n'
    protocol.write_text(text + more, "utf-8")


def _make_annotation(walk: Walk) -> None:
    """Both annotators have a layer of each text; of some texts they are done, and there is a key."""
    from aune.server.workbench.models import Layer

    for text in _texts():
        for who in ("Annzqx", "Benzqx"):
            assert walk.clients[who].post(f"/text/{text}/layers").status_code == 302
            layer = Layer.objects.get(text=text, author__name=who)
            for _ in range(2):
                data = {"base": layer.version, "events": [_marking(walk, layer.pk, 20)]}
                walk.clients[who].post(f"/api/layer/{layer.pk}/events", json.dumps(data), "application/json")
                layer.refresh_from_db()
            if walk.generator.randrange(2):
                assert walk.clients[who].post(f"/layer/{layer.pk}/done", {"done": "yes"}).status_code == 302
        done = [item.pk for item in Layer.objects.filter(text=text, done=True)]
        if len(done) > 1:
            assert walk.clients["Olgazqx"].post(f"/text/{text}/adjudicate", {"layer": done}).status_code == 302


# Campaigns.


def phase(walk: Walk) -> Act:
    here = walk.here
    coming = [phase for phase in here.protocol.phases if PHASES.index(phase) > PHASES.index(here.phase)][:1]
    return Act(walk.mostly("organiser"), "/campaign/manage/phase", {
        "phase": walk.one_of(coming, PHASES), "reason": walk.one_of(["", "it is time"]),
    })  # fmt: skip


def freeze(walk: Walk) -> Act:
    if walk.generator.randrange(2):
        with (walk.folder / "campaign.toml").open("a") as file:
            file.write("# a remark\n")
    return Act(walk.mostly("organiser"), "/campaign/manage/freeze", {"reason": walk.one_of(["mended"])})


def register(walk: Walk) -> Act:
    name = walk.one_of([walk.fresh("Team")])
    return Act(walk.mostly("participant"), "/campaign/register", {"name": name, "country": "Oman"})


def join(walk: Walk) -> Act:
    from aune.server.campaign.teams import join_code

    walk.codes += [join_code(team) for team in walk.here.state.teams.values() if team.kind == TEAM]
    return Act(walk.mostly("participant"), "/campaign/join", {"code": walk.one_of(walk.codes)})


def agree(walk: Walk) -> Act:
    who = walk.member()
    what = walk.one_of(["licence", "licence", "consent", "consent", "validate"])
    return Act(who, f"/campaign/team/{_plain(what)}", {"consent": walk.one_of(["named", "listed", "anonymous"])})


def leave(walk: Walk) -> Act:
    what = walk.generator.choice(["leave", "leave", "withdraw"])
    names = [item for item, role in PEOPLE.items() if role == "participant"]
    return Act(walk.member(), f"/campaign/team/{what}", {"name": walk.one_of(names), "reason": "enough"})


def texts(walk: Walk) -> Act:
    return Act(walk.member(), f"/campaign/texts/{_plain(walk.one_of(['train', 'try', 'final']))}")


def submit(walk: Walk) -> Act:
    from django.core.files.uploadedfile import SimpleUploadedFile

    dataset = _plain(walk.one_of(["try", "final", "final-open", *[_discussed_data(walk)] * 6]))
    plan = walk.here.protocol
    key = plan.datasets[dataset].key if dataset in plan.datasets else plan.datasets["try"].key
    data = (walk.folder / key).read_bytes()
    if not walk.generator.randrange(3):
        data = mutate_data(walk.generator, data, SIGNS)
    who = walk.member()
    file = SimpleUploadedFile(walk.one_of([Path(key).name, "run"]), data)
    form = {"file": file, "run": walk.one_of(["one", "two", "three"])}
    once = walk.one_of(["", "", "again", walk.fresh("once")])
    by_program = bool(walk.generator.randrange(3))
    return Act(
        who, f"{'/api' * by_program}/campaign/submit/{dataset}", form, once=_header(once),
        bearer=walk.one_of([walk.tokens.get(who, "")]) if by_program and walk.tokens.get(who) else "",
    )  # fmt: skip


def _discussed_data(walk: Walk) -> str:
    """The data that the campaign is about now."""
    if walk.here.phase == "open":
        return "final-open"
    return "try" if PHASES.index(walk.here.phase) < PHASES.index("test") else "final"


def organise(walk: Walk) -> Act:
    """A baseline, a system, a member, another name."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from aune.campaign.runs.baseline_runs import baseline_names

    here, what = walk.here, walk.generator.choice(["baseline", "system", "member", "rename"])
    people = [item for item, role in PEOPLE.items() if role == "participant"]
    dataset = walk.one_of(["try", "final"])
    key = (walk.folder / here.protocol.datasets["try"].key).read_bytes()
    names = {"baseline": [*baseline_names(here)], "system": ["ours"], "member": people, "rename": [walk.fresh("Team")]}
    return Act(walk.mostly("organiser"), f"/campaign/manage/{what}", {
        "name": walk.one_of(names[what]), "dataset": dataset, "team": walk.one_of([*here.state.teams]),
        "run": walk.one_of(["run"]),
        "file": SimpleUploadedFile("a.txt", mutate_data(walk.generator, key, SIGNS) or b"x"),
    })  # fmt: skip


def claim(walk: Walk) -> Act:
    dataset, who = _discussed_data(walk), walk.member()
    documents = _documents(walk, dataset)
    listed = [item for document in documents for item in list_items(walk.task, document)]
    argument = walk.fresh("Argument")
    walk.arguments[argument] = who
    form: dict[str, Any] = {
        "dataset": walk.one_of([dataset]), "document": walk.one_of([document.id for document in documents]),
        "claim": walk.one_of(["reference"] * 4 + ["table", "alignment", "protocol"]),
        "argument": walk.one_of([argument]), "edit": walk.one_of(["", MORE_EDITS[walk.task]]),
    }  # fmt: skip
    if listed and walk.generator.randrange(4):
        values = [item.value for item in listed] + ["", "alone", "0 1", "0 1 ORG", "NOUN", "5"]
        form |= {"place": walk.one_of([item.place for item in listed]), "value": walk.one_of(values)}
    return Act(who, "/campaign/claim", form)


def draw(walk: Walk) -> Act:
    dataset = _discussed_data(walk)
    names = [document.id for document in _documents(walk, dataset)]
    return Act(walk.member(), f"/campaign/draw/{dataset}", {"document": walk.one_of(names)})


def _documents(walk: Walk, dataset: str) -> Sequence[Any]:
    """Those of a key; none before it is fixed."""
    here = walk.here
    return key_documents(here, THE_ORGANISER, dataset) if dataset in here.state.keys else ()


def claim_drawn(walk: Walk) -> Act:
    who, layer = walk.layer("participant", kind="proposal")
    argument = walk.fresh("Argument")
    walk.arguments[argument] = who
    return Act(who, f"/campaign/drawn/{layer}/claim", {"argument": argument})


def decide(walk: Walk) -> Act:
    dispute = _plain(walk.one_of([*walk.here.state.disputes]))
    form = {"decision": walk.one_of(["accepted", "accepted", "refused"]), "reason": walk.one_of(["it is so"])}
    return Act(walk.mostly("organiser"), f"/campaign/disputes/{dispute}/decide", form)


def rekey(walk: Walk) -> Act:
    return Act(walk.mostly("organiser"), f"/campaign/rekey/{_plain(walk.one_of([_discussed_data(walk)]))}", {})


def assign(walk: Walk) -> Act:
    people = _accounts("annotator")
    return Act(walk.mostly("organiser"), "/campaign/annotate/assign", {"annotator": people, "each": walk.one_of("12")})


def take(walk: Walk) -> Act:
    who, layer = walk.layer("organiser", kind="key")
    return Act(who, f"/campaign/keys/{_plain(walk.one_of(['train', 'try', 'final']))}/take", {"layer": layer})


def publish(walk: Walk) -> Act:
    """What the organiser shows to everybody, and whom it lets in."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from aune.server.campaign.models import Application

    applications = [str(item) for item in Application.objects.order_by("pk").values_list("pk", flat=True)]
    forms: dict[str, Mapping[str, Any]] = {
        "about": {"text": walk.one_of(["# A task\n\n[x](https://example.org)", ""])},
        "attach": {
            "file": SimpleUploadedFile(walk.one_of(["guide.pdf", "a"]), b"guide"), "title": walk.one_of(["Guide", ""]),
            "name": walk.one_of(["guide", "audio", ""]), "phase": walk.one_of(PHASES),
            "audience": walk.one_of(["everybody", "teams"]), "licence": walk.one_of(["", "on"]),
        },
        "detach": {"name": walk.one_of([*walk.here.state.attachments])},
        "doi": {"doi": walk.one_of(["10.5281/zenodo.1"])},
        "message": {"team": walk.one_of(["", *walk.here.state.teams]), "subject": "Hello", "text": "It is."},
        "approve": {"application": walk.one_of(applications)},
        "decline": {"application": walk.one_of(applications)},
        "invite": {"people": walk.one_of(["ann@example.org,participant,Bleus", "ben@example.org"])},
    }  # fmt: skip
    what = walk.generator.choice([*forms])
    return Act(walk.mostly("organiser"), f"/campaign/public/{what}", forms[what])


def apply(walk: Walk) -> Act:
    team, email = walk.one_of([walk.fresh("Applicant")]), walk.one_of(["cleo@example.org"])
    return Act(
        VISITOR, "/campaign/apply", {"team": team, "email": email, "country": "Oman", "text": walk.one_of(["we"])}
    )


def judge(walk: Walk) -> Act:
    """What a team says of a run, or the organiser."""
    runs = [*walk.here.state.submissions]
    what = walk.generator.choice(["primary", "describe", "withdraw", "disqualify", "reinstate"])
    who = walk.mostly("organiser") if what in ("disqualify", "reinstate") else walk.member()
    form = {"reason": walk.one_of(["it is so"]), "meta-resources": walk.one_of(["none", ""])}
    return Act(who, f"/campaign/submission/{_plain(walk.one_of(runs))}/{what}", form)


def write_to(walk: Walk) -> Act:
    who = walk.member()
    return Act(who, "/campaign/notices/address", {"email": walk.one_of([f"{who}@example.org", ""])})


# Accounts.


def token(walk: Walk) -> Act:
    return Act(walk.member(), "/account/tokens", {"name": "x"})


def delete_token(walk: Walk) -> Act:
    from aune.server.accounts.models import Token

    known = [str(item) for item in Token.objects.order_by("made").values_list("pk", flat=True)]
    return Act(walk.mostly("participant"), f"/account/tokens/{_plain(walk.one_of(known))}/delete", {})


def invite(walk: Walk) -> Act:
    return Act(walk.mostly("organiser"), "/people/invite", {"role": walk.one_of(["participant", "annotator"])})


def take_invitation(walk: Walk) -> Act:
    secret = _plain(walk.one_of(walk.invitations))
    words = walk.one_of(["grue bleuet lanterne 7"])
    return Act(VISITOR, f"/invitation/{secret}", {"name": walk.fresh("New"), "passphrase": words, "again": words})


def revoke(walk: Walk) -> Act:
    from aune.server.accounts.models import Invitation

    known = [str(item) for item in Invitation.objects.order_by("digest").values_list("pk", flat=True)]
    return Act(walk.mostly("organiser"), f"/people/invitations/{_plain(walk.one_of(known))}/revoke", {})


def close(walk: Walk) -> Act:
    return Act(walk.mostly("organiser"), f"/people/{_plain(walk.one_of(_accounts('participant')))}/close", {})


def sign_out(walk: Walk) -> Act:
    return Act(walk.mostly("participant"), "/sign-out", {})


# The workbench.


def begin(walk: Walk) -> Act:
    who = walk.mostly("annotator")
    form = {
        "name": walk.one_of([walk.fresh("Layer")]), "author": walk.one_of(["", *_accounts("annotator")]),
        "start": walk.one_of(["", walk.layer()[1]]), "keep": walk.one_of(["all", "mentions"]),
    }  # fmt: skip
    return Act(who, f"/text/{_plain(walk.one_of(_texts()))}/layers", form)


def annotate(walk: Walk) -> Act:
    """Events after the newest version, or after another one: marking, grouping, taking back, sending again."""
    from aune.server.workbench import layers
    from aune.server.workbench.models import Layer

    who, name = walk.layer(**({"done": False} if walk.generator.randrange(8) else {}))
    row = Layer.objects.filter(pk=name).first()
    if row is None:
        return Act(who, f"/api/layer/{name}/events", data={"base": 0, "events": [_marking(walk, name, 5)]})
    head = layers.head(row)
    long = len(layers.text_content(row.text_id).characters)
    events = [_event(walk, row, head, long)]
    if walk.generator.randrange(4) == 0:
        events.append(_marking(walk, name, long))
    if walk.sent and walk.generator.randrange(8) == 0:
        events = [walk.generator.choice(walk.sent), *events][: walk.generator.randint(1, 2)]
    walk.sent += events
    base = walk.one_of([head.version] * 4, [0, -1, head.version + 1, head.version - 1, 10**30])
    what = walk.generator.choice(["events"] * 6 + ["copy"])
    return Act(who, f"/api/layer/{name}/{what}", data={"base": base, "events": events})


def _event(walk: Walk, row: Any, head: Any, long: int) -> dict[str, Any]:
    from aune.server.workbench import layers
    from aune.workbench.model import to_builtins

    verb = walk.generator.choice(["mark", "mark", "mark", "remove", "group", "undo", "redo", "relate"])
    mentions, chains = head.state.mentions, [*head.state.chains]
    event: dict[str, Any] = {"id": walk.fresh("e"), "operation": verb}
    if verb in ("undo", "redo"):
        turns = head.undoable.undo if verb == "undo" else head.undoable.redo
        version = walk.one_of(turns[-1:], [0, 1, 99, -1])
        steps = layers.step(row, version) if version in turns else None
        changes = to_builtins(list((steps.inverse if verb == "undo" else steps.event.changes) if steps else ()))
        return {**event, "changes": changes, "undoes" if verb == "undo" else "redoes": version}
    if verb == "remove" and mentions:
        return {**event, "changes": [["mentions", walk.one_of([*mentions]), None]]}
    if verb == "group" and mentions:
        name = walk.one_of([*mentions], ["m9"])
        record = to_builtins(mentions[name]) if name in mentions else {"parts": [[0, 1]]}
        return {**event, "changes": [["mentions", name, {**record, "chain": walk.one_of(chains, [None, "c9"])}]]}
    if verb == "relate" and len(chains) > 1:
        ends = walk.generator.sample(chains, 2)
        record = {"kind": walk.one_of(["bridging"]), "source": ends[0], "targets": [walk.one_of(ends[1:])]}
        return {**event, "changes": [["relations", walk.fresh("r"), record]]}
    return _marking(walk, row.pk, long)


def _marking(walk: Walk, layer: str, long: int) -> dict[str, Any]:
    """A new mention in a new chain, whose name is in no other layer."""
    start = walk.generator.randrange(max(long, 1))
    end = walk.one_of([start + 1, start + 3], [start, -1, 10**9])
    name, chain = walk.fresh("Mark"), walk.fresh("c")
    walk.marks[name] = layer
    mention = {"parts": [[start, end]], "chain": chain, "label": walk.one_of(["", "PER"])}
    changes = [["chains", chain, {"name": name}], ["mentions", walk.fresh("m"), mention]]
    return {"id": walk.fresh("e"), "operation": "mark", "changes": changes, "reason": walk.one_of([""])}


def finish(walk: Walk) -> Act:
    (who, layer), done = walk.layer(), bool(walk.generator.randrange(4))
    if walk.generator.randrange(2):
        return Act(who, f"/layer/{layer}/done", {"done": "yes" if done else "no"})
    return Act(who, f"/api/layer/{layer}/done", data={"done": done})


def delete(walk: Walk) -> Act:
    from aune.server.workbench.models import Layer

    who, layer = walk.layer()
    name = Layer.objects.filter(pk=layer).values_list("name", flat=True).first() or ""
    return Act(who, f"/layer/{layer}/delete", {"name": walk.one_of([name])})


def adjudicate(walk: Walk) -> Act:
    from aune.server.accounts.models import Account
    from aune.server.workbench import access
    from aune.server.workbench.models import Text

    who, text = walk.mostly("organiser"), walk.one_of(_texts())
    row = Text.objects.filter(pk=text).first()
    seen = [layer.pk for layer in access.layers(Account.objects.get(name=who), row)] if row else []
    form = {"layer": walk.generator.sample(seen, min(2, len(seen))), "name": walk.fresh("Key")}
    return Act(who, f"/text/{_plain(text)}/adjudicate", form)


def resolve(walk: Walk) -> Act:
    """A decision about a key: about what is open there, or about anything."""
    from aune.server.workbench.models import Layer

    who, name = walk.layer("organiser", kind="key")
    row = Layer.objects.filter(pk=name, kind="key").first()
    about = _decidable(walk, row) if row else []
    operation, things = walk.one_of(about, [("join", ["c1", "c2"]), ("undo", []), ("accept", ["0-1"]), ("none", [])])
    version = row.version if row else 0
    data = {
        "base": walk.one_of([version] * 4, [0, version + 1, -1]), "operation": operation, "about": things,
        "label": walk.one_of([""]), "value": walk.one_of(["", "x"]), "reason": walk.one_of(["so"]),
    }  # fmt: skip
    return Act(who, f"/api/layer/{name}/adjudication", data=data)


def _decidable(walk: Walk, row: Any) -> list[tuple[str, list[str]]]:
    """What can be decided about a key, by what is in it and in what it was made from."""
    from aune.server.workbench import layers
    from aune.server.workbench.models import Layer
    from aune.workbench.decisions import extent_id

    rows = Layer.objects.filter(pk__in=row.made_from)
    extents = {extent_id(mention) for other in rows for mention in layers.head(other).state.mentions.values()}
    chains = [*layers.head(row).state.chains]
    pair = walk.generator.sample(chains, 2) if len(chains) > 1 else ["c1", "c2"]
    chosen = [walk.generator.choice(sorted(extents))] if extents else ["0-1"]
    return [
        ("accept", chosen), ("reject", chosen), ("join", pair), ("apart", pair), ("undo", []), ("redo", []),
        ("describe", [*chosen, "kind"]), ("define", ["name", pair[0]]), ("relate", ["bridging", *pair]),
        ("unrelated", ["bridging", *pair]),
    ]  # fmt: skip


def system(walk: Walk) -> Act:
    """What a resolver says, what a file brings, a passage that is cut out, a file that is opened or forgotten."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from aune.server.workbench.models import Source

    (who, layer), what = walk.layer("organiser"), walk.generator.randrange(5)
    data = (SAMPLES / walk.generator.choice(OPENED)).read_bytes()
    file = [SimpleUploadedFile("again.txt", mutate_data(walk.generator, data, SIGNS) or b"x"),
            SimpleUploadedFile("good.txt", data)][: walk.generator.randint(1, 2)]  # fmt: skip
    sources = [str(item) for item in Source.objects.order_by("made").values_list("pk", flat=True)]
    return [
        Act(who, f"/resolve/{layer}/run", {"resolver": walk.one_of(["recency", "singletons", "strings"])}),
        Act(who, f"/text/{_plain(walk.one_of(_texts()))}/import", {"files": file}),
        Act(who, f"/layer/{layer}/passage", {"start": walk.one_of("01"), "end": walk.one_of(["20", "9"])}),
        Act(who, "/files", {"files": file, "task": walk.one_of(["", "coref", "entities"])}),
        Act(who, f"/source/{_plain(walk.one_of(sources))}/forget", {}),
    ][what]  # fmt: skip


PAGES = (
    "/", "/people", "/account", "/statistics/", "/campaign/", "/campaign/participants", "/campaign/changes",
    "/campaign/results/try", "/campaign/results/final", "/campaign/results/final?format=csv", "/campaign/team",
    "/campaign/disputes", "/campaign/key/try", "/campaign/key/final", "/campaign/keys", "/campaign/annotate",
    "/campaign/manage", "/campaign/submissions", "/campaign/notices", "/api/campaign/", "/campaign/archive",
    "/campaign/submission/{submission}", "/api/campaign/submission/{submission}", "/campaign/report/{submission}",
    "/campaign/drawn/{layer}", "/layer/{layer}/", "/api/layer/{layer}/", "/api/layer/{layer}/history",
    "/api/layer/{layer}/edits", "/api/layer/{layer}/scores?against={layer}", "/compare/{layer}/{layer}/",
    "/api/layer/{layer}/compare/{layer}", "/adjudicate/{layer}/", "/api/layer/{layer}/adjudication",
    "/api/layer/{layer}/adjudication/decisions", "/api/layer/{layer}/key", "/layer/{layer}/export?losses",
    "/layer/{layer}/export", "/text/{text}/", "/text/{text}/agreement", "/text/{text}/statistics",
    "/campaign/keys/try?layer={layer}", "/campaign/public", "/campaign/apply", "/campaign/files/guide",
    "/campaign/results/final-open", "/campaign/texts/final-open", "/health", "/metrics",
)  # fmt: skip


def look(walk: Walk) -> Act:
    names = {"submission": [*walk.here.state.submissions], "layer": _every_layer(), "text": _texts()}
    page = re.sub(r"\{(\w+)\}", lambda match: _plain(walk.one_of(names[match[1]])), walk.generator.choice(PAGES))
    return Act(walk.generator.choice([*PEOPLE, VISITOR]), page)


DEEDS: Mapping[Callable[[Walk], Act], int] = {
    phase: 10, freeze: 2, register: 10, join: 8, agree: 16, leave: 2, texts: 4, submit: 40, organise: 8, claim: 20,
    draw: 8, claim_drawn: 8, decide: 14, rekey: 8, assign: 2, take: 4, write_to: 2, token: 5, delete_token: 2,
    invite: 3, take_invitation: 2, revoke: 1, close: 1, sign_out: 1, begin: 10, annotate: 30, finish: 14, delete: 2,
    adjudicate: 8, resolve: 20, system: 8, look: 40, publish: 12, apply: 3, judge: 10,
}  # fmt: skip
"""What people do, and how often."""
DISCUSSED = ("dry adjudication", "test adjudication")
SEASONS: Mapping[Callable[[Walk], Act], Sequence[str]] = {
    submit: SUBMITTING, claim: DISCUSSED, draw: DISCUSSED, claim_drawn: DISCUSSED, decide: DISCUSSED, rekey: DISCUSSED,
    register: PHASES[:5], join: PHASES[:5], take: PHASES[:4],
}  # fmt: skip
"""The phases for which some of it is."""


def _plain(word: str) -> str:
    """A word as a part of an address."""
    return quote(word[:300], safe="") or "x"


def _header(word: str) -> str:
    return "".join(sign for sign in word if sign.isascii() and sign.isprintable())[:300]


def _texts() -> list[str]:
    from aune.server.workbench.models import Text

    return [str(item) for item in Text.objects.order_by("source__made", "number").values_list("pk", flat=True)]


def _every_layer() -> list[str]:
    from aune.server.workbench.models import Layer

    return [str(item) for item in Layer.objects.order_by("made").values_list("pk", flat=True)]


def _accounts(role: str) -> list[str]:
    from aune.server.accounts.models import Account

    return [str(item) for item in Account.objects.filter(role=role).order_by("made").values_list("pk", flat=True)]


# What must hold.


class Kept(NamedTuple):
    """Everything that a site holds: what people did is in it."""

    ledger: bytes
    rows: Mapping[str, list[tuple[Any, ...]]]
    files: frozenset[str]


def stored_entries(walk: Walk) -> Kept:
    from aune.server.site_backup import _models

    rows = {
        model.__name__: list(model._default_manager.order_by("pk").values_list())
        for model in _models()
        if model.__name__ not in UNTOLD
    }
    files = [path for name in ("store", "files", "keys") for path in (walk.folder / name).rglob("*") if path.is_file()]
    return Kept((walk.folder / "ledger.jsonl").read_bytes(), rows, frozenset(map(str, files)))


def step(walk: Walk) -> bool:
    """Whether what somebody did was refused."""
    act = walk.act()
    try:
        return _is_refused(walk, act)
    except Exception as error:
        error.add_note(f"{walk.here.phase}: {act!r}"[:800])
        raise


def _is_refused(walk: Walk, act: Act) -> bool:
    """The same for one act, with every law."""
    _meanwhile(walk, act.who)
    before = stored_entries(walk)
    answer, body = _request_answer(walk, act)
    after = stored_entries(walk)
    assert answer.status_code < 500, f"{answer.status_code}: {body[:500]!r}"
    _remember(walk, act, answer, body)
    is_refused = bool(answer.status_code >= 400)
    check_ledger(walk, before, after)
    if is_refused or act.looks:
        check_unchanged(before, after, set() if is_refused else BY_LOOKING)
    check_layers(before, after)
    check_secrets(walk, act, body)
    return is_refused


def _meanwhile(walk: Walk, who: str) -> None:
    """The worker does what waits, now and then, and whoever signed out comes back."""
    from aune.server.campaign.scoring_queue import ScoringQueue
    from aune.server.job_kinds import WORK
    from aune.server.jobs.worker import run_next_job

    if not walk.generator.randrange(6):
        ScoringQueue(walk.here.folder).score_next()
        run_next_job(WORK, "walk")
        check_jobs()
    if who != VISITOR and not walk.generator.randrange(20):
        _sign_in(walk, who)


def _request_answer(walk: Walk, act: Act) -> tuple[Any, bytes]:
    headers = {"authorization": f"Bearer {act.bearer}"} if act.bearer else {}
    headers |= {"idempotency-key": act.once} if act.once else {}
    client = walk.clients[act.who]
    if act.looks:
        answer = client.get(act.address, headers=headers)
    elif act.form is None:
        answer = client.post(act.address, json.dumps(act.data), "application/json", headers=headers)
    else:
        answer = client.post(act.address, act.form, headers=headers)
    return answer, str(answer.headers).encode() + answer.getvalue()


def _sign_in(walk: Walk, who: str) -> None:
    from aune.server.accounts.models import Account

    walk.clients[who].force_login(Account.objects.get(name=who))


def check_jobs() -> None:
    """The worker ends no job by a bug of ours."""
    from aune.server.jobs.models import Job

    failed = list(Job.objects.filter(state="failed").values_list("kind", "subject", "problems"))
    Job.objects.filter(state="failed").delete()
    assert not failed, failed


def _remember(walk: Walk, act: Act, answer: Any, body: bytes) -> None:
    """What somebody was told, and what can be used later."""
    text = body.decode("utf-8", "replace")
    if act.address == "/account/tokens" and (secret := re.search(r"aune_[\w-]+", text)):
        walk.tokens[act.who] = secret[0]
    if act.address == "/people/invite" and (secret := re.search(r"/invitation/([\w-]+)", text)):
        walk.invitations.append(secret[1])
    if act.address.startswith("/api/campaign/submit/") and answer.status_code == 201:
        walk.receipts.append(answer.json())
    for team in walk.here.state.teams.values():
        walk.team_names.setdefault(team.id, set()).add(team.name)


def check_ledger(walk: Walk, before: Kept, after: Kept) -> None:
    """It only grows, is chained, and gives the state that the server holds; every receipt is in it."""
    from aune.server.campaign.access import campaign

    assert after.ledger.startswith(before.ledger), "the ledger lost something"
    if after.ledger != before.ledger or not walk.generator.randrange(10):
        entries = Ledger(walk.folder / "ledger.jsonl").entries()
        assert campaign().state == walk.here.state, "the server holds another state than the ledger gives"
        for receipt in walk.receipts:
            entry = entries[receipt["position"]]
            assert (entry.hash, entry.kind) == (receipt["head"], "submission")
            assert entry.details and entry.details["upload"] == receipt["sha256"]
    if not walk.generator.randrange(10):
        head = walk.receipts[-1]["head"] if walk.receipts else ""
        assert (result := verify_folder(walk.folder, head)).problems == [], result


def check_unchanged(before: Kept, after: Kept, but: Collection[str]) -> None:
    new = [json.loads(line)["entry"]["kind"] for line in after.ledger[len(before.ledger) :].splitlines()]
    workers = {"leased", "ended", "board", "page"}
    assert {*new} <= {*but, *workers}, f"what was refused, or looked at, is in the ledger: {new}"
    changed = [name for name, rows in before.rows.items() if after.rows[name] != rows]
    assert not changed, f"what was refused, or looked at, changed {changed}"
    if not new:
        assert after.files == before.files, f"what was refused left {sorted(after.files ^ before.files)}"


def check_layers(before: Kept, after: Kept) -> None:
    """Every row that changed is one that a backup may contain, and every layer is what its events made of it."""
    from aune.server import backup_validation
    from aune.server.site_backup import _models
    from aune.server.workbench import layers
    from aune.server.workbench.models import Layer
    from aune.workbench import layer as log

    known = {(name, row) for name, rows in before.rows.items() for row in map(str, rows)}
    for model in (model for model in _models() if model.__name__ in after.rows):
        name = model.__name__
        changed = [row[0] for row in after.rows[name] if (name, str(row)) not in known]
        for row in model._default_manager.filter(pk__in=changed):
            assert not (problem := backup_validation.row_problem(row)), f"{name}: {problem}"
            if isinstance(row, Layer):
                words = layers.text_content(row.text_id)
                assert [*backup_validation.layer_problems(words, row)] == []
                made = log.Layer(words, layers.state_at(row, 0), map(layers.event_of, row.events.order_by("version")))
                head = layers.head(row)
                assert (head.state, head.undoable) == (made.state, made.undoable), "the server holds another state"


def check_secrets(walk: Walk, act: Act, body: bytes) -> None:
    """Nobody reads what is not for them, unless they typed it themselves."""
    messages = [word for word in _hidden_words(walk, act) if word.encode() in body]
    typed = f"{act.form} {act.data} {act.address}"
    assert not [word for word in messages if word not in typed], f"{act.who} reads {messages}: {body[-300:]!r}"


def _hidden_words(walk: Walk, act: Act) -> Iterator[str]:
    """The words that are not for somebody."""
    from aune.server.accounts.models import Account
    from aune.server.campaign.models import Membership
    from aune.server.workbench import access
    from aune.server.workbench.models import Layer

    state = walk.here.state
    account = Account.objects.filter(name=act.who, is_active=True).first()
    row = Membership.objects.filter(account=account).first() if account else None
    own_team = row.team if row else ""
    if account is None or account.role != "organiser":
        mates = {*state.teams[own_team].names} if own_team else set()
        for team in state.teams.values():
            if team.id != own_team:
                yield team.id
                if not has_reached(state.phase, PUBLICATION) or team.consent in ("", ANONYMOUS):
                    yield from (name for name in walk.team_names[team.id] if "zqx" in name)
                yield from (name for name in (*team.members, *team.former) if name not in (act.who, *mates))
        yield from (argument for argument, who in walk.arguments.items() if who not in (act.who, *mates))
        if state.phase != ARCHIVE:
            yield from (submission.id for submission in state.submissions.values() if submission.team != own_team)
    yield from (secret for who, secret in walk.tokens.items() if not act.address.startswith("/account/tokens"))
    visible = {layer.pk for layer in Layer.objects.all() if account and access.can_see(account, layer)}
    yield from (mark for mark, layer in walk.marks.items() if layer not in visible and not _is_copied(mark, visible))


def _is_copied(mark: str, visible: Collection[str]) -> bool:
    """Whether a layer that somebody sees has a name from another one, that it began with or was made from."""
    from aune.server.workbench.models import Event, Snapshot

    rows = (Snapshot.objects.filter(layer__in=visible).values_list("state", flat=True),
            Event.objects.filter(layer__in=visible).values_list("body", flat=True))  # fmt: skip
    return any(mark.encode() in bytes(data) for row in rows for data in row)


def trials(seed: int, count: int, task: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """So many steps through campaigns of a task, the same for the same seed; another walk begins where one fell."""
    generator = random.Random(f"{seed} {task}")
    walks: list[Walk] = []
    for number in range(count):
        yield f"step {number} of seed {seed}".encode(), partial(_take_step, walks, generator, task)


def _take_step(walks: list[Walk], generator: random.Random, task: str) -> bool:
    if not walks:
        walks.append(begin_walk(generator, task))
    walk = walks.pop()
    is_refused = step(walk)
    walk.steps += 1
    if walk.steps < STEPS:
        walks.append(walk)  # only one whose laws hold goes on
    return is_refused
