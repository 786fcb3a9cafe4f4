"""The page on which people annotate, in a real browser on a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from benchmarks.retyping import Mention, Pointer, Typist, beginning, describe_keys, mentions_of
from tests.server.serving import Client, Served, event
from tests.web.benches import README, ROOT, Bench, export_layer, layer_of, open_window, upload_file, visit_page

ROUND = Path("tests/tasks/coref/formats/samples/muc-two.sgm")
SMALL = "Ann met Ben. She 😀 liked him, and the cafe\u0301 liked her.\n"


@pytest.fixture
def small(browser: Any, workbench_site: Served, me: Client, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An empty layer of a small text."""
    name = request.node.name.replace("[", "-").replace("]", "")
    upload_file(me, f"{name}.txt", f"{SMALL}({name})\n".encode())  # the same text twice would be one
    with visit_page(browser, workbench_site, me, layer_of(me, name, "mine")) as bench:
        yield bench
        bench.clean()


def words(bench: Bench) -> list[str]:
    return [mark for mark, _ in bench.marks()]


def test_two_pages_of_a_novel_by_keyboard_alone(
    browser: Any, workbench_site: Served, me: Client, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first 600 words of LitBank, with nested mentions: every key is pressed, and the keys are counted."""
    pages = beginning(data / "coref" / "litbank" / "key.conll.gz", 600)
    upload_file(me, "pages.conll", pages.encode())
    name = re.search(r"#begin document \((.*?)\)", pages)
    assert name
    layer = layer_of(me, name[1], "by keys")
    words, mentions = mentions_of(pages)[0]
    with visit_page(browser, workbench_site, me, layer) as bench:
        typist = Typist(bench.page)
        marking, grouping = typist.marks(mentions), typist.groups(mentions)
        bench.saved()
        assert len(bench.marks()) == len(mentions)
        bench.clean()
    with capsys.disabled():
        print(f"\nlitbank on the page, {describe_keys(marking, grouping)}")
    assert median(marking) <= 4
    assert sum(grouping) / len(grouping) <= 1.1
    same, again = mentions_of(export_layer(me, layer, "conll2012").decode())[0]
    assert same == words
    assert partition(again) == partition(mentions)


def test_a_text_with_the_mouse_alone(browser: Any, workbench_site: Served, me: Client) -> None:
    """From nothing to the key: what is exported has the chains of the key."""
    _, mentions = mentions_of((ROOT / README).read_text("utf-8"))[0]
    layer = layer_of(me, "museum", "by mouse")
    with visit_page(browser, workbench_site, me, layer) as bench:
        Pointer(bench.page).annotates(mentions)
        bench.saved()
        bench.clean()
    assert partition(mentions_of(export_layer(me, layer, "conll2012").decode())[0][1]) == partition(mentions)


def partition(mentions: list[Mention]) -> set[frozenset[tuple[int, int]]]:
    chains: dict[int, set[tuple[int, int]]] = {}
    for first, last, chain in mentions:
        chains.setdefault(chain, set()).add((first, last))
    return set(map(frozenset, chains.values()))


def test_import_edit_undo_all_export(browser: Any, workbench_site: Served, me: Client) -> None:
    """Undone to the beginning across two visits, the file is what it was, byte for byte."""
    original = ROUND.read_bytes()
    upload_file(me, "round.sgm", original)
    listed = re.search(r'round\.sgm.*?"(/text/[\w-]+/)"', me.get("/?name=round.sgm").text, re.DOTALL)
    assert listed
    match = re.search(r'href="(/layer/[\w-]+/)"', me.get(listed[1]).text)
    assert match
    layer = match[1]
    with visit_page(browser, workbench_site, me, layer) as bench:
        bench.press("j", "d", "j", "n", "k", "Delete", "ArrowRight", "n")
        bench.saved()
        assert export_layer(me, layer) != original
        bench.page.reload()
        bench.page.wait_for_selector("body[data-ready]")
        while bench.page.locator('button[aria-label="undo"]:not([disabled])').count():
            bench.press("Control+z")
        bench.saved()
        assert export_layer(me, layer) == original
        bench.press("Control+y", "U")
        bench.saved()
        bench.clean()
    assert export_layer(me, layer) != original


def test_marking_with_the_mouse(small: Bench) -> None:
    """Select words and take what the menu offers; a click is on a mention; its ends can be dragged."""
    page = small.page
    small.page.locator(".text").first.dblclick(position={"x": 8, "y": 20})
    page.get_by_role("button", name="new chain").first.click()
    small.saved()
    assert small.marks() == [("Ann", "1")]
    drag(small, "She", "liked")
    page.locator(".popover").get_by_role("button", name="1 Ann").click()
    assert words(small) == ["Ann", "She 😀 liked"]
    page.locator(".m", has_text="She").click()
    box = page.locator(".grip").last.bounding_box()
    target = box_of(small, "She")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] - 2, target["y"] + 12, steps=4)
    page.mouse.up()
    small.drawn()
    assert words(small) == ["Ann", "She"]
    page.locator(".m", has_text="She").click()
    page.locator(".choices").get_by_role("button", name="new chain").click()
    small.drawn()
    assert small.marks() == [("Ann", "1"), ("She", "2")]


def box_of(bench: Bench, word: str) -> dict[str, float]:
    result: dict[str, float] = bench.page.evaluate(
        """word => {
            const walker = document.createTreeWalker(document.querySelector('.sheet'), NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const { x, y, width, height } = range.getBoundingClientRect();
                return { x, y, width, height };
            }
        }""",
        word,
    )
    return result


def drag(bench: Bench, first: str, last: str) -> None:
    """Select from one word to another with the mouse."""
    start, end = box_of(bench, first), box_of(bench, last)
    mouse = bench.page.mouse
    mouse.move(start["x"] + 1, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + end["width"] - 1, end["y"] + end["height"] / 2, steps=5)
    mouse.up()
    bench.page.wait_for_selector(".popover:not([hidden])")


def test_chains_with_the_mouse(small: Bench) -> None:
    """Merge by ticking and by dragging, split, name, relate, show only some."""
    page = small.page
    small.press("ArrowRight", "n", "f", "b", "n", "f", "s", "n", "f", "h", "n")
    assert small.marks() == [("Ann", "1"), ("Ben", "2"), ("She", "3"), ("him", "4")]
    page.get_by_label("pick chain 1").check()
    page.get_by_label("pick chain 3").check()
    page.get_by_role("button", name="merge 2 chains").click()
    small.drawn()
    assert small.marks() == [("Ann", "1"), ("Ben", "2"), ("She", "1"), ("him", "4")]
    page.locator('.chain-row:has-text("him")').drag_to(page.locator('.chain-row:has-text("Ben")'))
    small.drawn()
    assert small.marks() == [("Ann", "1"), ("Ben", "2"), ("She", "1"), ("him", "2")]
    page.locator(".chains").get_by_role("button", name="2 Ben").click()
    page.get_by_label("name", exact=True).fill("the guest")
    page.get_by_label("notes").fill("who came")
    page.get_by_label("notes").press("Tab")
    page.get_by_label("pick him").check()
    page.get_by_role("button", name="split 1 mention off").click()
    small.drawn()
    assert small.marks() == [("Ann", "1"), ("Ben", "2"), ("She", "1"), ("him", "5")]
    page.get_by_text("relations").click()
    page.get_by_label("pick chain 1").check()
    assert page.get_by_label("related chains, by number").input_value() == "1"
    page.get_by_label("pick chain 1").uncheck()
    page.get_by_label("related chains, by number").fill("1, 5")
    page.get_by_role("button", name="relate", exact=True).click()
    small.drawn()
    assert "part of 1 Ann, 5 him" in " ".join(small.text("[aria-label=chain]").split())
    page.get_by_label("pick chain 2").check()
    page.get_by_role("button", name="show only this").click()
    assert small.count(".m.off") == 3
    small.saved()


def test_features_and_extents(small: Bench) -> None:
    """Letters inside words, parts, zeros, kinds: all by keys."""
    small.press("f", "c", "Alt+Shift+ArrowLeft")
    assert small.selected() == "caf"  # the accent goes with its letter
    small.press("n", "f", "l", "+", "Shift+ArrowRight")
    small.press("k", "f", "l", "z")
    small.press("Escape", "k", "Enter")
    small.page.locator("select").first.select_option("name")
    small.saved()
    state = small.page.evaluate("fetch(document.querySelector('main').dataset.api).then((one) => one.json())")["state"]
    mentions = [(mention["parts"], mention["features"]) for mention in state["mentions"].values()]
    place = SMALL.index("cafe")
    assert ([[place, place + 3]], {"kind": "name"}) in mentions
    assert any(start == end for parts, _ in mentions for start, end in parts)


def test_picked_split_merged_linked(small: Bench) -> None:
    small.press("ArrowRight", "n", "f", "b", "1", "f", "s", "1")
    assert small.marks() == [("Ann", "1"), ("Ben", "1"), ("She", "1")]
    small.press("k", "v", "s")
    assert small.marks() == [("Ann", "1"), ("Ben", "2"), ("She", "1")]
    small.press("v", "j", "g")
    assert small.marks() == [("Ann", "1"), ("Ben", "1"), ("She", "1")]
    small.press("y", "l")
    assert small.marks() == [("Ann", "1"), ("Ben", "↩\u00a01"), ("She", "3")]
    small.press("b", "k", "k", "Enter")
    assert small.marks() == [("Ann", "1"), ("Ben", "↩\u00a01"), ("She", "↩\u00a02")]
    assert small.count(".arcs path") == 2
    small.press("l", "u", "u", "u", "u")
    assert small.marks() == [("Ann", "1"), ("Ben", "1"), ("She", "1")]
    small.saved()


def test_keys_beside_the_text(small: Bench) -> None:
    """After a click on a chain, a box or the bar one goes on with keys; fields keep their letters; done is done."""
    page = small.page
    small.press("ArrowRight", "n", "f", "b", "n")
    page.locator(".chains").get_by_role("button", name="1 Ann").click()
    small.press("k")
    assert small.text(".quoted") == "Ann"
    page.get_by_label("pick chain 2").check()
    small.press("j")
    assert small.text(".quoted") == "Ben"
    page.locator("h1").click()
    small.press("k")
    assert small.text(".quoted") == "Ann"
    page.get_by_role("button", name="light or dark").click()
    small.press("j", "k")
    assert small.text(".quoted") == "Ann"
    page.get_by_role("button", name="keys").click()
    small.press("Escape", "j")
    assert small.text(".quoted") == "Ben"
    page.get_by_label("name", exact=True).press("x")
    assert page.get_by_label("name", exact=True).input_value() == "x"
    page.get_by_label("name", exact=True).press("Enter")
    small.press("d")
    small.saved()
    layer = page.url
    page.get_by_role("button", name="done", exact=True).click()
    assert "1 mention in no chain" in small.text("dialog[open]")
    page.get_by_role("button", name="go on annotating").click()
    small.press("j")
    page.get_by_role("button", name="done", exact=True).click()
    page.get_by_role("button", name="done all the same").click()
    page.wait_for_url("**/text/**")
    page.goto(layer)
    page.wait_for_selector("body[data-ready]")
    small.press("j", "x")
    assert "read only" in small.text("#toast")
    assert words(small) == ["Ann", "Ben"]


def test_nothing_is_promised_that_the_browser_cannot_keep(small: Bench) -> None:
    """A storage that is full: the page says to leave it open, and sends what waits when the network is back."""
    small.page.evaluate(
        """() => { for (let size = 2 ** 22; size >= 1; size /= 2)
            try { for (let n = 0; ; n += 1) localStorage.setItem(`${size} ${n}`, "x".repeat(size)); } catch {} }"""
    )
    small.page.route("**/events", lambda route: route.abort())
    small.press("ArrowRight", "n")
    small.page.wait_for_selector('.status[data-state="offline"]')
    assert "1 unsent, leave this window open" in small.text(".status")
    small.page.unroute("**/events")
    small.saved()
    small.page.evaluate("localStorage.clear()")
    small.complaints.clear()


def test_ten_minutes_without_a_network(small: Bench) -> None:
    """What is done waits here, is tried again and again, survives a reload, and is saved when the network is back."""
    page = small.page
    page.clock.install()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    small.press("ArrowRight", "n")
    small.saved()
    tried: list[str] = []
    page.route("**/events", lambda route: (tried.append(route.request.url), route.abort()))
    small.press("f", "b", "n", "f", "s", "1")
    page.wait_for_selector('.status[data-state="offline"]')
    for passed in range(20):
        page.clock.run_for(30_000)
        small.drawn()
        assert len(tried) > passed
    assert "2 unsent" in small.text(".status")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert len(small.marks()) == 3
    small.press("Control+z")
    page.wait_for_selector('.status[data-state="offline"]')
    page.unroute("**/events")
    page.clock.run_for(8_000)
    small.saved()
    assert [complaint for complaint in small.complaints if "ERR_FAILED" not in complaint] == []
    small.complaints.clear()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert small.marks() == [("Ann", "1"), ("Ben", "2")]


@pytest.mark.parametrize(("choice", "left"), [("take theirs", ["Ann"]), ("put mine on top", ["Ann", "Ben"])])
def test_two_windows(small: Bench, workbench_site: Served, choice: str, left: list[str]) -> None:
    """The second window is told, and nothing is overwritten until somebody chose."""
    path = small.page.url.removeprefix(workbench_site.address)
    with open_window(small.page.context, workbench_site, path) as other:
        other.page.route("**/history*", lambda route: route.abort())  # as on another machine: it is not told at once
        other.page.evaluate("window.dispatchEvent(new Event('focus'))")
        small.press("ArrowRight", "n")
        small.saved()
        other.press("f", "b", "n")
        other.page.wait_for_selector('.status[data-state="moved"]')
        assert "changed in another window (1 change, none of them" in other.text(".notice")
        other.page.get_by_role("button", name=choice).click()
        other.saved()
        assert words(other) == left
        other.press("f", "h", "n")
        other.saved()
    small.page.evaluate("window.dispatchEvent(new Event('focus'))")
    small.becomes(".sheet .m", len(left) + 1)
    assert words(small) == [*left, "him"]


def test_mine_kept_as_a_copy(small: Bench, workbench_site: Served, me: Client) -> None:
    """Two windows went different ways: mine becomes a layer of its own, and can still be undone to the beginning."""
    path = small.page.url.removeprefix(workbench_site.address)
    small.press("ArrowRight", "n")
    small.saved()
    with open_window(small.page.context, workbench_site, path) as other:
        other.page.route("**/history*", lambda route: route.abort())
        small.press("f", "b", "n")
        small.saved()
        other.press("f", "h", "n")
        other.page.get_by_role("button", name="keep mine as a copy").click()
        other.page.wait_for_url(lambda url: path not in url)
        other.page.wait_for_selector("body[data-ready]")
        assert words(other) == ["Ann", "him"]
        assert "mine (copy)" in other.text("h1")
        other.press("u", "u")
        other.saved()
        assert words(other) == []
    small.page.reload()
    small.page.wait_for_selector("body[data-ready]")
    assert words(small) == ["Ann", "Ben"]


@pytest.mark.parametrize("status", [422, 413])
def test_nobody_is_told_of_what_waits_elsewhere(small: Bench, me: Client, status: int) -> None:
    """A refusal is shown with its reason, and what was refused is kept until somebody chose: for want of room, too."""
    api = small.page.evaluate("document.querySelector('main').dataset.api")
    small.page.route(
        "**/events", lambda route: route.fulfill(status=status, body=json.dumps({"problems": ["no such place"]}))
    )
    small.press("ArrowRight", "n")
    small.page.wait_for_selector(".notice:not([hidden])")
    assert "no such place" in small.text(".notice")
    small.page.unroute("**/events")
    small.page.get_by_role("button", name="try again").click()
    small.saved()
    assert len(me.get(api).json["state"]["mentions"]) == 1
    small.complaints.clear()


def test_a_mention_can_be_moved_by_a_program(small: Bench, me: Client) -> None:
    """What a program sends is there when one comes back to the window."""
    api = small.page.evaluate("document.querySelector('main').dataset.api")
    record = {"parts": [[0, 3]], "order": 0, "chain": None, "features": {}, "label": ""}
    assert me.post(f"{api}events", {"base": 0, "events": [event(["mentions", "m1", record])]}).status == 200
    small.page.evaluate("window.dispatchEvent(new Event('focus'))")
    small.page.wait_for_selector(".sheet .m")
    assert small.marks() == [("Ann", "?")]


def test_entities(browser: Any, workbench_site: Served, me: Client) -> None:
    """Types by their numbers or typed, nested ones, two types on the same words, and every rule that is broken."""
    answer = me.upload(("entities.txt", b"Ann Lee met the mayor of Lyon.\n"), typology="quaero")  # labels mean entities
    assert answer.status == 302, answer.text
    with visit_page(browser, workbench_site, me, layer_of(me, "entities", "mine")) as bench:
        bench.press("ArrowRight", "Shift+ArrowRight", "/", *"pers.ind", "Enter")
        assert bench.marks() == [("Ann Lee", "pers.ind")]
        bench.becomes(".warning:has-text('without a constituent')", 1)
        bench.becomes(".m[data-below='pers.ind ⚠']", 1)
        bench.press("ArrowLeft", "ArrowLeft")
        types = me.get(bench.page.url.replace("/layer/", "/api/layer/")).json["schema"]["types"]
        components = [entry["name"] for entry in types if entry["inside"] is not None]
        assert bench.text(".choices .what") in components  # what fits inside a person comes first
        bench.press("/", *"name.first", "Enter")
        bench.becomes(".m[data-below='pers.ind']", 1)
        bench.press("f", "L", "f", "L", "/", *"name", "Enter")
        bench.becomes(".warning:has-text('outside of any entity')", 1)
        bench.press("t", "/", *"nonsense", "Enter")
        assert "the schema has no type nonsense" in bench.text("#toast")
        bench.press("/", *"town", "Enter")
        assert ("Lyon", "loc.adm.town") in bench.marks()
        bench.becomes(".warning", 0)
        bench.becomes(".m[data-below='name']", 1)
        bench.press("t", "/", *"org.adm", "Enter")  # the town for its council
        bench.saved()
        assert [label for words, label in bench.marks() if words == "Lyon"].count("org.adm") == 1
        bench.press("t", "/", *"pers.coll", "Enter")  # and for those who live there: a type too many
        bench.page.locator("[aria-label=rules] summary").click()
        assert "Lyon" in bench.text("[aria-label=rules] li")
        bench.page.locator("[aria-label=rules] li button").click()
        assert "on one entity, expected at most 2" in bench.text(".warning")
        bench.press("u")
        bench.becomes("[aria-label=rules] li", 0)
        bench.keep("entities")
        bench.clean()
