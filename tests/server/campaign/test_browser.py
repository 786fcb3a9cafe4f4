"""GRACE replayed in a real browser, from the call to the archive: people click, nobody types an address.

Real texts and real systems: seven teams in two conditions, tables and identities, a dispute that is accepted and one
that is refused, a team that leaves and one that is not named.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive import archived
from aune.campaign.campaign import Campaign
from aune.campaign.verification import verified
from tests.campaign.test_grace import LEAVES, SECRET, TEAMS, grace, response
from tests.server.serving import PASSPHRASE, Served, serving

BROWSING = sys.modules["browsing"]
PATIENCE = 120_000  # milliseconds, on a busy machine
LOOKS = ((390, "light"), (1400, "dark"))


class Person:
    """Somebody with a browser of their own, and everything that their pages should not have done."""

    def __init__(self, browser: Any, address: str) -> None:
        self.address = address
        self.context = browser.new_context(viewport={"width": 1400, "height": 900})
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.visit = BROWSING.Visit(self.page)
        self.page.on("console", lambda message: self.visit.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.visit.complaints.append(str(error)))
        self.page.on("request", lambda request: self.visit.requests.append(request.url))

    def go(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}" if path.startswith("/") else path)

    def click(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).first.click()
        self.page.wait_for_load_state()

    def take(self, invitation: str, name: str) -> None:
        self.go(invitation)
        self.page.fill("input[name=name]", name)
        for field in self.page.locator("input[type=password]").all():
            field.fill(PASSPHRASE)
        self.page.locator("main form button").first.click()
        self.page.wait_for_load_state()

    def sees(self, text: str) -> bool:
        return text in self.page.locator("body").inner_text()

    def waits_for(self, text: str) -> None:
        self.page.wait_for_function("text => document.body?.innerText.includes(text)", arg=text)

    def looks_right(self, name: str) -> None:
        """On a phone in the light, on a screen in the dark: no violation of level A or AA, nothing wider than that."""
        for width, scheme in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            assert self.visit.violations() == [], f"{name} at {width}, {scheme}"
            assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} at {width}"
            self.visit.keep(f"campaign-{name}-{width}-{scheme}")
        self.page.set_viewport_size({"width": 1400, "height": 900})

    def is_clean(self) -> None:
        assert self.visit.complaints == []
        assert [one for one in self.visit.requests if not one.startswith((self.address, "data:"))] == []


@pytest.fixture(scope="module")
def home(data: Path) -> Path:
    found = data / "tagging/grace-like"
    if not found.is_dir():
        pytest.skip(f"no data at {found}")
    return found


@pytest.fixture(scope="module")
def served(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("grace") / "campaign"
    grace(folder, home)
    with serving(folder, "--accounts") as found:
        yield found


def invitation(organiser: Person, role: str) -> str:
    organiser.go("/people")
    organiser.page.select_option("select[name=role]", role)
    organiser.press("Make an invitation")
    found = re.search(r"http\S+/invitation/[\w-]+", organiser.page.content())
    assert found
    return found[0]


def next_phase(organiser: Person, name: str) -> None:
    organiser.go("/campaign/manage")
    organiser.press(f"Go on to: {name}")
    assert organiser.sees(f"phase: {name}")


def send(person: Person, folder: Path, home: Path, name: str, dataset: str, sentences: int, surface: str = "") -> None:
    """Submit the run of a team on its page, and wait for the receipt."""
    system = TEAMS[name][0]
    path = folder / f"{system}.tsv"
    path.write_bytes(response(home, system, sentences, surface))
    person.go("/campaign/team")
    form = person.page.locator(f"form[action='/campaign/submit/{dataset}']")
    form.locator("input[name=file]").set_input_files(path)
    if "ftb" in system:
        form.locator("input[name=table]").set_input_files(home / "table_ftb2grace.tsv")
    form.get_by_role("button", name="Submit").click()
    person.waits_for(": valid")
    assert person.sees("head of the ledger")


def test_grace_from_the_call_to_the_archive(browser: Any, served: Served, home: Path, tmp_path: Path) -> None:
    organiser = Person(browser, served.address)
    organiser.take(served.printed, "Josette")
    teams = {name: Person(browser, served.address) for name in TEAMS}
    for number, (name, person) in enumerate(teams.items()):
        person.take(invitation(organiser, "participant"), f"person {number}")
        person.click("Campaign")
        person.page.fill("input[name=name]", name)
        person.page.fill("input[name=country]", "FR")
        person.press("Register")
        person.press("We accept the licence")
        person.page.select_option("select[name=consent]", TEAMS[name][2])
        person.press("Say so")
    next_phase(organiser, "dry run")
    for name, (_, condition, _) in TEAMS.items():
        if condition == "words":
            send(teams[name], tmp_path, home, name, "essais", 20)
    assert teams["Perceptron Oy"].sees("Scores")
    next_phase(organiser, "dry adjudication")
    next_phase(organiser, "test")
    surface = (served.site / "keys/gold_surface.tsv").read_text("utf-8")
    for name, (_, condition, _) in TEAMS.items():
        send(teams[name], tmp_path, home, name, "tests" if condition == "words" else "tests-surface", 120, surface)
        assert not teams[name].sees("Scores"), "the test tells only that a run is valid"
    teams["Perceptron Oy"].looks_right("submission")
    teams["Perceptron Oy"].go("/campaign/team")
    teams["Perceptron Oy"].looks_right("team")
    leaving = teams[LEAVES]
    leaving.go("/campaign/team")
    leaving.press("Withdraw")
    assert leaving.sees("This team has withdrawn")
    next_phase(organiser, "test adjudication")
    disputes(organiser, teams["Perceptron Oy"])
    next_phase(organiser, "publication")
    visitor = Person(browser, served.address)
    published(visitor, teams)
    for name in ("Perceptron Oy", "Laboratoire CRF", "Spacy Frères"):
        teams[name].go("/campaign/team")
        teams[name].press("We looked at our results and stand by them")
    next_phase(organiser, "archive")
    visitor.go("/campaign/results/tests")
    visitor.waits_for("Laboratoire CRF / run")
    assert not visitor.sees(SECRET) and not visitor.sees("Ambigus")
    visitor.looks_right("named")
    for person in (organiser, visitor, *teams.values()):
        person.is_clean()
    archived(Campaign(served.site), tmp_path / "archive")
    assert verified(tmp_path / "archive").problems == []
    for path in (tmp_path / "archive").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


def disputes(organiser: Person, team: Person) -> None:
    """One claim is accepted and one refused; the key gets a new version, and every run is scored again."""
    team.go("/campaign/")
    team.click("Results: tests")
    team.waits_for("Perceptron Oy / run")
    team.looks_right("board")
    for word, tags, why in (("signifie", "Vmip1s-", "first person"), ("consommation", "Ncms", "masculine")):
        team.click("Disputes")
        team.click("Point at an item of the key of tests")
        row = team.page.locator("tr").filter(has=team.page.get_by_role("rowheader", name=word, exact=True)).first
        row.locator("input[name=value]").fill(tags)
        row.locator("input[name=argument]").fill(why)
        row.get_by_role("button", name="Claim").click()
        team.page.wait_for_load_state()
        assert team.sees(why)
    team.looks_right("disputes")
    team.go("/campaign/key/tests")
    team.looks_right("key")
    organiser.go("/campaign/disputes?effects=1")
    assert organiser.sees("→")
    organiser.looks_right("effects")
    for why, button in (("first person", "Accept"), ("masculine", "Refuse")):
        article = organiser.page.locator("article").filter(has_text=why)
        article.locator("input[name=reason]").fill(f"about {why}")
        article.get_by_role("button", name=button).click()
        organiser.page.wait_for_load_state()
    organiser.press("Make a new key of tests")
    for _ in range(60):
        organiser.go("/campaign/manage")
        if organiser.sees(", 0 wait"):
            break
        time.sleep(1)
    organiser.looks_right("manage")


def published(visitor: Person, teams: dict[str, Person]) -> None:
    """What everybody sees: numbers under pseudonyms, the versions of the key, who took part."""
    visitor.go("/campaign/")
    visitor.looks_right("home")
    visitor.click("Results: tests")
    visitor.waits_for("version 2")
    assert not any(visitor.sees(name) for name in teams)
    visitor.click("Participants")
    assert visitor.sees(LEAVES) and not visitor.sees(SECRET)
    visitor.looks_right("participants")
    visitor.click("Changes")
    assert visitor.sees("about first person") and not visitor.sees("masculine")
