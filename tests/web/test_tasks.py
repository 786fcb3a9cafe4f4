"""A text of each task, annotated in the browser from nothing, exported, and scored 100 against a key made elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import aune
from tests.server.serving import Client, Served, adjudication, event
from tests.web.benches import Bench, export_layer, layer_of, visit_page

TAGGED = "Ann saw her by chance.\n"
TAGS = b"Ann\tPROPN\nsaw\tVERB\nher\tPRON\nby\tADP\tB-ADV\nchance\tNOUN\tI-ADV\n.\tPUNCT\n"
STORY = "Ann met Ben because he was late. It rained, and she told him so.\n"
PAIRS = b"document\tanaphor\tantecedent\nrain\t4\t2\nrain\t8\t-\nrain\t12\t0\nrain\t14\t4\n"


def test_tagging(browser: Any, workbench_site: Served, me: Client) -> None:
    assert me.upload(("chance.txt", TAGGED.encode()), task="tagging", typology="upos").status == 302
    layer = layer_of(me, "chance", "mine")
    with visit_page(browser, workbench_site, me, layer) as bench:
        bench.press("Tab")
        assert bench.selected() == "Ann"
        for typed in ("prop", "verb", "pron", "adp", "noun", "punc"):  # Enter takes what begins with it
            bench.press("/")
            bench.page.keyboard.type(typed)
            bench.press("Enter")
        assert dict(bench.marks())["chance"] == "NOUN"
        bench.press("ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "/")
        bench.page.keyboard.type("adv")
        bench.press("Enter")
        assert ("by chance", "ADV") in [(" ".join(words.split()), below) for words, below in bench.marks()]
        bench.saved()
        assert score(me, layer, "tsv", "tagging", TAGS, "accuracy") == 1
        # an arrow and a tag change it; t adds another one, which is an ambiguity; both are undone
        bench.press(*["ArrowLeft"] * 5, "/")
        bench.page.keyboard.type("noun")
        bench.press("Enter")
        bench.press("t", "/")
        bench.page.keyboard.type("propn")
        bench.press("Enter")
        bench.saved()
        assert export_layer(me, layer, "tsv").startswith(b"Ann\tNOUN|PROPN\t_\n")
        bench.press("u", "u")
        bench.saved()
        assert score(me, layer, "tsv", "tagging", TAGS, "accuracy") == 1
        bench.clean()


def test_anaphora(browser: Any, workbench_site: Served, me: Client) -> None:
    assert me.upload(("rain.txt", STORY.encode()), task="anaphora").status == 302
    layer = layer_of(me, "rain", "mine")
    with visit_page(browser, workbench_site, me, layer) as bench:
        bench.press("p")
        assert bench.selected() == "he"
        take(bench, "Ben")
        assert bench.selected() == "It"
        bench.press("w")  # an expletive
        assert bench.selected() == "she"
        take(bench, "Ann")
        assert bench.selected() == "him"
        take(bench, "he")
        assert ("he", "→ Ben") in bench.marks() and ("It", "expletive") in bench.marks()
        bench.saved()
        assert score(me, layer, "pairs", "anaphora", PAIRS, "accuracy") == 1
        # y takes the answer back, b and Enter give one by going there, n says that there is none
        bench.press("y")
        assert ("him", "?") in bench.marks()
        bench.press("b", "k", "Enter")
        assert ("him", "→ she") in bench.marks()
        bench.press("n")
        assert ("him", "none") in bench.marks()
        for _ in range(3):
            bench.press("u")
        bench.saved()
        assert score(me, layer, "pairs", "anaphora", PAIRS, "accuracy") == 1
        # an antecedent that is unmarked leaves the pronoun without an answer
        bench.page.locator(".m", has_text="Ben").first.click()
        bench.press("x")
        assert ("he", "?") in bench.marks()
        bench.clean()


def test_words_and_sentences_are_corrected(browser: Any, workbench_site: Served, me: Client) -> None:
    """What was annotated stays where it is, and what is exported has the words as they are now."""
    assert me.upload(("cut.txt", b"Ann saw e-mail. Ben left.\n"), task="tagging", language="english").status == 302
    layer = layer_of(me, "cut", "mine")
    with visit_page(browser, workbench_site, me, layer) as bench:
        page = bench.page
        bench.press("Tab", "/", *"X", "Enter")
        bench.saved()
        for moves, key in ((("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"), "J"), (("ArrowRight",) * 2, "S")):
            bench.press(*moves)
            with page.expect_event("load"):  # the page is drawn anew
                page.keyboard.press(key)
            page.wait_for_selector("body[data-ready]")
        assert bench.marks() == [("Ann", "X")]
        bench.saved()
    rows = export_layer(me, layer, "tsv").decode()
    assert "e-mail\t_" in rows and rows.strip().count("\n\n") == 0


def take(bench: Bench, words: str) -> None:
    """The antecedent with these words, by its digit."""
    offered = bench.page.locator("[aria-label=antecedents] .what").all_inner_texts()
    bench.press(str(offered.index(words) + 1))


def score(me: Client, layer: str, form: str, task: str, key: bytes, measure: str) -> float | None:
    """The score of what a layer exports against a key."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("key.tsv", "response.tsv")]
        for file, data in zip(files, (key, export_layer(me, layer, form)), strict=True):
            file.write_bytes(data)
        [scored] = aune.score(task, files[0], files[1], measures=[measure])
    return scored.values[scored.measure.headline]


def test_tags_are_compared_and_adjudicated(browser: Any, workbench_site: Served, me: Client) -> None:
    """Words on which annotators differ are asked for; the key is exported with what was chosen."""
    assert me.upload(("voted.txt", b"Ann saw her duck.\n"), task="tagging", typology="upos").status == 302
    first = tagged_sides(me, "one", ["PROPN", "VERB", "PRON", "VERB", "PUNCT"])
    second = tagged_sides(me, "two", ["PROPN", "VERB", "DET", "NOUN", ""])
    with visit_page(browser, workbench_site, me, f"/compare/{first}/{second}/") as bench:
        lines = bench.page.locator("ol[aria-label=disagreements] li").all_inner_texts()
        assert [" ".join(line.split()) for line in lines] == [
            "her other tag · PRON | DET", "duck other tag · VERB | NOUN", ". omission · PUNCT | –"
        ]  # fmt: skip
        bench.clean()
    address = adjudication(me, "voted", first, second)
    with visit_page(browser, workbench_site, me, address) as bench:
        assert "3 words undecided; 0 decided; all agreed on 2 words" in bench.text("[aria-label=question] p")
        assert question(bench) == ("Which tag does it have?", "her", ["DET", "PRON", "no tag"])
        bench.press("1")
        bench.page.wait_for_selector("[aria-label=question] .quoted:has-text('duck')")
        bench.press("2")
        bench.page.wait_for_selector("[aria-label=question] .quoted:has-text('.')")
        assert question(bench)[2] == ["PUNCT", "no tag"]
        bench.press("y")
        bench.page.wait_for_selector("h2:has-text('Everything is decided')")
        assert [line.split("\n")[0] for line in decisions(bench)] == [".: PUNCT", "duck: VERB", "her: DET"]
        assert bench.violations() == []
        bench.clean()
    key = f"/layer/{address.split('/')[2]}/"
    assert export_layer(me, key, "tsv").decode().split() == [
        "Ann", "PROPN", "saw", "VERB", "her", "DET", "duck", "VERB", ".", "PUNCT"
    ]  # fmt: skip


def test_pronouns_are_compared_and_adjudicated(browser: Any, workbench_site: Served, me: Client) -> None:
    """What a pronoun refers to is one question; its antecedent comes into the key with the answer."""
    assert me.upload(("whose.txt", b"Ann met Ben because he was late. It rained.\n"), task="anaphora").status == 302
    first, second = resolve_text(me, "one", (8, 11), "expletive"), resolve_text(me, "two", (0, 3), "none")
    with visit_page(browser, workbench_site, me, f"/compare/{first}/{second}/") as bench:
        lines = bench.page.locator("ol[aria-label=disagreements] li").all_inner_texts()
        assert [" ".join(line.split()) for line in lines] == [
            "he other antecedent · → Ben | → Ann", "It other antecedent · expletive | none"
        ]  # fmt: skip
        assert ("he", "→ Ben") in bench.marks() and ("he", "→ Ann") in bench.marks()
        bench.clean()
    address = adjudication(me, "whose", first, second)
    with visit_page(browser, workbench_site, me, address) as bench:
        answers = ["→ Ann", "→ Ben", "no pronoun"]
        assert question(bench) == ("What does it refer to?", "he", answers)
        bench.press("2")
        bench.page.wait_for_selector("[aria-label=question] .quoted:has-text('It')")
        assert [words for words, below in bench.marks() if below == "→ Ben"] == ["he", "he"], "in the key, too"
        bench.press("u")
        bench.page.wait_for_selector("[aria-label=question] .quoted:has-text('he')")
        bench.press("2")
        bench.page.wait_for_selector("[aria-label=question] .quoted:has-text('It')")
        bench.press("1")
        bench.page.wait_for_selector("h2:has-text('Everything is decided')")
        assert [line.split("\n")[0] for line in decisions(bench)] == ["It: expletive", "he: → Ben"]
        assert bench.violations() == []
        bench.clean()
    rows = export_layer(me, f"/layer/{address.split('/')[2]}/", "pairs").decode().splitlines()
    assert [row.split("\t")[1:3] for row in rows[1:]] == [["4", "2"], ["8", "-"]]


def tagged_sides(me: Client, name: str, tags: list[str]) -> str:
    """The id of a layer with a tag for each word; '' leaves a word without one."""
    layer = layer_of(me, "voted", name).split("/")[2]
    places = me.get(f"/api/layer/{layer}/").json["text"]["tokens"]
    words = zip(places[::2], places[1::2], tags, strict=True)
    changes = [["mentions", f"m{start}", {"parts": [[start, end]], "label": tag}] for start, end, tag in words if tag]
    assert me.post(f"/api/layer/{layer}/events", {"base": 0, "events": [event(*changes)]}).status == 200
    return layer


def resolve_text(me: Client, name: str, antecedent: tuple[int, int], it: str) -> str:
    """The id of a layer in which `he` refers to an extent."""
    layer = layer_of(me, "whose", name).split("/")[2]
    labels = {"a": (antecedent, "antecedent"), "he": ((20, 22), "pronoun"), "it": ((33, 35), it)}
    changes: list[Any] = [["mentions", id, {"parts": [part], "label": label}] for id, (part, label) in labels.items()]
    changes.append(["relations", "r", {"kind": "antecedent", "source": "he", "targets": ["a"]}])
    assert me.post(f"/api/layer/{layer}/events", {"base": 0, "events": [event(*changes)]}).status == 200
    return layer


def question(bench: Bench) -> tuple[str, str, list[str]]:
    """The question that is shown, the words that it is about, and its answers."""
    card = bench.page.locator("[aria-label=question]").last
    answers = card.locator(".choices .what").all_inner_texts()
    return card.locator("h2").inner_text(), card.locator(".quoted").inner_text(), answers


def decisions(bench: Bench) -> list[str]:
    result: list[str] = bench.page.locator(".decisions li").all_inner_texts()
    return result
