"""A campaign of entities in which everything is a canary: what each is, and who may hear it from which phase on.

The unnamed team is `own`: it agreed to no name, disputes both keys, draws, and has a token. The other one is named in
the end. The annotator has taken up again a layer that a key was made from.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTPUTF8
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import DISCLOSED
from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import WAIT, Hosted, People, fill_campaign, send_messages, token_of
from tests.server.campaign.rows import (
    ANNOTATOR,
    KNOWN,
    NOBODY,
    ORGANISER,
    OTHER,
    OWN,
    VISITOR,
    WORKERS,
    Cells,
    always,
    from_on,
    teams_from,
)
from tests.server.serving import Client, adjudication, event, free_port, layers_of, serving, text_of

PEOPLE = People(annotator="Annedore Zachariasson", one="Carmen Xavierson", two="Otto Yorickson")
MAILS = {who: f"letters@{who.replace(' ', '-')}.example" for who in KNOWN}


class Data(NamedTuple):
    """The labels of a key, sentence by sentence, and which of them each team has right."""

    word: str
    labels: tuple[tuple[str, ...], ...]
    own: tuple[int, ...] = ()
    other: tuple[int, ...] = ()

    def key(self) -> bytes:
        return self._written(lambda place, label: label)

    def run(self, right: tuple[int, ...]) -> bytes:
        """The labels of a team, which knows no label of the key alone."""
        return self._written(lambda place, label: label if place in right else "ORG")

    def _written(self, label: Callable[[int, str], str]) -> bytes:
        places = iter(range(99))
        sentences = ["".join(f"{self.word}\tB-{label(next(places), item)}\nand\tO\n" for item in sentence)
                     for sentence in self.labels]  # fmt: skip
        return "\n".join(sentences).encode()


DATA = {
    "train": Data("Trainword", (("PER", "TRAINLABEL"),)),
    "try": Data("Tryword", (("PER",) * 6 + ("TRYLABEL",), ("PER",) * 6), (0, 1, 2, 3, 7, 8, 9), (0, 1, 7, 8, 9)),
    "final": Data(
        "Finalword", (("PER",) * 5 + ("FINALLABEL",), ("PER",) * 4 + ("LOC",)), (0, 1, 2, 3, 6, 7, 8, 9), (0, 1, 6, 7)
    ),
}
"""7 and 5 of 13 are right in the dry run; 8 and 4 of 11 in the test, and one more once the last is what both say."""


@dataclass
class World:
    """The campaign, the names of its things, and the secrets that are known when they are made."""

    hosted: Hosted
    here: Campaign
    database: sqlite3.Connection
    names: dict[str, str] = field(default_factory=dict)
    told_once: set[str] = field(default_factory=set)
    """What nobody is told again: tokens."""
    _kept: tuple[int, dict[str, list[Any]]] | None = None
    _read: set[Path] = field(default_factory=set)

    @property
    def viewers(self) -> dict[str, Client]:
        hosted = self.hosted
        return {
            VISITOR: hosted.visitor, OTHER: hosted.two, OWN: hosted.one, ANNOTATOR: hosted.annotator,
            ORGANISER: hosted.organiser,
        }  # fmt: skip

    def named(self, template: str, who: str = "") -> str:
        """An address or a field with the names of things in it; {mine} is the layer of whoever works here."""
        own_value = self.names["layer" if who == ANNOTATOR else "key"]
        return template.format_map({**self.names, "mine": own_value})

    def idle(self) -> None:
        """Wait until nothing is left to do for the worker."""
        busy = "SELECT 1 FROM jobs_job WHERE state IN ('queued', 'running')"
        for _ in range(WAIT * 50):
            if not self.database.execute(busy).fetchone():
                return
            time.sleep(0.02)
        raise AssertionError("the worker does not come to an end")

    def ask(self) -> bool:
        """Have every board, report and archive made that there can be; whether they are."""
        places = ["results/try", "results/final", "report/{tried}", "report/{tested}", "archive",
                  "results/final-open", "report/{opened}"]  # fmt: skip
        answers = [self.hosted.organiser.get(self.named(f"/campaign/{place}")) for place in places]
        return not any(answer.status == 202 or b"being computed" in answer.body for answer in answers)

    def settle(self) -> None:
        """Wait until every run is scored, and all that is to be made of them."""
        for _ in range(WAIT):
            self.idle()
            if self.ask():
                return
        raise AssertionError("something is being computed for ever")

    @property
    def kept(self) -> dict[str, list[Any]]:
        """What the database holds but jobs, which the worker takes up when it likes."""
        [[version]] = self.database.execute("PRAGMA data_version")  # another one when anybody else wrote
        if self._kept is None or self._kept[0] != version:
            tables = self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            rows = {name: self.database.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables}
            self._kept = version, {name: row for name, row in rows.items() if name != "jobs_job"}
        return self._kept[1]

    def new_letters(self) -> dict[str, bytes]:
        """Those that were written since the last time, by the viewer whom they are for; none is ever sent."""
        fresh = sorted(set((self.hosted.folder / "outbox").glob("*.eml")) - self._read)
        self._read |= set(fresh)
        letters = [BytesParser(EmailMessage, policy=SMTPUTF8).parsebytes(path.read_bytes()) for path in fresh]
        return {
            who: "\n".join(
                f"{letter.items()} {letter.get_content()}" for letter in letters if letter["To"] == mail
            ).encode()
            for who, mail in MAILS.items()
        }


@contextmanager
def _writing_letters() -> Iterator[None]:
    """With a mail server that takes none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUNE_MAIL", f"smtp://127.0.0.1:{free_port()}")
        patch.setenv("AUNE_SENDER", "The Campaign <campaign@example.org>")
        yield


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """The campaign in its first phase, with all that is there before the second."""
    create_campaign(folder, "demo", "entities")
    protocol = folder / "campaign.toml"
    text = protocol.read_text("utf-8").replace('registration = "invitation"', 'registration = "approval"')
    protocol.write_text(f'{text}\n[open]\ndata = ["final"]\n', "utf-8")
    for name, data in DATA.items():
        (folder / "keys" / f"{name}.conll").write_bytes(data.key())
    with _writing_letters(), serving(folder, "--accounts") as served:
        hosted = fill_campaign(served, folder, PEOPLE)
        with closing(sqlite3.connect(folder / "aune.sqlite", timeout=20, isolation_level=None)) as database:
            made = World(hosted, Campaign(folder), database)
            made.names |= dict.fromkeys(("tried", "tested", "opened", "dispute", "drawing"), "none")
            _make_annotation(made)
            _accounts(made)
            _publish_pages(made)
            yield made


def _make_annotation(world: World) -> None:
    """Two texts, and a key of the first from a layer that its annotator has taken up again since."""
    organiser, annotator = world.hosted.organiser, world.hosted.annotator
    for name, word in (("hiddentext", b"Hiddenword"), ("othertext", b"Otherword")):
        assert organiser.upload((f"{name}.conll", word + b"\tO\nleft\tO\n.\tO\n"), task="entities").status == 302
    page = text_of(annotator, "hiddentext")
    assert annotator.form(f"{page}layers", name="herlayer").status == 302
    layer = layers_of(annotator, "hiddentext")["herlayer"]
    mark = {"parts": [[0, 10]], "order": 0, "chain": None, "features": {}, "label": "HERLABEL"}
    api = f"/api/layer/{layer}"
    assert annotator.post(f"{api}/events", {"base": 0, "events": [event(["mentions", "m0", mark])]}).status == 200
    assert annotator.post(f"{api}/done", {"done": True}).status == 200
    fields = {"start": 0, "end": 10, "body": "hercomment"}
    comment = annotator.post(f"{api}/comments", fields).json["id"]
    key = adjudication(organiser, "hiddentext", *layers_of(organiser, "hiddentext").values())
    assert annotator.post(f"{api}/done", {"done": False}).status == 200
    [project] = organiser.get("/api/projects").json["projects"]
    source = re.search(r"/source/([\w-]+)/forget", organiser.get("/?name=hiddentext").text)
    assert source
    world.names |= {
        "source": source[1], "text": page.split("/")[2], "other_text": text_of(organiser, "othertext").split("/")[2],
        "layer": layer, "key": key.split("/")[2], "project": project["id"],
        "comment": comment,
    }  # fmt: skip


def _accounts(world: World) -> None:
    """An invitation that nobody took, addresses for letters, and what the teams agree to."""
    hosted = world.hosted
    shown = hosted.organiser.form("/people/invite", role="annotator", note="nobodysnote").text
    invitation = re.search(r"/invitation/([\w-]+)", shown)
    [[organiser]] = world.database.execute("SELECT id FROM accounts_account WHERE role = 'organiser'")
    assert invitation
    world.names |= {"invitation": invitation[1], "organiser": organiser}
    for who, mail in MAILS.items():
        assert world.viewers[who].form("/campaign/notices/address", email=mail).status == 302
    for client, consent in ((hosted.one, "anonymous"), (hosted.two, "named")):
        assert client.form("/campaign/team/consent", consent=consent).status == 302


def _publish_pages(world: World) -> None:
    """A description, a file for everybody and one for teams; and every address is confirmed."""
    organiser, folder = world.hosted.organiser, world.hosted.folder
    organiser.get("/campaign/public")
    assert organiser.form("/campaign/public/about", text="# Ourtask\n\nIt is *easy*.").status == 302
    for name, audience, phase in (("guide", "everybody", "call"), ("audio", "teams", "training")):
        fields = {"name": name, "audience": audience, "phase": phase}
        answer = send_messages(
            organiser, "/campaign/public/attach", f"{name}.txt", name.encode() + b"file", {}, **fields
        )
        assert answer.status == 302, answer.text
    letters = [path.read_text("utf-8") for path in (folder / "outbox").glob("once-*.eml")]
    for who, mail in MAILS.items():
        [letter] = [letter for letter in letters if f"To: {mail}" in letter]
        code = letter.replace("=\n", "").partition("/campaign/notices/confirm/")[2].split()[0]
        assert world.viewers[who].form(f"/campaign/notices/confirm/{code}").status == 302
        if who == OWN:
            world.names["confirmation"] = code


def led_to(world: World, phase: str) -> None:
    """The next phase, with what people do at its beginning; and a new token, for the last one is deleted."""
    if phase == "publication":
        _decide_dispute(world, "accepted", "acceptedreason")
        assert world.hosted.organiser.form("/campaign/rekey/final").status == 302
    if phase != "call":
        world.hosted.phase(phase)
    if phase in DEEDS:
        DEEDS[phase](world)
    secret = token_of(world.hosted.one, "tokensname")
    world.told_once.add(secret)
    assert world.hosted.organiser.form("/people/invite", role="annotator", note="nobodysnote").status == 200
    newest = "SELECT digest FROM accounts_invitation WHERE redeemed IS NULL ORDER BY expires DESC LIMIT 1"
    [[world.names["revocable"]]] = world.database.execute(newest)
    [[world.names["token"]]] = world.database.execute("SELECT id FROM accounts_token WHERE name = 'tokensname'")


def _send_runs(world: World, dataset: str, name: str) -> None:
    """Both teams send a run."""
    hosted, data = world.hosted, DATA[dataset.removesuffix("-open")]
    for client, right, run in ((hosted.one, data.own, "canary"), (hosted.two, data.other, "run")):
        answer = send_messages(client, f"/campaign/submit/{dataset}", f"{run}.conll", data.run(right), run=run)
        assert answer.status == 302, answer.text
        if client is hosted.one:
            world.names[name] = answer.headers["Location"].rpartition("/")[2]


def _dispute_key(world: World, dataset: str, place: str, value: str) -> None:
    claim = {"dataset": dataset, "document": dataset, "claim": "reference", "argument": f"{dataset}argument"}
    assert world.hosted.one.form("/campaign/claim", **claim, place=place, value=value).status == 302
    world.names["dispute"] = list(world.here.state.disputes)[-1]


def _decide_dispute(world: World, decision: str, reason: str) -> None:
    address = world.named("/campaign/disputes/{dispute}/decide")
    assert world.hosted.organiser.form(address, decision=decision, reason=reason).status == 302


def _refuse_dispute(world: World) -> None:
    """A dispute about the key of the dry run, which is refused."""
    _dispute_key(world, "try", "0 1 PER", "0 1 ORG")
    _decide_dispute(world, "refused", "refusedreason")


def _draw_dispute(world: World) -> None:
    """A dispute about the key of the test, which waits, and a drawing; the other team stands by its results."""
    _dispute_key(world, "final", "20 21 LOC", "20 21 ORG")
    answer = world.hosted.one.form("/campaign/draw/final")
    assert answer.status == 302, answer.text
    world.names["drawing"] = answer.headers["Location"].split("/")[2]
    assert world.hosted.two.form("/campaign/team/validate").status == 302


DEEDS: Mapping[str, Callable[[World], None]] = {
    "dry run": lambda world: _send_runs(world, "try", "tried"),
    "dry adjudication": _refuse_dispute,
    "test": lambda world: _send_runs(world, "final", "tested"),
    "test adjudication": _draw_dispute,
    "open": lambda world: _send_runs(world, "final-open", "opened"),
}


class Canary(NamedTuple):
    """What is listened for, and who may hear it when."""

    songs: tuple[str, ...]
    heard_by: Cells


def canary(*songs: str, by: Cells = NOBODY) -> Canary:
    return Canary(songs, by)


EVERYBODY_LATER = {"visitor": "publication", "annotator": "publication"}
OF_THE_UNNAMED = always(ORGANISER, OWN)
OF_THE_OTHER = always(ORGANISER, OTHER)


def canaries(world: World) -> dict[str, Canary]:
    """Everything that not everybody may hear, as far as it is there."""
    state, names, entries = world.here.state, world.names, world.here.ledger.entries()
    [document] = [team for team in state.teams.values() if "Canary" in team.name]
    [other] = [team for team in state.teams.values() if team is not document]
    archived = from_on(**dict.fromkeys(["organiser", "annotator", "own_team", "other_team", "visitor"], "archive"))
    result = {
        **SPELT,
        "the id of the unnamed team": canary(document.id, by=OF_THE_UNNAMED),
        "the id of the other team": canary(other.id, by=OF_THE_OTHER),
        "the pseudonym of the unnamed team": canary(f"{document.pseudonym} / 1", by=from_on(
            other_team="dry adjudication", own_team="archive", organiser="archive", **EVERYBODY_LATER)),
        "what signs cookies": canary((world.hosted.folder / "secret").read_text()),
        "an invitation": canary(names["invitation"]),
        "a token": canary(*world.told_once),
        **{f"the cookies of the {who}": canary(*(value.rpartition(":")[2] for value in client.cookies.values()),
           by=always(who)) for who, client in world.viewers.items()},
        "the salts of keys": canary(*(key.salt for keys in state.keys.values() for key in keys), by=archived),
        "the salts of entries": canary(*(entry.salt for entry in entries if entry.kind not in DISCLOSED)),
    }  # fmt: skip
    for name, first in (("tried", "dry run"), ("tested", "test"), ("opened", "open")):
        if names[name] != "none":
            last = "open" if first == "open" else "archive"
            known = from_on(
                organiser=first, own_team=first, **dict.fromkeys(("other_team", "visitor", "annotator"), last)
            )
            result[f"the run {name}"] = canary(names[name], by=known)
    return result


SPELT: dict[str, Canary] = {
    "the unnamed team": canary("canary", "Canary", "Canaria", by=OF_THE_UNNAMED),
    "the other team": canary("Open Lab", by=from_on(
        organiser="call", other_team="call", own_team="publication", **EVERYBODY_LATER)),
    "a member of the unnamed team": canary("Xavierson", by=OF_THE_UNNAMED),
    "a member of the other team": canary("Yorickson", by=OF_THE_OTHER),
    "a comment": canary("hercomment", by=always(*WORKERS)),
    "the annotator": canary("Zachariasson", by=always(*WORKERS)),
    **{f"the address of the {who}": canary(mail, by=always(who)) for who, mail in MAILS.items()},
    "the name of a token": canary("tokensname", by=always(OWN)),
    "the note of an invitation": canary("nobodysnote", by=always(ORGANISER)),
    "a text of the workbench": canary("hiddentext", "othertext", "Hiddenword", "Otherword", by=always(*WORKERS)),
    "a layer that is not done": canary("herlayer", "HERLABEL", by=always(ANNOTATOR)),
    "the texts of train": canary("Trainword", by=from_on(
        organiser="call", annotator="call", **teams_from("training"), visitor="archive")),
    "the texts of try": canary("Tryword", by=from_on(
        organiser="call", annotator="call", **teams_from("dry run"), visitor="archive")),
    "the texts of final": canary("Finalword", by=from_on(
        organiser="call", annotator="test", **teams_from("test"), visitor="archive")),
    "the key of train": canary("TRAINLABEL", by=from_on(
        organiser="call", annotator="call", **teams_from("training"), visitor="archive")),
    "the key of try": canary("TRYLABEL", by=from_on(
        organiser="call", annotator="call", **teams_from("dry adjudication"), visitor="archive")),
    "the key of final": canary("FINALLABEL", by=from_on(
        organiser="call", annotator="test adjudication", **teams_from("test adjudication"), visitor="archive")),
    "a score of the dry run of the unnamed team": canary("0.538", "53.8", by=from_on(
        organiser="dry run", own_team="dry run", other_team="dry adjudication")),
    "a score of the dry run of the other team": canary("0.384", "0.385", "38.4", "38.5", by=from_on(
        organiser="dry run", other_team="dry run", own_team="dry adjudication")),
    "a score of the test": canary("0.727", "72.7", "0.363", "0.364", "36.3", "36.4", by=from_on(
        organiser="test", **teams_from("test adjudication"), **EVERYBODY_LATER)),
    "what a dispute would do": canary("0.818", "81.8", by=from_on(
        organiser="test adjudication", **teams_from("publication"), **EVERYBODY_LATER)),
    "a file for teams": canary("audiofile", by=from_on(
        organiser="call", annotator="training", **teams_from("training"))),
    "an argument": canary("tryargument", "finalargument", by=OF_THE_UNNAMED),
    "why a dispute was refused": canary("refusedreason", by=from_on(
        organiser="dry adjudication", **teams_from("dry adjudication"), visitor="archive", annotator="archive")),
    "why a dispute was accepted": canary("acceptedreason", by=from_on(
        organiser="publication", **teams_from("publication"), **EVERYBODY_LATER)),
}  # fmt: skip
"""Those that are words of ours: too long, or with signs, to stand in a token by chance."""
