"""A pasted text is annotated with a screen reader's help, and found again by a search."""

from __future__ import annotations

from typing import Any

from tests.server.serving import Client, Served
from tests.web.benches import Bench, layer_of, visit_page
from tests.web.test_projects import looks

PASTED = "Ann met  Ben.\n\nElise 👩‍👩‍👧‍👦 liked her.\n"


def announced_place(bench: Bench) -> str:
    bench.drawn()
    return str(bench.page.locator("[aria-label='where you are']").text_content())


def test_pasted_announced_and_found(browser: Any, workbench_site: Served, me: Client) -> None:
    with visit_page(browser, workbench_site, me, "/", ready="main") as bench:
        page = bench.page
        page.get_by_text("Paste a text").click()
        page.get_by_label("Name of the text").fill("from a letter")
        page.locator("textarea[name=pasted]").fill(PASTED)
        page.get_by_role("button", name="Open the text").click()
        page.wait_for_url("**/text/*/")
        assert page.inner_text("h1") == "from a letter"
        address = layer_of(me, "from a letter", "mine")
        assert me.get(f"/api{address}").json["text"]["characters"] == PASTED
        page.goto(workbench_site.address + address)
        page.wait_for_selector("body[data-ready]")
        bench.press("ArrowRight")
        assert announced_place(bench) == "selected: Ann"
        bench.press("n", "f", "E", "n", "f", "h", "1")
        bench.press("k")
        assert announced_place(bench) == "Elise; mention 2 of 3; chain 2: Elise, 2 mentions"
        bench.press("j")
        assert announced_place(bench).startswith("her; mention 3 of 3; chain ")
        names = page.get_by_role("group", name="chain 1")
        assert names.first.inner_text() == "Ann"
        bench.saved()
        assert bench.violations() == []
        projects = [me.get(f"/api/project/{row['id']}/").json for row in me.get("/api/projects").json["projects"]]
        [project] = [row["project"] for row in projects if "from a letter" in {text["name"] for text in row["texts"]}]
        page.goto(f"{workbench_site.address}/project/{project['id']}/search")
        page.get_by_label("Search for").fill("liked  HER")
        page.get_by_role("button", name="Search").click()
        assert bench.text("mark") == "liked her"
        page.get_by_label("Search for").fill("elise")
        page.locator("select[name=in]").select_option("chains")
        page.get_by_role("button", name="Search").click()
        page.wait_for_selector("mark:text-is('Elise')")
        looks(bench, "search")
        page.get_by_role("link", name="from a letter").click()
        page.wait_for_selector("body[data-ready]")
        assert announced_place(bench).startswith("Elise; mention 2 of 3")
        bench.clean()
