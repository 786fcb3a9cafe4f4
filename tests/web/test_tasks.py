"""A text of each task, annotated in the browser from nothing, exported, and scored 100 against a key made elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import aune
from tests.server.serving import Client, Served
from tests.web.benches import Bench, exported, layer_of, visited

TAGGED = "Ann saw her by chance.\n"
TAGS = b"Ann\tPROPN\nsaw\tVERB\nher\tPRON\nby\tADP\tB-ADV\nchance\tNOUN\tI-ADV\n.\tPUNCT\n"
STORY = "Ann met Ben because he was late. It rained, and she told him so.\n"
PAIRS = b"document\tanaphor\tantecedent\nrain\t4\t2\nrain\t8\t-\nrain\t12\t0\nrain\t14\t4\n"


def test_tagging(browser: Any, served: Served, me: Client) -> None:
    assert me.upload(("chance.txt", TAGGED.encode()), task="tagging", typology="upos").status == 302
    layer = layer_of(me, "chance", "mine")
    with visited(browser, served, me, layer) as bench:
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
        assert exported(me, layer, "tsv").startswith(b"Ann\tNOUN|PROPN\t_\n")
        bench.press("u", "u")
        bench.saved()
        assert score(me, layer, "tsv", "tagging", TAGS, "accuracy") == 1
        bench.clean()


def test_anaphora(browser: Any, served: Served, me: Client) -> None:
    assert me.upload(("rain.txt", STORY.encode()), task="anaphora").status == 302
    layer = layer_of(me, "rain", "mine")
    with visited(browser, served, me, layer) as bench:
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


def test_words_and_sentences_are_corrected(browser: Any, served: Served, me: Client) -> None:
    """What was annotated stays where it is, and what is exported has the words as they are now."""
    assert me.upload(("cut.txt", b"Ann saw e-mail. Ben left.\n"), task="tagging", language="english").status == 302
    layer = layer_of(me, "cut", "mine")
    with visited(browser, served, me, layer) as bench:
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
    rows = exported(me, layer, "tsv").decode()
    assert "e-mail\t_" in rows and rows.strip().count("\n\n") == 0


def take(bench: Bench, words: str) -> None:
    """The antecedent with these words, by its digit."""
    offered = bench.page.locator("[aria-label=antecedents] .what").all_inner_texts()
    bench.press(str(offered.index(words) + 1))


def score(me: Client, layer: str, form: str, task: str, key: bytes, measure: str) -> float | None:
    """The score of what a layer exports against a key."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("key.tsv", "response.tsv")]
        for file, data in zip(files, (key, exported(me, layer, form)), strict=True):
            file.write_bytes(data)
        [scored] = aune.score(task, files[0], files[1], measures=[measure])
    return scored.values[scored.measure.headline]
