"""Predictions of a system are imported for the texts of a project, and accepted, changed or rejected by keys."""

from __future__ import annotations

import json
from typing import Any

from tests.server.serving import Client, Served
from tests.web.benches import Bench, layer_of, visit_page

TEXT = "Ann met the old Ben in Rome. She liked him."
WORDS = ["Ann", "met", "the", "old", "Ben", "in", "Rome", ".", "She", "liked", "him", "."]
CLUSTERS = [[[0, 0], [8, 8]], [[4, 4], [10, 10]], [[6, 6]]]
CONFIDENCE = [["0.99", "0.95"], ["0.4", "0.92"], ["0.3"]]


def predict_entities(name: str) -> bytes:
    record = {
        "doc_key": name, "sentences": [WORDS[:8], WORDS[8:]], "clusters": CLUSTERS,
        "features": {"confidence": CONFIDENCE},
    }  # fmt: skip
    return json.dumps(record).encode() + b"\n"


def tally(bench: Bench) -> str:
    bench.drawn()
    return bench.text("[aria-label=predictions] p")


def operations(me: Client, address: str) -> list[tuple[str, int]]:
    events = me.get(f"/api{address}history").json["events"]
    return [(event["operation"], len(event["about"])) for event in events]


def test_predictions_are_accepted_changed_and_rejected(browser: Any, workbench_site: Served, me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="Predicted").headers["Location"]
    for name in ("cities", "towns"):
        assert me.upload((f"{name}.txt", f"{TEXT} {name}.\n".encode()), project=home.split("/")[2]).status == 302
    with visit_page(browser, workbench_site, me, home, ready="main") as bench:
        page = bench.page
        form = page.locator("form[action$=predictions]")
        for files, ending in ((("cities", "rivers"), "1 of 2 files (rivers.jsonl)"), (("cities", "towns"), "")):
            form.locator("input[type=file]").set_input_files(
                [
                    {"name": f"{name}.jsonl", "mimeType": "text/plain", "buffer": predict_entities(name)}
                    for name in files
                ]
            )
            form.get_by_label("Name of the system").fill("resolver 1")
            form.get_by_role("button", name="Offer to annotators").click()
            if ending:
                page.wait_for_selector("#unmatched .warning")
                assert ending in bench.text("#unmatched")
        page.wait_for_selector("#unmatched:not(:has(.warning))", state="attached")
        page.wait_for_load_state("load")
        assert all("422" in complaint for complaint in bench.complaints)
    address = layer_of(me, "cities", "mine")
    with visit_page(browser, workbench_site, me, address) as bench:
        page = bench.page
        page.wait_for_selector("[aria-label=predictions]:not([hidden])")
        assert tally(bench) == "5 predictions of resolver 1 open"
        page.get_by_role("button", name="accept those above").click()
        assert tally(bench) == "2 predictions of resolver 1 open"
        assert bench.marks() == [("Ann", "1"), ("She", "1"), ("him", "2")]
        bench.press("o")
        assert bench.selected() == "Ben"
        bench.press("Shift+ArrowLeft", "a")
        assert bench.marks()[1] == ("old Ben", "2"), "changed, in the chain of what was accepted"
        assert bench.selected() == "Rome"
        bench.press("r")
        assert tally(bench).startswith("0 predictions")
        bench.saved()
        assert operations(me, address) == [("accept prediction", 3), ("change prediction", 1), ("reject prediction", 1)]
        bench.press("u")
        bench.saved()
        page.wait_for_selector("[aria-label=predictions] p:has-text('1 prediction of')")
        page.reload()
        page.wait_for_selector("[aria-label=predictions]:not([hidden])")
        assert tally(bench) == "1 prediction of resolver 1 open"
        bench.press("A")
        assert tally(bench).startswith("0 predictions") and bench.marks()[2] == ("Rome", "3")
        bench.saved()
        assert all("confidence" not in mention["features"] for mention in mentions(me, address))
        assert bench.violations() == []
        bench.clean()
    key = layer_of(me, "towns")
    assert me.get(f"/api{key}predictions").status == 404, "for annotators alone, and never from the file's own layer"


def test_predicted_pronouns_come_with_their_antecedents(browser: Any, workbench_site: Served, me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="Pronouns predicted").headers["Location"]
    story = b"Ann met Ben because he was late. It rained, and she told him so.\n"
    assert me.upload(("told.txt", story), project=home.split("/")[2], task="anaphora").status == 302
    pairs = b"document\tanaphor\tantecedent\ntold\t4\t2\ntold\t8\t-\ntold\t12\t0\ntold\t14\t4\n"
    answer = me.upload(("told.tsv", pairs), to=f"{home}predictions", system="resolver 2")
    assert answer.status == 302, answer.text
    address = layer_of(me, "told", "mine")
    with visit_page(browser, workbench_site, me, address) as bench:
        bench.page.wait_for_selector("[aria-label=predictions]:not([hidden])")
        assert tally(bench) == "4 predictions of resolver 2 open"
        bench.press("o")
        assert bench.selected() == "he" and tally(bench).endswith("this one: → Ben")
        bench.press("a", "r")
        assert bench.marks() == [("Ben", ""), ("he", "→ Ben")] and tally(bench).startswith("2 predictions")
        bench.press("A")
        assert bench.marks() == [("Ann", ""), ("Ben", ""), ("he", "→ Ben"), ("she", "→ Ann"), ("him", "→ he")]
        bench.saved()
        bench.press("u", "u", "u")
        bench.saved()
        assert bench.marks() == []
        bench.clean()


def mentions(me: Client, address: str) -> list[dict[str, Any]]:
    return list(me.get(f"/api{address}").json["state"]["mentions"].values())
