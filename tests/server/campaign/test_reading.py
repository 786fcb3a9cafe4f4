"""Pages of a campaign as people read them on a phone: words stay whole, numbers are in sight, nothing typed is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Hosted, fill_campaign
from tests.server.campaign.test_browser import Person
from tests.server.serving import PASSPHRASE, Client, serving

PHONE = {"width": 390, "height": 800}
KEY = b"Ben\tB-PER\nleft\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n"
BROKEN_WORDS = """() => {
  const broken = [];
  for (const element of document.querySelectorAll("h1, h2, .brand, .who, nav a, button, summary, th.id, code, time")) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.data.matchAll(/[^\\s-]{1,20}/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const tops = [...range.getClientRects()].filter((one) => one.width).map((one) => Math.round(one.top));
        if (new Set(tops).size > 1 && !element.closest("dd, p")) broken.push(`${element.tagName} ${word[0]}`);
      }
    }
  }
  return broken;
}"""
"""Words that stand on more than one line; a digest in a sentence may."""


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A campaign of entities in the adjudication of its dry run, with a run of each team."""
    folder = tmp_path_factory.mktemp("reading") / "campaign"
    create_campaign(folder, "demo", "entities")
    plan = folder / "campaign.toml"
    title = 'title = "Emerging entities, first edition"'
    plan.write_text(plan.read_text("utf-8").replace('title = "demo"', title), "utf-8")
    with serving(folder, "--accounts") as served:
        result = fill_campaign(served, folder)
        for phase in ("training", "dry run"):
            result.phase(phase)
        result.sent["one"] = result.submit(result.one, "try", KEY, "run.conll")
        result.sent["two"] = result.submit(result.two, "try", KEY.replace(b"B-PER", b"O"), "run.conll")
        result.phase("dry adjudication")
        result.board(result.one, "try")
        yield result


def somebody(browser: Any, hosted: Hosted, client: Client | None) -> Person:
    person = Person(browser, hosted.served.address, client)
    person.page.set_viewport_size(PHONE)
    return person


PAGES = {
    "organiser": (
        "/", "/people", "/account", "/campaign/", "/campaign/manage", "/campaign/submissions", "/campaign/keys",
        "/campaign/disputes", "/campaign/notices", "/campaign/annotate", "/campaign/results/try", "/campaign/key/try",
        "/campaign/changes", "/nothing",
    ),
    "one": (
        "/account", "/campaign/", "/campaign/team", "/campaign/notices", "/campaign/disputes", "/campaign/results/try",
        "/campaign/key/try", "/campaign/submission/{one}",
    ),
    "visitor": ("/sign-in", "/campaign/", "/nothing"),
}  # fmt: skip


@pytest.mark.parametrize("who", PAGES)
def test_words_stay_whole(browser: Any, hosted_campaign: Hosted, who: str) -> None:
    person = somebody(browser, hosted_campaign, getattr(hosted_campaign, who))
    for path in PAGES[who]:
        person.go(path.format(**hosted_campaign.sent))
        assert person.page.evaluate(BROKEN_WORDS) == [], path
        assert person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_scores_are_in_sight(browser: Any, hosted_campaign: Hosted) -> None:
    """The one that ranks is marked, and one need not push the table aside to see it."""
    person = somebody(browser, hosted_campaign, hosted_campaign.one)
    person.go(f"/campaign/submission/{hosted_campaign.sent['one']}")
    ranks = person.page.locator("tr.best")
    assert "ranks" in ranks.inner_text() and "1.0000" in ranks.inner_text()
    right = [item.bounding_box() for item in person.page.locator("td.number").all()]
    assert right and all(box["x"] + box["width"] <= PHONE["width"] for box in right)
    person.go("/campaign/results/try")
    assert person.page.locator("tr[aria-current]").count() == 1, "one's own run stands out"


def test_what_was_typed_is_not_lost(browser: Any, hosted_campaign: Hosted) -> None:
    """A claim that is refused is told beside what was typed; mended, it is taken, once however often one clicks."""
    person = somebody(browser, hosted_campaign, hosted_campaign.one)
    person.go("/campaign/key/try")
    person.page.get_by_role("link", name="dispute New York").click()
    assert "left" in person.page.locator(".quoted").inner_text(), "what stands around it"
    person.page.fill("input[name=value]", "nonsense")
    person.page.fill("textarea[name=argument]", "it is a company")
    person.page.get_by_role("button", name="Claim").click()
    person.waits_for("found 'nonsense', expected such as")
    assert person.page.input_value("textarea[name=argument]") == "it is a company"
    person.page.fill("input[name=value]", "2 4 ORG")
    person.page.get_by_role("button", name="Claim").dblclick()
    person.waits_for("Not decided yet")
    assert len(hosted_campaign.campaign.state.disputes) == 1


def test_whoever_signs_in_begins_with_the_campaign(hosted_campaign: Hosted) -> None:
    for name in ("Olga", "Ann", "Carmen"):
        client = hosted_campaign.served.stranger()
        client.get("/sign-in")
        assert client.form("/sign-in", name=name, passphrase=PASSPHRASE).headers["Location"] == "/campaign/"
