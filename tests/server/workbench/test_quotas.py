"""Nobody fills the disk: every address that stores what somebody sends ends in a refusal, and nothing is lost by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from aune.server.site import MEGABYTE
from aune.server.workbench import layers
from tests.server.campaign.rows import WRITTEN
from tests.server.campaign.test_visibility import route_of
from tests.server.conftest import Database, Team
from tests.server.serving import Answer, Client, event, layers_of, serving, text_of

TEXT = b"<DOC><DOCNO>%s</DOCNO><TEXT><P>Ann met Ben. She liked him.</P></TEXT></DOC>\n"
LONG = "x" * 20_000
MOST = 150
"""Requests until the room of an account must be used up."""

BOUNDED = {
    "another": "a key that is used once, without accounts",
    "sign-in": "failures of a quarter of an hour, a number of them for an address",
    "sign-out": "a number of the account",
    "invitation/<str:secret>": "once for an invitation",
    "account/passphrase": "one of an account",
    "account/tokens": "a number of them",
    "account/tokens/<str:token>/delete": "frees",
    "people/invite": "organisers, a row each",
    "people/<str:account>/close": "once for an account",
    "people/<str:account>/forget": "frees",
    "people/invitations/<str:invitation>/revoke": "frees",
    "api/layer/<str:layer>/comments": "a number of an author and a text, each of a length",
    "api/comment/<str:comment>/resolved": "once for a comment",
    "projects": "organisers, a number of them",
    "api/text/<str:text>/segmentation": "at most a word for each character of a text",
    "api/project/<str:project>/schema": "organisers, one of a task and of a size",
    "project/<str:project>/settings": "one of a project, guidelines of a length",
    "project/<str:project>/assign": "the room of the annotators, a layer of each text and annotator",
    "project/<str:project>/due": "one of a layer",
    "project/<str:project>/reassign": "the room of the annotator, a layer of each text",
    "project/<str:project>/invite": "organisers, a row each",
    "project/<str:project>/predictions": "the room of the account, a number of layers of each text",
    "project/<str:project>/adjudicate": "one of each text",
    "campaign/register": "once for an account",
    "campaign/join": "a number of those who left",
    "campaign/team/<str:what>": "once each; a number of changes of what a team agrees to",
    "campaign/submit/<str:dataset>": "the quota of the protocol",
    "api/campaign/submit/<str:dataset>": "the quota of the protocol",
    "campaign/notices/address": "one of an account",
    "campaign/apply": "a number of an address, and of those that wait",
    "campaign/notices/confirm/<str:code>": "once for a code",
    "campaign/public/<str:what>": "organisers, what they publish",
    "campaign/submission/<str:submission>/<str:what>": "what is said of a run, by its team or organisers",
    "campaign/notices/send": "organisers, what waits",
    "campaign/claim": "the disputes of the protocol",
    "campaign/disputes/<str:dispute>/decide": "once for a dispute",
    "campaign/draw/<str:dataset>": "the room of the account, like any new layer",
    "campaign/drawn/<str:layer>/claim": "the disputes of the protocol",
    "campaign/keys/<str:dataset>/take": "organisers, a key that has changed",
    "campaign/doubts/<str:dataset>": "organisers, a dispute for each answer about their own key",
    "doubts/key": "nothing: the new key is only sent back",
    "campaign/rekey/<str:dataset>": "organisers, where disputes were accepted",
    "campaign/annotate/assign": "the room of the annotators, like any new layer",
    "campaign/manage/<str:what>": "organisers, what is planned",
    "source/<str:source>/forget": "frees",
    "layer/<str:layer>/done": "a mark of a layer",
    "layer/<str:layer>/delete": "frees",
    "api/layer/<str:layer>/done": "a mark of a layer",
    "api/skeleton": "stores nothing",
    "skeleton/export": "stores nothing",
}
"""What bounds the addresses that take no room of an account, or take it elsewhere."""


class Full:
    """A site with a text, and what an annotator and an organiser can store again and again."""

    def __init__(self, team: Team) -> None:
        self.served, self.ann, self.olga = team.served, team.ann, team.organiser
        assert self.olga.upload(("full.sgm", TEXT % b"full")).status == 302
        self.text = text_of(self.olga, "full")
        (self.imported,) = layers_of(self.olga, "full").values()
        assert self.ann.get(self.text).status == 200
        self.layers = {name: self._layer(self.ann, name) for name in ("one", "two")}
        assert self.olga.get(self.text).status == 200
        other = self._layer(self.olga, "hers")
        assert self.olga.form(f"/layer/{other}/done", done="yes").status == 302
        pair = f"layer={self.imported}&layer={other}&csrfmiddlewaretoken={self.olga.csrf}"
        self.pair = pair.encode()
        self.key = self.adjudicate().headers["Location"].split("/")[-2]
        self.numbers = count()

    def _layer(self, client: Client, name: str) -> str:
        made = client.form(f"{self.text}layers", name=name)
        assert made.status == 302, made.text
        return made.headers["Location"].split("/")[-2]

    def adjudicate(self) -> Answer:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.olga.ask(f"{self.text}adjudicate", self.pair, form)

    def events(self, layer: str = "one") -> Answer:
        api = f"/api/layer/{self.layers[layer]}/"
        base = self.ann.get(api).json["layer"]["version"]
        fields = {"parts": [[0, 3]], "order": 0, "chain": None, "features": {"x": LONG}, "label": ""}
        return self.ann.post(api + "events", {"base": base, "events": [event(["mentions", f"m{base}", fields])]})

    def copy(self) -> Answer:
        return self.ann.post(f"/api/layer/{self.layers['one']}/copy", {"base": 5, "events": []})

    def decide(self) -> Answer:
        api = f"/api/layer/{self.key}/adjudication"
        base = self.olga.get(api).json["layer"]["version"]
        return self.olga.post(api, {"base": base, "operation": "reject", "about": ["0-3"], "reason": LONG})

    def stored(self) -> dict[str, Callable[[], Answer]]:
        """What stores, by address: the first ones of each person fill the room."""
        text, item = self.text, f"/resolve/{self.layers['two']}/run"
        file = "brought.sgm", TEXT % b"full"
        long = TEXT.replace(b"</P>", b" She." * 500 + b"</P>")
        return {
            "api/layer/<str:layer>/events": self.events,
            "api/layer/<str:layer>/copy": self.copy,
            "text/<str:text>/layers": lambda: self.ann.form(f"{text}layers", name="x"),
            "text/<str:text>/import": lambda: self.ann.upload(file, to=f"{text}import"),
            "resolve/<str:layer>/run": lambda: self.ann.form(item, resolver="singletons"),
            "api/layer/<str:layer>/adjudication": self.decide,
            "files": lambda: self.olga.upload((f"{(n := next(self.numbers))}.sgm", long % b"%d" % n)),
            "text/<str:text>/adjudicate": self.adjudicate,
            "layer/<str:layer>/passage": lambda: self.olga.form(
                f"/layer/{self.imported}/passage", start="0", end=str(3 + next(self.numbers) % 20)
            ),
        }


@pytest.fixture
def full(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Full]:
    with serving(tmp_path_factory.mktemp("full") / "site", "--accounts", "--room", "1", *database()) as served:
        yield Full(Team(served))


def until_refused(stored: Callable[[], Answer]) -> Answer:
    for _ in range(MOST):
        answer = stored()
        if answer.status >= 400:
            return answer
    raise AssertionError("it is stored again and again")


def test_storing_in_a_loop_ends_in_a_refusal(full: Full) -> None:
    """Of several at once too. What was kept stays as it is, and what is deleted makes room."""
    stored = full.stored()
    assert {*stored, *BOUNDED} == {route_of(address) for address in WRITTEN}, "say what bounds an address that writes"
    for address, store in stored.items():
        answer = until_refused(store)
        assert answer.status == 413 and "ask the organisers for more room" in answer.text, f"{address}: {answer.text}"
        with ThreadPoolExecutor(4) as together:
            assert {item.result().status for item in [together.submit(store) for _ in range(4)]} <= {413, 302}
    assert "0.25 MB" in until_refused(full.events).json["problems"][0]
    remaining = full.ann.get(f"/api/layer/{full.layers['one']}/").json
    assert remaining["layer"]["version"] == len(remaining["state"]["mentions"]) > 5
    counted = full.served.run_inside(COUNTED)
    assert all(contents <= message <= MEGABYTE for message, contents in counted) and max(counted)[0] > 0.9 * MEGABYTE, (
        counted
    )
    assert full.ann.form(f"/layer/{full.layers['one']}/delete", name="one").status == 302
    assert full.events("two").status == 200
    assert full.served.run_inside(UNSOUND) == []


COUNTED = """
import json
from aune.server.accounts.models import Account
from aune.server.workbench.models import Event, Snapshot
def held(account):
    events = Event.objects.filter(layer__author=account).values_list("body", "inverse")
    states = Snapshot.objects.filter(layer__author=account).values_list("state")
    return sum(len(one) for row in [*events, *states] for one in row)
print(json.dumps([(one.kept, held(one)) for one in Account.objects.all()]))
"""
UNSOUND = """
import json
from django.conf import settings
from aune.server.backup_validation import site_problems
print(json.dumps([one.problem for one in site_problems(settings.SITE.files, None)]))
"""


def test_what_is_forgotten_is_gone(team: Team) -> None:
    """Whoever opens files and forgets them again and again fills no disk; bytes that another source has stay."""
    olga, files = team.organiser, team.served.site / "files"
    stored = lambda: {path for path in files.rglob("*") if path.is_file()}  # noqa: E731
    before = stored()
    for task in ("coref", "entities"):
        assert olga.upload(("gone.txt", b"Ann met Ben, gone."), task=task).status == 302
    assert len(stored() - before) == 1
    for left in (1, 0):
        source = re.search(r"/source/([\w-]+)/forget", olga.get("/?name=gone.txt").text)
        assert source and olga.form(f"/source/{source[1]}/forget").status == 302
        assert len(stored() - before) == left


def test_several_files_are_opened_or_none(full: Full) -> None:
    """One for which there is no room leaves nothing of those before it, neither rows nor bytes."""
    files = full.served.site / "files"
    before = {*files.rglob("*")}
    large = ("large.txt", b"Ann met Ben. " * 60_000)
    answer = full.olga.upload(("small.txt", b"Ann met Ben, small."), large, task="entities")
    assert answer.status == 413, answer.text
    assert {path for path in files.rglob("*") if path.is_file()} <= before
    assert "small.txt" not in full.olga.get("/").text


def test_a_text_has_few_layers(full: Full) -> None:
    """Whoever asks for a layer has all of its text looked at: nobody makes thousands."""
    remaining = full.served.run_inside(LAYERED.format(text=full.text.split("/")[2], room=4096 * MEGABYTE))
    assert remaining == [layers.MAX_LAYERS, "delete some first"]


LAYERED = """
import json
from django.conf import settings
from aune.server.accounts.models import Account
from aune.server.policy import NoRoomError
from aune.server.site import Site
from aune.server.workbench import layers
from aune.server.workbench.models import Text
from aune.workbench.model import EMPTY
settings.SITE = Site(folder=settings.SITE.folder, accounts=True, room={room})
text, ben = Text.objects.get(pk="{text}"), Account.objects.get(name="Ben")
try:
    for number in range(1000):
        layers.create_layer(text, "x", "annotation", ben, EMPTY)
except NoRoomError as error:
    print(json.dumps([number, "delete some first" if "delete some first" in str(error) else str(error)]))
"""
