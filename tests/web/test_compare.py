"""Layers against each other, skeletons and the resolver's steps, in a real browser on a real server."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.server.serving import Client, Served, adjudication, event
from tests.web.benches import layer_of, upload_file, visit_page

KEY = "1 2/3 4 5/6 7 8 9 10 11 12/13 14 15 16 17"
RESPONSE = "1 2 6 7 8 9 10/3 4 5 11 12 13 14 15 16/17"


def group_items(client: Client, text: str, name: str, partition: str) -> str:
    """The id of a layer that holds a partition of the words of a text."""
    layer = layer_of(client, text, name).split("/")[2]
    tokens = client.get(f"/api/layer/{layer}/").json["text"]["tokens"]
    changes: list[Any] = []
    for number, words in enumerate(partition.split("/")):
        changes.append(["chains", f"c{number}", {"name": "", "notes": "", "features": {}}])
        for word in map(int, words.split()):
            parts = [[tokens[2 * word - 2], tokens[2 * word - 1]]]
            record = {"parts": parts, "order": 0, "chain": f"c{number}", "features": {}, "label": ""}
            changes.append(["mentions", f"m{word}", record])
    answer = client.post(f"/api/layer/{layer}/events", {"base": 0, "events": [event(*changes)]})
    assert answer.status == 200, answer.text
    return layer


@pytest.fixture(scope="module")
def pair(me: Client) -> str:
    """The address of the comparison of the paper's first example."""
    lines = [" ".join(f"ER{word}" for word in range(first, last)) for first, last in ((1, 7), (7, 13), (13, 18))]
    upload_file(me, "paper.txt", (".\n".join(lines) + "\n").encode())
    key = group_items(me, "paper", "key", shift_words(KEY))
    response = group_items(me, "paper", "response", shift_words(RESPONSE))
    return f"/compare/{key}/{response}/"


def shift_words(partition: str) -> str:
    """Words by their numbers in the text, where a full stop ends each line but the last."""
    place = {number: number + (number > 6) + (number > 12) for number in range(1, 18)}
    return "/".join(" ".join(str(place[int(word)]) for word in words.split()) for words in partition.split("/"))


def test_table_2_of_the_paper(browser: Any, workbench_site: Served, me: Client, pair: str) -> None:
    """MUC 85 79 81, B³ 74 49 59, C 77 50 61, XC 53 59 56, H 55 37 44, κ −18."""
    with visit_page(browser, workbench_site, me, pair) as bench:
        shown = " ".join(bench.text(".scores").split())
        for figures in ("84.62 78.57 81.48", "73.78 49.21 59.04", "76.92 50.00 60.61", "52.94 58.82 55.73"):
            assert figures in shown
        for figure in ("54.70 37.03 44.17", "−17.65"):
            assert figure in shown
        bench.clean()


def test_figure_1_and_disagreements(browser: Any, workbench_site: Served, me: Client, pair: str) -> None:
    with visit_page(browser, workbench_site, me, pair) as bench:
        page = bench.page
        page.locator(".classes .class", has_text="R₂").click()
        assert bench.count(".fragment") == 3
        assert "{13, 14, 15, 16} {3, 4, 5} {11, 12}" in bench.text(".fate")
        page.locator(".sheet .m", has_text="ER7").first.click()
        assert "{6, 7, 8, 9, 10} in R₁" in bench.text(".fate")
        page.get_by_role("button", name="next").click()
        assert bench.count('.listed [aria-current="true"]') == 1
        assert bench.count(".sheet .m.target") == 2
        bench.keep("compare")
        bench.clean()


def test_scores_of_a_passage(browser: Any, workbench_site: Served, me: Client, pair: str) -> None:
    with visit_page(browser, workbench_site, me, pair) as bench:
        bench.page.locator(".sheet .text").first.click(click_count=3)
        bench.page.get_by_role("button", name="scores of the selected passage").click()
        bench.becomes(".classes .expression", 6)
        bench.clean()


def test_skeletons(browser: Any, workbench_site: Served, me: Client) -> None:
    """The paper's example is there, every score follows what is typed, and both sides go out as SGML."""
    with visit_page(browser, workbench_site, me, "/skeleton/") as bench:
        page = bench.page
        bench.becomes(".classes .expression", 17)
        assert "73.78 49.21 59.04" in " ".join(bench.text(".scores").split())
        page.get_by_role("button", name="2b", exact=True).click()
        bench.becomes(".classes .expression", 10)
        page.get_by_label("response", exact=True).fill("1-5 / 6-10")
        bench.becomes(".classes .response-class", 2)
        assert "b_cubed 100.00 100.00 100.00" in " ".join(bench.text(".scores").split())
        with page.expect_download() as download:
            page.get_by_role("button", name="key as SGML").click()
        assert "<COREF" in download.value.path().read_text("utf-8")
        page.get_by_label("response", exact=True).fill("1-5 / 5-11")
        page.wait_for_selector(".warning")
        assert "expected numbers from 1 to 10" in bench.text("[role=alert]")
        bench.keep("skeleton")
        bench.clean()


def test_the_resolver_stepped(browser: Any, workbench_site: Served, me: Client) -> None:
    """Forwards and back, with rules off, and what that loses."""
    layer = layer_of(me, "museum").replace("layer", "resolve")
    with visit_page(browser, workbench_site, me, layer) as bench:
        page = bench.page
        page.locator(".sheet").focus()
        bench.press(*["ArrowRight"] * 3)
        assert bench.text(".beside .quoted") == "its director"
        assert [below for _, below in bench.marks()].count("?") == 19
        bench.press("ArrowLeft")
        assert bench.text(".beside .quoted") == "its"
        page.get_by_role("button", name="to the end").click()
        bench.becomes('.m[data-below="?"]', 0)
        together = sorted(below for _, below in bench.marks())
        page.get_by_label("semantics").uncheck()
        bench.becomes('#stepping[aria-busy="true"]', 0)
        assert sorted(below for _, below in bench.marks()) != together
        assert page.evaluate("document.activeElement.name") == "semantics"
        page.get_by_role("button", name="show the losses").click()
        page.wait_for_selector("[aria-label=losses] table", timeout=60_000)
        assert bench.count("[aria-label=losses] tbody tr") == 11
        bench.keep("stepping")
        bench.clean()


def test_an_adjudication_of_two_annotators(browser: Any, workbench_site: Served, me: Client) -> None:
    """Every question answered, with a reason; undone and done again; the key is what was decided."""
    upload_file(me, "two.txt", b"Ann met Ben and she liked him and him.\n")
    ann = group_items(me, "two", "Ann", "1 5/3 7 9")
    ben = group_items(me, "two", "Ben", "1/5/3 7")
    for layer, kind in ((ann, "name"), (ben, "noun")):
        state = me.get(f"/api/layer/{layer}/").json["state"]
        described = ["mentions", "m1", {**state["mentions"]["m1"], "features": {"kind": kind}}]
        assert me.post(f"/api/layer/{layer}/events", {"base": 1, "events": [event(described)]}).status == 200
    key = adjudication(me, "two", ann, ben)
    with visit_page(browser, workbench_site, me, key) as bench:
        page = bench.page
        assert "1 mention, 1 pair of chains and 1 feature undecided; 0 decided; all agreed on 4" in bench.text(
            ".beside"
        )
        assert bench.text(".beside h2") == "Is this a mention?"
        page.get_by_label("reason").fill("it is said twice")
        page.get_by_label("reason").press("Enter")
        bench.press("y")
        bench.becomes(".decisions li", 1)
        assert bench.text(".beside h2") == "Are these one entity?"
        page.get_by_role("button", name="one entity").click()
        bench.becomes(".decisions li", 2)
        bench.becomes(".sheet .m.single", 0)  # drawn anew without loading anything: she is Ann in the key
        bench.press("u")
        bench.becomes(".decisions li", 1)
        bench.press("n")
        bench.becomes(".decisions li", 2)
        assert bench.text(".beside h2") == "What is its kind?"
        bench.press("2")
        bench.becomes(".decisions li", 3)
        assert bench.text(".beside h2") == "Everything is decided"
        assert "him: a mention" in " ".join(bench.text(".decisions").split())
        assert "it is said twice" in bench.text(".decisions")
        bench.keep("adjudicate")
        bench.clean()
    state = me.get(key.replace("adjudicate", "api/layer")).json["state"]
    assert [mention["features"] for mention in state["mentions"].values() if mention["parts"] == [[0, 3]]] == [
        {"kind": "noun"}
    ]
    sizes = Counter(mention["chain"] for mention in state["mentions"].values())
    assert sorted(sizes.values()) == [1, 1, 3]


def test_three_annotators_who_say_different_things_of_entities(
    browser: Any, workbench_site: Served, me: Client
) -> None:
    """Names and notes are asked after mentions and chains; notes can all be kept."""
    upload_file(me, "three.txt", b"The wheel of the car broke and it stopped.\n")
    layers = []
    for name, called, notes in (("Ann", "wheel", "of wood"), ("Ben", "the wheel", ""), ("Cid", "wheel", "left one")):
        layers.append(group_items(me, "three", name, "2/5 8"))
        fields = {"base": 1, "events": [event(["chains", "c0", {"name": called, "notes": notes, "features": {}}])]}
        assert me.post(f"/api/layer/{layers[-1]}/events", fields).status == 200
    key = adjudication(me, "three", *layers)
    with visit_page(browser, workbench_site, me, key) as bench:
        assert "0 pairs of chains and 2 details of entities undecided" in bench.text(".beside")
        assert bench.text(".beside h2") == "Which notes are kept of this entity?"
        bench.press("a")
        bench.becomes(".decisions li", 1)
        assert bench.text(".beside h2") == "What is the name of this entity?"
        assert "wheel Ann, Cid" in " ".join(bench.text(".choices li").split())
        bench.press("1")
        bench.becomes(".decisions li", 2)
        bench.keep("adjudicate-names")
        bench.clean()
    state = me.get(key.replace("adjudicate", "api/layer")).json["state"]
    assert {"name": "wheel", "notes": "left one\nof wood", "features": {}} in state["chains"].values()


def test_relations_are_decided_on_the_page(browser: Any, workbench_site: Served, me: Client) -> None:
    """What one has and another has not: yes with a reason, taken back, no."""
    upload_file(me, "related.txt", b"The wheel of the car broke and the door fell.\n")
    layers = [group_items(me, "related", name, "2/5/9") for name in ("Ann", "Ben")]
    for layer, pairs in zip(layers, ((("c0", "c1"), ("c2", "c1")), (("c2", "c1"),)), strict=True):
        changes = [
            ["relations", f"r{place}", {"kind": "part", "source": source, "targets": [target], "via": []}]
            for place, (source, target) in enumerate(pairs)
        ]
        assert me.post(f"/api/layer/{layer}/events", {"base": 1, "events": [event(*changes)]}).status == 200
    key = adjudication(me, "related", *layers)
    api = key.replace("adjudicate", "api/layer")
    with visit_page(browser, workbench_site, me, key) as bench:
        assert bench.text(".beside h2") == "Is the first part of the second?"
        assert bench.page.locator(".beside .quoted").all_inner_texts() == ["wheel", "car"]
        bench.press("r")
        bench.page.keyboard.type("wheels belong to cars")
        bench.press("Enter", "y")
        bench.becomes(".decisions li", 1)
        assert bench.text(".beside h2") == "Everything is decided"
        assert "wheel / car: related (part)" in " ".join(bench.text(".decisions").split())
        assert len(me.get(api).json["state"]["relations"]) == 2
        bench.press("u")
        bench.becomes(".decisions li", 0)
        bench.press("n")
        bench.becomes(".decisions li", 1)
        assert "not related (part)" in bench.text(".decisions")
        assert len(me.get(api).json["state"]["relations"]) == 1
        bench.clean()


def test_entities_against_each_other(browser: Any, workbench_site: Served, me: Client) -> None:
    """Scores, both texts and what differs, the dearest first; then a key, in words of entities."""
    assert me.upload(("towns.txt", b"Ann Poe left Lyon for Nice.\n"), typology="quaero").status == 302
    made = {}
    for name, person, town in (("key", "pers.ind", "loc.adm.town"), ("other", "pers.coll", "org.adm")):
        made[name] = layer_of(me, "towns", name).split("/")[2]
        records = [
            ["mentions", label, {"parts": [[start, end]], "order": 0, "chain": None, "features": {}, "label": label}]
            for start, end, label in ((0, 7, person), (0, 3, "name.first"), (13, 17, town))
        ]
        assert me.post(f"/api/layer/{made[name]}/events", {"base": 0, "events": [event(*records)]}).status == 200
    with visit_page(browser, workbench_site, me, f"/compare/{made['key']}/{made['other']}/") as bench:
        assert "ser" in bench.text(".scores")
        assert bench.count(".listed li") == 2
        bench.page.get_by_role("button", name="next").click()
        assert bench.count(".sheet .m.target") >= 1
        assert bench.page.locator(".sheet .m.minor").all_inner_texts() == ["Ann", "Ann"]
        bench.clean()
    with visit_page(browser, workbench_site, me, adjudication(me, "towns", *made.values())) as bench:
        assert "2 entities undecided; 0 decided; all agreed on 1 entity" in bench.text(".beside")
        assert bench.text(".beside h2") == "Is this an entity, and of which type?"
        bench.press("2")
        bench.becomes(".decisions li", 1)
        bench.press("n")
        bench.becomes(".decisions li", 2)
        decided = " ".join(bench.text(".decisions").split())
        assert "pers.ind" in decided and "no entity" in decided and "B³" not in bench.text(".beside")
        bench.clean()
