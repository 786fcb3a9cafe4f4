"""The visibility matrix: who gets what from every address of the site, in every phase.

The addresses and their methods come from the URL configuration: one without a row fails. Five viewers ask each of them
in each phase. Names of unnamed teams, labels of hidden keys, texts of the workbench, scores, people and their secrets
are canaries, which sing in no answer, header, error, file or letter that is not for whoever hears it. Who is refused
changes nothing, and cannot tell from any refusal what is there.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.test import RequestFactory
from django.urls import URLPattern, resolve

from aune.campaign.archive.verification import verify_folder
from aune.campaign.protocol.phases import PHASES
from aune.server.urls import urlpatterns
from tests.server.campaign.conftest import Heard
from tests.server.campaign.rows import ANSWERS, FIELDS, ROWS, TOLD, VIEWERS, VISITOR, Cells
from tests.server.campaign.world import Canary, World, canaries, led_to, world
from tests.server.serving import Answer

METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE")
DOOR = 401
"""Sign in first: for programs by this number, for people by the page that asks them to."""
BY_THE_WORKER = ("leased", "ended", "board", "page")
LONG = re.compile(rb"[\w-]{32,}")
"""What was drawn at random: looked up word by word, for there are many."""
TIME = re.compile(rb"\d\d:\d\d:\d\d(\.\d+)?")
"""In which any score may stand by chance."""


CAMPAIGN = [row for row in ROWS if row[1].startswith(("campaign/", "api/campaign/"))]
PARTS = [
    *([row for row in ROWS if row not in CAMPAIGN and row[0] == method] for method in ("GET", "POST")), CAMPAIGN
]  # fmt: skip


def site() -> list[URLPattern]:
    """Every address of the site, by the URL configuration."""
    return [pattern for room in urlpatterns for pattern in room.url_patterns]


def accepted_methods(address: URLPattern) -> list[str]:
    """The methods that an address takes: any other is refused before anything is looked at."""
    refusal = address.callback(RequestFactory().generic("TRACE", "/"))
    assert refusal.status_code == 405, f"{address.pattern}: takes any method"
    return refusal.headers["Allow"].split(", ")


def route_of(address: str) -> str:
    return resolve("/" + re.sub(r"\{\w+\}", "x", address).partition("?")[0]).route


def policy_questions(method: str, address: str) -> str:
    """What whoever adds an address has to decide, and where to write the answer."""
    table, verb = ("READ", "see") if method == "GET" else ("WRITTEN", "do")
    return f"""{method} {address} has no row in {table} of tests/server/campaign/rows.py. Answer these questions there:
  - Which of visitor, other team, own team, annotator and organiser may {verb} this? always(…) names them.
  - From which phase on may each of them? from_on(own_team="dry run", …) says it.
  - Whose is the thing that the address names? The view must answer 404 to everybody else, as if it were not there:
    take a text or layer from aune.server.workbench.access, and ask Campaign.check(viewer, thing) for a campaign.
  - Is it a new kind of thing? Then it also needs a row of VISIBILITY_TABLE in aune.campaign.protocol.visibility."""


def test_a_missing_row_asks_for_a_policy() -> None:
    assert "Which of visitor, other team" in policy_questions("GET", "campaign/new")
    assert "has no row in WRITTEN" in policy_questions("POST", "campaign/new")


def test_every_address_has_a_row() -> None:
    """One for each of its methods, of which there are two."""
    expected = {(method, str(item.pattern)) for item in site() for method in accepted_methods(item)}
    assert {method for method, _ in expected} == {"GET", "POST"}
    listed = {(method, route_of(address)) for method, address, _ in ROWS}
    assert not expected - listed, "\n".join(policy_questions(method, address) for method, address in expected - listed)
    assert not listed - expected, f"rows of addresses that the site does not have: {sorted(listed - expected)}"
    rows = {f"{method} {address}" for method, address, _ in ROWS}
    assert rows >= {f"POST {address}" for address in (*FIELDS, *TOLD)} | set(ANSWERS) - {"GET", "POST"}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("matrix") / "campaign") as made:
        yield made


@pytest.fixture(scope="module")
def surprises(matrix: World) -> list[str]:
    """What was not as expected in a walk of all viewers through all phases and addresses."""
    wrong: list[str] = []
    heard: set[str] = set()
    with ThreadPoolExecutor(len(VIEWERS)) as pool:
        for phase in PHASES:
            led_to(matrix, phase)
            walk = Walk(matrix, phase, pool)
            wrong += [f"{phase}: {surprise}" for surprise in walk.surprises()]
            heard |= {name for ears in walk.ears.values() for name in ears.heard}
    dumb = {name for name, canary in canaries(matrix).items() if any(canary.heard_by.values())} - heard
    return [*wrong, *(f"nobody ever heard {name}" for name in dumb)]


def test_the_matrix(surprises: list[str]) -> None:
    assert not surprises, "\n".join(surprises)


class Walk:
    """All viewers at all addresses, in one phase."""

    def __init__(self, world: World, phase: str, pool: ThreadPoolExecutor) -> None:
        self.world, self.phase, self.pool = world, phase, pool
        self.ears = {who: Ears(canaries(world), who, phase) for who in world.viewers}
        self.refusals: dict[tuple[str, str], set[Heard]] = {}
        """By viewer and room."""

    def surprises(self) -> Iterator[str]:
        for who, client in self.world.viewers.items():
            for path in ("/never", "/campaign/never", "/api/never"):
                self._listed(who, path, client.get(path))
        for part in PARTS:  # those of the campaign last: the worker scores, and makes boards, meanwhile
            if part is not PARTS[0]:
                (self.world.settle if part is CAMPAIGN else self.world.ask)()
            for method, address, cells in part:
                yield from self._row(method, address, cells)
        self.world.idle()
        for who, letters in self.world.new_letters().items():
            yield from (f"{who}: a letter tells {message}" for message in self.ears[who].told(without_times(letters)))
        for (who, room), kinds in self.refusals.items():
            if len(kinds) > 1:
                yield f"{who}: {len(kinds)} refusals in {room}: {kinds}"

    def _row(self, method: str, address: str, cells: Cells) -> Iterator[str]:
        """First those who are refused, who change nothing; then the others."""
        allowed, right = cells[self.phase], ANSWERS.get(f"{method} {address}", ANSWERS[method])
        before = self._kept()
        yield from self._each(
            [viewer for viewer in VIEWERS if viewer not in allowed],
            lambda who: self._asked(method, address, who, refusals(method, address, who)),
        )
        if self._kept() != before:
            yield f"{method} {address}: what was refused changed something"
        yield from self._each(
            [viewer for viewer in VIEWERS if viewer in allowed], lambda who: self._asked(method, address, who, right)
        )
        if address == "sign-out":
            self.world.database.execute("UPDATE accounts_account SET generation = 0")  # their cookies are good again

    def _each(self, viewers: Sequence[str], request: Callable[[str], Iterator[str]]) -> Iterator[str]:
        """What surprises several viewers, who ask at the same time."""
        for result in self.pool.map(lambda who: list(request(who)), viewers):
            yield from result

    def _kept(self) -> object:
        """What people did, by the ledger and the database."""
        deeds = sum(entry.kind not in BY_THE_WORKER for entry in self.world.here.ledger.entries())
        return deeds, self.world.kept

    def _asked(self, method: str, address: str, who: str, expected: Collection[int]) -> Iterator[str]:
        path = "/" + self.world.named(address, who)
        answer = self._answer(method, path, who, FIELDS.get(address, {}))
        self._listed(who, path, answer)
        if outcome(answer) not in expected:
            yield f"{who}: {method} {path} is {answer.status}, expected {expected}: {answer.body[-1000:]!r}"
        for message in self.ears[who].told(whole(answer)):
            if not (path.startswith("/invitation/") and "an invitation" in message):  # those who have it know it
                yield f"{who}: {method} {path} tells {message}"

    def _answer(self, method: str, path: str, who: str, fields: Mapping[str, str]) -> Answer:
        client = self.world.viewers[who]
        if method == "GET":
            return client.get(path)
        cookies = dict(client.cookies)
        answer = client.form(path, **{name: self.world.named(value, who) for name, value in fields.items()})
        if path == "/sign-out":
            client.cookies = cookies
        return answer

    def _listed(self, who: str, path: str, answer: Answer) -> None:
        room = path.split("/")[1]
        if answer.status == 404 and room != "invitation":  # which says what to do
            room = room if room in ("api", "campaign") else "the workbench"
            self.refusals.setdefault((who, room), set()).add(Heard.of(answer))


def outcome(answer: Answer) -> int:
    is_door = answer.status == 302 and answer.headers["Location"].startswith("/sign-in?next=/")
    return DOOR if is_door else answer.status


def refusals(method: str, address: str, who: str) -> set[int]:
    is_policed = method == "GET" and address.startswith(("campaign/", "api/campaign/", "enter"))
    if who == VISITOR and not is_policed:
        return {DOOR}
    return {403} if who in TOLD.get(address, ()) else {404}


class Ears:
    """What somebody hears in a phase, of what may be heard and of what may not."""

    def __init__(self, known: Mapping[str, Canary], who: str, phase: str) -> None:
        self.heard: set[str] = set()
        self.open = {name: item.songs for name, item in known.items() if who in item.heard_by[phase]}
        hidden = {song.encode(): name for name, item in known.items() for song in item.songs if name not in self.open}
        self.long = {song: name for song, name in hidden.items() if LONG.fullmatch(song)}
        self.short = {song: name for song, name in hidden.items() if song not in self.long}

    def told(self, text: bytes) -> set[str]:
        """What sings in a text that should not."""
        for name in [item for item in self.open if item not in self.heard]:
            if any(song.encode() in text for song in self.open[name]):
                self.heard.add(name)
        random = {self.long[word] for word in LONG.findall(text) if word in self.long}
        return random | {name for song, name in self.short.items() if song in text}


def whole(answer: Answer) -> bytes:
    """Everything in an answer that could tell something, the files of an archive too."""
    answers = [str(answer.headers).encode(), answer.body]
    if answer.headers["Content-Type"] == "application/zip":
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            answers += [part for name in archive.namelist() for part in (name.encode(), archive.read(name))]
    return without_times(b"\n".join(answers))


def without_times(text: bytes) -> bytes:
    """A text without times of day: 20:41:53.812 contains 53.8, which is a score of the dry run."""
    return TIME.sub(b"", text)


def test_a_time_is_no_score() -> None:
    """A receipt in a letter was once taken for a score, in one second of a thousand."""
    assert without_times(b"time: 2026-11-18T20:41:53.812Z") == b"time: 2026-11-18TZ"


@pytest.mark.usefixtures("surprises")
def test_the_archive_that_is_fetched_can_be_verified(matrix: World, tmp_path: Path) -> None:
    """In the last phases everybody gets it; what was done there last may have it made again."""
    matrix.settle()
    answer = matrix.hosted.visitor.get("/campaign/archive")
    zipfile.ZipFile(io.BytesIO(answer.body)).extractall(tmp_path)
    assert verify_folder(tmp_path).problems == []
