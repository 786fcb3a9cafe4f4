"""The guide of the workbench, step by step as it stands in the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.server.serving import Client, Served
from tests.web.benches import ROOT, Bench, visit_page

GUIDE = (ROOT / "docs" / "guides" / "annotate.md").read_text("utf-8")
NAMES = {"←": "ArrowLeft", "→": "ArrowRight", "Esc": "Escape"}


def steps() -> list[list[str]]:
    """The keys of each step of the guide."""
    blocks = re.findall(r"```keys\n(.*?)\n```", GUIDE, re.DOTALL)
    return [[_name(key) for key in block.split()] for block in blocks]


def _name(key: str) -> str:
    return "+".join(NAMES.get(part, part) for part in key.split("+"))


def test_from_nothing_to_a_scored_key(browser: Any, workbench_site: Served, me: Client) -> None:
    keys = [key for step in steps() for key in step]
    assert f"22 mentions with {len(keys)} keys" in GUIDE
    with visit_page(browser, workbench_site, me, "/", ready="h1") as bench:
        bench.page.get_by_role("link", name="museum").click()
        new = bench.page.locator("form[action$=layers]")
        new.get_by_label("Name").fill("of the guide")
        new.get_by_role("button", name="Begin").click()
        bench.page.wait_for_selector("body[data-ready=workbench]")
        bench.press(*keys)
        bench.saved()
        assert len(bench.marks()) == 22
        check_scores(bench)
        bench.clean()


def check_scores(bench: Bench) -> None:
    """The scores against the key that came with the text, which follow a change."""
    against = bench.page.get_by_label("against")
    against.select_option(value=against.locator("option", has_text="key.conll").get_attribute("value"))
    bench.page.wait_for_selector(".scores")
    assert "conll f1 100.00" in " ".join(bench.text(".scores").split())
    bench.page.locator(".sheet").focus()
    bench.press("k", "1")
    bench.becomes(".scores tr:has-text('conll'):has-text('f1 100.00')", 0)
    bench.press("u")
    bench.becomes(".scores tr:has-text('conll'):has-text('f1 100.00')", 1)


def test_every_key_of_the_guide_is_one_of_the_page() -> None:
    """The table of keys says nothing that the page does not know."""
    editor = Path(ROOT / "src" / "aune" / "web" / "workbench" / "editor.js").read_text("utf-8")
    known = {key for listed in re.findall(r"keys: \[(.*?)\]", editor) for key in re.findall(r'"([^"]+)"', listed)}
    table = GUIDE.partition("## Keys")[2].partition("The mouse")[0]
    names = {
        "↓": "ArrowDown",
        "↑": "ArrowUp",
        "→": "ArrowRight",
        "←": "ArrowLeft",
        "Ctrl+Z": "Ctrl+z",
        "Ctrl+Y": "Ctrl+y",
    }
    fields = {
        names.get(key, key)
        for row in table.splitlines()
        for key in re.findall(r"`([^`]+)`", row.split("|")[1] if "|" in row else "")
    }
    assert fields - known <= {"1", "9", "Shift", "Alt"}
