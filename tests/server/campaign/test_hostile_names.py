"""Names, labels, words, files and arguments that are markup, as long as they may be: no page runs them or gives way."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import WAIT, send_messages
from tests.server.serving import (
    Client,
    Served,
    accept_invitation,
    adjudication,
    event,
    invite_person,
    layers_of,
    serving,
)

MARKUP = "<img src=x onerror=ran()><script>ran()</script>"
LONG = "W" * 3_000
LABEL = "L" * 80
KEY = f"<img/src=x/onerror=ran()>\tB-{LABEL}\n{LONG}\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n".encode()
WIDTHS = (390, 1400)


class Visited(NamedTuple):
    """Somebody, and the pages where they read what others wrote."""

    client: Client
    pages: list[str]


@pytest.fixture(scope="module")
def served_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("names") / "campaign"
    create_campaign(folder, "demo", "entities")
    (folder / "keys/try.conll").write_bytes(KEY)
    plan = folder / "campaign.toml"
    plan.write_text(plan.read_text("utf-8").replace('title = "demo"', f"title = '{MARKUP}{LONG[:150]}'"), "utf-8")
    with serving(folder, "--accounts") as item:
        yield item


@pytest.fixture(scope="module")
def people(served_site: Served) -> list[Visited]:
    """An organiser, an annotator and a participant, who call everything by such names."""
    organiser = accept_invitation(served_site, served_site.printed, f"O{MARKUP}"[:80])
    annotator = accept_invitation(served_site, invite_person(organiser, "annotator"), f"A{MARKUP}{LONG}"[:80])
    team = accept_invitation(served_site, invite_person(organiser, "participant"), f"P{LONG}"[:80])
    runs = _campaign(organiser, team)
    layer, key = _workbench(organiser, annotator)
    shared = ["/campaign/", "/campaign/disputes", "/campaign/key/try", "/campaign/results/try", *runs]
    about = (
        "people",
        "campaign/manage",
        "campaign/submissions",
        "campaign/notices",
        "campaign/annotate",
        "statistics/",
    )
    return [
        Visited(
            organiser, [*shared, *(f"/{item}" for item in about), _text_page(organiser), key, f"/layer/{key[12:]}"]
        ),
        Visited(team, [*shared, "/campaign/team", "/account"]),
        Visited(annotator, ["/", f"/layer/{layer}/", f"/layer/{layer}/export?losses", f"/layer/{layer}/passages"]),
    ]


def _campaign(organiser: Client, team: Client) -> list[str]:
    """A team, a run that is taken and one that is refused, and a dispute; the pages of the runs."""
    team.get("/campaign/")
    assert team.form("/campaign/register", name=f"{MARKUP}{LONG}"[:200], country=MARKUP).status == 302
    assert team.get("/campaign/team").status == 200
    assert team.form("/campaign/team/licence").status == 302
    assert organiser.get("/campaign/manage").status == 200
    for phase in ("training", "dry run"):
        assert organiser.form("/campaign/manage/phase", phase=phase).status == 302
    file = f"{MARKUP}{LONG[:150]}.conll".replace("/", "")
    answers = [
        send_messages(team, "/campaign/submit/try", file, data, run=run)
        for run, data in (("W" * 60, KEY), ("x", KEY[:40]))
    ]
    runs = [answer.headers["Location"] for answer in answers]
    for run in runs:
        for _ in range(WAIT * 10):
            if team.get(f"/api{run}").json["state"] != "received":
                break
            time.sleep(0.1)
    assert organiser.form("/campaign/manage/phase", phase="dry adjudication").status == 302
    claim = {"dataset": "try", "document": "try", "claim": "reference", "place": f"0 1 {LABEL}", "value": "0 1 ORG"}
    assert team.form("/campaign/claim", **claim, argument=f"{MARKUP}{LONG}").status == 302
    assert organiser.get("/campaign/results/try").status == 200
    return runs


def _workbench(organiser: Client, annotator: Client) -> tuple[str, str]:
    """A layer with such a chain in it, and the page of a key."""
    coref = f'<DOC><DOCID>d</DOCID><TEXT>&lt;script&gt; <COREF ID="1">{LONG}</COREF></TEXT></DOC>'
    assert organiser.upload((f"f{MARKUP}{LONG[:150]}.sgm".replace("/", ""), coref.encode())).status == 302
    page = _text_page(annotator)
    assert annotator.form(f"{page}layers", name=f"{MARKUP}{LONG}"[:120]).status == 302
    [layer] = re.findall(r'href="/layer/([\w-]+)/"', annotator.get(page).text)
    chain = {"name": MARKUP + LONG, "notes": MARKUP + LONG, "features": {"gender": MARKUP}}
    mark = event(["chains", "c1", chain], ["mentions", "m1", {"parts": [[0, 5]], "chain": "c1"}])
    assert annotator.post(f"/api/layer/{layer}/events", {"base": 0, "events": [mark]}).status == 200
    assert annotator.post(f"/api/layer/{layer}/done", {"done": True}).status == 200
    [name] = re.findall(rf'href="{page}"><bdi>(.*?)</bdi>', organiser.get("/").text)
    return layer, adjudication(organiser, name, *layers_of(organiser, name).values())


def _text_page(client: Client) -> str:
    return re.findall(r'href="(/text/[\w-]+/)"', client.get("/").text)[0]


@pytest.mark.parametrize("place", range(3))
def test_nothing_runs_and_no_page_is_too_wide(
    browser: Any, served_site: Served, people: list[Visited], place: int
) -> None:
    client, addresses = people[place]
    ran: list[str] = []
    context = browser.new_context()
    context.add_cookies([{"name": item.name, "value": item.value, "url": served_site.address} for item in client.jar])
    context.expose_function("ran", lambda: ran.append("a script of a name"))
    page = context.new_page()
    page.on("pageerror", lambda error: ran.append(str(error)))
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    for address in addresses:
        assert page.goto(served_site.address + address).status == 200, address
        if address.startswith(("/layer/", "/adjudicate/")):  # filled by modules
            page.wait_for_load_state("networkidle")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} at {width}"
        assert page.locator("main img[src=x], main script").count() == 0, address
    context.close()
    assert ran == []
