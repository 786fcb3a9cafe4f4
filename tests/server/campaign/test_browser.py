"""GRACE replayed in a real browser, from the call to the archive: people click, nobody types an address.

Real texts and real systems: seven teams in two conditions, tables and identities, a dispute that is accepted and one
that is refused, a team that leaves and one that is not named.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.archive.archive_builder import write_archive
from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from tests.campaign.test_grace import LEAVES, SECRET, TEAMS, first_sentences, grace, response
from tests.server.campaign.conftest import send_messages, team
from tests.server.serving import PASSPHRASE, Client, Served, accept_invitation, serving

BROWSING = sys.modules["browsing"]
PATIENCE = 120_000  # milliseconds, on a busy machine
LOOKS = ((390, "light"), (1400, "dark"))
FULL = bool(os.environ.get("AUNE_FULL"))
"""Whether every team has a browser and the texts are long; else one team has, and the others post."""
SENTENCES = 120 if FULL else 30
SPEAKS = "Perceptron Oy"
BROKEN_OFF = re.compile(r"^htmx:(sendAbort|sendError|afterRequest)|ERR_ABORTED")
"""What a page says that asks how far scoring is while somebody leaves it."""


class Person:
    """Somebody with a browser of their own, and everything that their pages should not have done."""

    def __init__(self, browser: Any, address: str, client: Client | None = None) -> None:
        self.address, self.looked = address, 0
        self.context = browser.new_context(viewport={"width": 1400, "height": 900})
        cookies = client.jar if client else []
        self.context.add_cookies([{"name": cookie.name, "value": cookie.value, "url": address} for cookie in cookies])
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.visit = BROWSING.Visit(self.page)
        self.page.on("console", lambda message: self.visit.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.visit.complaints.append(str(error)))
        self.page.on("request", lambda request: self.visit.requests.append(request.url))

    def go(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}" if path.startswith("/") else path)

    def click(self, name: str) -> None:
        """Follow a link: what comes next is about the new page, however long it takes to come."""
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=name, exact=True).first.click()

    def press(self, name: str) -> None:
        """Press a button that leads to another page, or to this one anew."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name).first.click()

    def take(self, invitation: str, name: str) -> None:
        self.go(invitation)
        self.page.fill("input[name=name]", name)
        for field in self.page.locator("input[type=password]").all():
            field.fill(PASSPHRASE)
        with self.page.expect_navigation():
            self.page.locator("main form button").first.click()

    def sees(self, text: str) -> bool:
        return text in self.page.locator("body").inner_text()

    def waits_for(self, text: str) -> None:
        self.page.wait_for_function("text => document.body?.innerText.includes(text)", arg=text)

    def looks_right(self, name: str) -> None:
        """On a phone in the light, on a screen in the dark: no violation of level A or AA, nothing wider than that.

        Violations are looked for in turn in the one and in the other, and in both when there is time.
        """
        self.looked += 1
        for turn, (width, scheme) in enumerate(LOOKS):
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            if FULL or self.looked % len(LOOKS) == turn:
                assert self.visit.violations() == [], f"{name} at {width}, {scheme}"
                self.visit.keep(f"campaign-{name}-{width}-{scheme}")
            assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} at {width}"
        self.page.set_viewport_size({"width": 1400, "height": 900})

    def is_clean(self) -> None:
        assert [text for text in self.visit.complaints if not BROKEN_OFF.search(text)] == []
        assert [request for request in self.visit.requests if not request.startswith((self.address, "data:"))] == []


@pytest.fixture(scope="module")
def home(data: Path) -> Path:
    result = data / "tagging/grace-like"
    if not result.is_dir():
        pytest.skip(f"no data at {result}")
    return result


@pytest.fixture(scope="module")
def served_site(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("grace") / "campaign"
    grace(folder, home)
    if not FULL:
        plan = folder / "campaign.toml"
        plan.write_text(plan.read_text("utf-8").replace("draws = 500", "draws = 100"), "utf-8")
    for name, source in (("gold", "gold"), ("one", "gold"), ("two", "gold"), ("gold_surface", "gold_surface")):
        (folder / f"keys/{name}.tsv").write_text(first_sentences(home / f"{source}.tsv", SENTENCES), "utf-8")
    with serving(folder, "--accounts") as result:
        yield result


def next_phase(organiser: Person, name: str) -> None:
    organiser.click("Manage")
    organiser.page.check("input[name=sure]")
    organiser.press(f"Go on to: {name}")
    assert organiser.sees(f"phase: {name}")


class Clicking(Person):
    """A team that does everything on its pages."""

    def join(self, organiser: Person, name: str, account: str) -> None:
        self.name = name
        organiser.click("People")
        organiser.page.select_option("select[name=role]", "participant")
        organiser.press("Make an invitation")
        match = re.search(r"http\S+/invitation/[\w-]+", organiser.page.content())
        assert match
        self.take(match[0], account)
        organiser.click("Campaign")
        self.click("Campaign")
        self.page.fill("input[name=name]", name)
        self.page.fill("input[name=country]", "FR")
        self.press("Register")
        self.press("We accept the licence")
        self.page.select_option("select[name=consent]", TEAMS[name][2])
        self.press("Say so")

    def send(self, path: Path, dataset: str, table: Path | None) -> None:
        """Submit a run, and wait for its receipt."""
        self.click("Your team")
        form = self.page.locator(f"form[action='/campaign/submit/{dataset}']")
        form.locator("input[name=file]").set_input_files(path)
        if table:
            form.locator("input[name=table]").set_input_files(table)
        form.get_by_role("button", name="Submit").click()
        self.page.wait_for_function("() => /: (valid|refused|fault)/.test(document.body?.innerText ?? '')")
        assert self.sees(": valid"), self.page.locator("main").inner_text()
        assert self.sees("head of the ledger")

    def stand(self) -> None:
        self.click("Your team")
        self.press("We looked at our results and stand by them")

    def leave(self) -> None:
        self.click("Your team")
        self.page.get_by_text("Withdraw from the campaign").click()
        self.page.check("input[name=sure]")
        self.press("Withdraw")
        assert self.sees("This team has withdrawn")


class Posting:
    """A team that does the same over HTTP, without a window."""

    def __init__(self, served: Served, organiser: Client, name: str, account: str) -> None:
        self.client = team(served, organiser, account, name)
        self.client.get("/campaign/team")
        assert self.client.form("/campaign/team/consent", consent=TEAMS[name][2]).status == 302

    def send(self, path: Path, dataset: str, table: Path | None) -> None:
        self.client.get("/campaign/team")
        tables = {"table": (table.name, table.read_bytes())} if table else {}
        answer = send_messages(
            self.client, f"/campaign/submit/{dataset}", path.name, path.read_bytes(), tables, run="run"
        )
        assert answer.status == 302, answer.text
        self.last = answer.headers["Location"].rpartition("/")[2]

    def stand(self) -> None:
        assert self.client.form("/campaign/team/validate").status == 302

    def leave(self) -> None:
        assert self.client.form("/campaign/team/withdraw", reason="a bug of ours").status == 302


def sends(
    someone: Clicking | Posting, room: Path, home: Path, name: str, dataset: str, sentences: int, surface: str
) -> None:
    """The run of a team goes in."""
    system = TEAMS[name][0]
    path = room / f"{system}.tsv"
    path.write_bytes(response(home, system, sentences, surface))
    someone.send(path, dataset, home / "table_ftb2grace.tsv" if "ftb" in system else None)


def test_grace_from_the_call_to_the_archive(browser: Any, served_site: Served, home: Path, tmp_path: Path) -> None:
    chair = accept_invitation(served_site, served_site.printed, "Josette")
    organiser = Person(browser, served_site.address, chair)
    organiser.go("/campaign/")
    speaker = Clicking(browser, served_site.address)
    speaker.join(organiser, SPEAKS, "person 0")
    teams: dict[str, Clicking | Posting] = {SPEAKS: speaker}
    for number, name in enumerate(name for name in TEAMS if name != SPEAKS):
        if FULL:
            teams[name] = somebody = Clicking(browser, served_site.address)
            somebody.join(organiser, name, f"person {number + 1}")
        else:
            teams[name] = Posting(served_site, chair, name, f"person {number + 1}")
    next_phase(organiser, "dry run")
    for name, (_, condition, _) in TEAMS.items():
        if condition == "words" and (FULL or name in (SPEAKS, "Laboratoire CRF")):
            sends(teams[name], tmp_path, home, name, "essais", 20, "")
    assert speaker.sees("Scores")
    next_phase(organiser, "dry adjudication")
    next_phase(organiser, "test")
    surface = (served_site.site / "keys/gold_surface.tsv").read_text("utf-8")
    for name, (_, condition, _) in reversed(TEAMS.items()):
        dataset, text = ("tests", "") if condition == "words" else ("tests-surface", surface)
        sends(teams[name], tmp_path, home, name, dataset, SENTENCES, text)
    assert not speaker.sees("Scores"), "the test tells only that a run is valid"
    speaker.looks_right("submission")
    speaker.click("Your team")
    speaker.looks_right("team")
    teams[LEAVES].leave()
    wait_for_scores(organiser)
    next_phase(organiser, "test adjudication")
    disputes(organiser, speaker)
    next_phase(organiser, "publication")
    visitor = Person(browser, served_site.address)
    publish_pages(visitor)
    for name in (SPEAKS, "Laboratoire CRF", "Spacy Frères"):
        teams[name].stand()
    next_phase(organiser, "archive")
    visitor.go("/campaign/results/tests")
    visitor.waits_for("Laboratoire CRF / run")
    assert not visitor.sees(SECRET) and not visitor.sees("Ambigus")
    visitor.looks_right("named")
    for person in (organiser, visitor, *(item for item in teams.values() if isinstance(item, Person))):
        person.is_clean()
    visitor.click("Archive")
    visitor.waits_for("left to make")  # test_visibility fetches one that is made, and verifies it
    if FULL:  # tests/campaign/test_grace.py verifies the archive of this very campaign each time
        write_archive(Campaign(served_site.site), tmp_path / "archive")
        assert verify_folder(tmp_path / "archive").problems == []
        for path in (tmp_path / "archive").rglob("*"):
            assert not path.is_file() or SECRET.encode() not in path.read_bytes()


def wait_for_scores(organiser: Person) -> None:
    """Wait until the worker has scored whatever waits, on the page that shows it."""
    organiser.click("Manage")
    organiser.page.wait_for_function("() => document.querySelector('#progress')?.innerText.includes(' wait') === false")


def disputes(organiser: Person, speaker: Person) -> None:
    """One claim is accepted and one refused; the key gets a new version, and every run is scored again."""
    speaker.click("Campaign")
    speaker.click("Results: tests")
    speaker.waits_for("Perceptron Oy / run")
    speaker.looks_right("board")
    for word, tags, why in (("signifie", "Vmip1s-", "first person"), ("consommation", "Ncms", "masculine")):
        speaker.click("Disputes")
        speaker.click("The key of tests")
        speaker.page.fill("input[name=find]", word)
        speaker.press("Show")
        speaker.click(f"dispute {word}")
        speaker.page.fill("input[name=value]", tags)
        speaker.page.fill("textarea[name=argument]", why)
        if word == "signifie":
            speaker.looks_right("key")
        speaker.press("Claim")
        assert speaker.sees(why) and speaker.sees(f"becomes {tags}")
    speaker.looks_right("disputes")
    organiser.click("Disputes")
    organiser.click("Compute what each acceptance would do")
    organiser.waits_for("→")
    organiser.looks_right("effects")
    for why, button in (("first person", "Accept"), ("masculine", "Refuse")):
        article = organiser.page.locator("article").filter(has_text=why)
        article.locator("input[name=reason]").fill(f"about {why}")
        with organiser.page.expect_navigation():
            article.get_by_role("button", name=button).click()
    organiser.press("Make a new key of tests")
    wait_for_scores(organiser)
    organiser.looks_right("manage")


def publish_pages(visitor: Person) -> None:
    """What everybody sees: numbers under pseudonyms, the versions of the key, who took part."""
    visitor.go("/campaign/")
    visitor.looks_right("home")
    visitor.click("Results: tests")
    visitor.waits_for("Key version 2")
    visitor.page.get_by_text("Before and after").click()
    assert visitor.sees("version 1")
    assert not any(visitor.sees(name) for name in TEAMS)
    visitor.click("Participants")
    assert visitor.sees(LEAVES) and not visitor.sees(SECRET)
    visitor.looks_right("participants")
    visitor.click("Changes")
    assert visitor.sees("about first person") and not visitor.sees("masculine")
    assert visitor.page.locator("time").first.get_attribute("title"), "times are the reader's own"
