"""Every page of the workbench, narrow and wide, light and dark: no barrier of level A or AA, nothing too wide."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import Any

import pytest

from tests.browsing import LEVELS, Visit
from tests.server.serving import Client, Served, adjudication, layers_of, text_of
from tests.web.benches import Bench, layer_of, upload_file, visit_page

FULL = bool(os.environ.get("AUNE_FULL"))
COREF = b"""<DOC><DOCID>pages</DOCID><TXT><s><COREF ID="1" MIN="Ann">Ann Lee</COREF> met \
<COREF ID="2">Ben</COREF>.</s> <s><COREF ID="3" TYPE="IDENT" REF="1">She</COREF> liked \
<COREF ID="4" TYPE="IDENT" REF="2">him</COREF>.</s></TXT></DOC>
"""


@pytest.fixture(scope="module")
def addresses(me: Client) -> dict[str, str]:
    """The pages by their names."""
    upload_file(me, "pages.sgm", COREF)
    text = text_of(me, "pages")
    layer_of(me, "pages", "bare")
    key, bare = (layers_of(me, "pages")[name] for name in ("pages.sgm", "bare"))
    assert me.upload(("people.txt", b"Ann Lee left Lyon for Nice.\n"), task="entities", typology="quaero").status == 302
    return {
        "home": "/",
        "text": text,
        "annotate": f"/layer/{key}/",
        "entities": layer_of(me, "people", "mine"),
        "export": f"/layer/{key}/export?losses=1&format=conll2012",
        "passages": f"/layer/{key}/passages",
        "statistics": "/statistics/",
        "resolve": f"/resolve/{key}/",
        "compare": f"/compare/{key}/{bare}/",
        "adjudicate": adjudication(me, "pages", key, bare),
        "skeleton": "/skeleton/",
        "nowhere": "/text/nowhere/",
    }


def annotating(bench: Bench) -> None:
    """Everything that the panel can show is open."""
    bench.press("j")
    bench.page.locator(".chains .choice").first.click()
    for summary in bench.page.locator(".bench-panel summary").all():
        summary.click()
    bench.page.get_by_label("against").select_option(index=1)
    bench.page.wait_for_selector(".scores")


def show_help(bench: Bench) -> None:
    bench.page.get_by_role("button", name="keys").click()
    assert bench.page.locator("dialog[open] kbd").count() > 20


def type_component(bench: Bench) -> None:
    """A component outside of any entity: rules are broken, and listed."""
    bench.press("ArrowRight", "/", *"name.first", "Enter")
    bench.page.wait_for_selector(".bench-panel .warning")
    bench.page.locator("[aria-label=rules] summary").click()


def agreeing(bench: Bench) -> None:
    for box in bench.page.locator("form[action$=agreement] input[type=checkbox]").all():
        box.check()
    bench.page.get_by_role("button", name="Show agreement").click()
    bench.page.wait_for_selector("#agreement table")


def step_right(bench: Bench) -> None:
    bench.page.locator(".sheet").focus()
    bench.press("ArrowRight", "ArrowRight", "ArrowRight")


def open_menus(bench: Bench) -> None:
    bench.page.locator(".classes .class").first.click()
    for summary in bench.page.locator("main summary").all():
        summary.click()


WORK: dict[str, list[Callable[[Bench], None]]] = {
    "text": [agreeing],
    "annotate": [annotating, show_help],
    "entities": [type_component],
    "resolve": [step_right],
    "compare": [open_menus],
}


def test_every_page(browser: Any, workbench_site: Served, me: Client, addresses: dict[str, str]) -> None:
    turns = count()
    with visit_page(browser, workbench_site, me, "/", ready="main") as bench:
        for name, address in addresses.items():
            bench.page.goto(workbench_site.address + address)
            bench.page.wait_for_load_state("load")
            if bench.count("[data-api]"):
                bench.page.wait_for_selector("body[data-ready]")
            for number, work in enumerate(WORK.get(name, [lambda _: None])):
                work(bench)
                looked_at(bench, f"{name}{number or ''}", next(turns))
            if name == "nowhere":
                bench.complaints.clear()  # the browser tells that the answer was 404
            assert bench.complaints == [], name
        bench.clean()


def test_a_barrier_is_found(browser: Any) -> None:
    """Whatever else of its findings is left out."""
    with closing(browser.new_page()) as page:
        page.set_content("<html lang=en><title>a</title><main><h1>a</h1><img src=a.png>")
        [violation] = Visit(page).violations()
    assert violation.startswith("image-alt: <img")


def looked_at(bench: Bench, name: str, turn: int) -> None:
    """Wide and narrow, in both schemes; what does not depend on colours is asked once.

    Barriers are looked for in turn in the wide and in the narrow page, and in both when there is time.
    """
    ids = bench.page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids)), (name, sorted(ids))
    for place, width in enumerate((1400, 390)):
        bench.page.set_viewport_size({"width": width, "height": 900})
        for rules in (LEVELS, ["color-contrast"]):
            scheme = bench.page.evaluate("document.documentElement.dataset.theme")
            if FULL or turn % 2 == place:
                assert bench.violations(rules) == [], (name, width, scheme)
            bench.keep(f"{name}-{width}-{scheme}")
            bench.page.evaluate("document.getElementById('theme').click()")
        assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
    bench.page.set_viewport_size({"width": 1400, "height": 900})
