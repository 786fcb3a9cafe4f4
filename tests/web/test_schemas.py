"""A schema is made in the browser, stored as a file, and acts where people annotate."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from tests.server.serving import Client, Served, layers_of
from tests.web.benches import export_layer, layer_of, visit_page


def test_a_schema_made_on_its_page_acts_in_the_text(browser: Any, workbench_site: Served, me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="With a schema").headers["Location"]
    answer = me.upload(
        ("plants.txt", b"Ann planted the old oak in 1920.\n"), project=home.split("/")[2], task="entities"
    )
    assert answer.status == 302
    make_schema(browser, workbench_site, me, home)
    data = me.get(f"{home}schema?task=entities&file=1").body
    assert [entry["name"] for entry in json.loads(data)["types"]] == ["person", "plant"] and b'\n  "types": [' in data
    annotate(browser, workbench_site, me)
    check_export(browser, workbench_site, me, home)
    # what a file calls otherwise is shown as such
    row = b'{"id": "persn", "text": "Ann planted the old oak in 1920.\\n", "entities": [[0, 3, "persn"]]}\n'
    assert me.upload(("persn.jsonl", row), project=home.split("/")[2], task="entities").status == 302
    with visit_page(browser, workbench_site, me, layer_of(me, "persn")) as bench:
        assert "not in the schema" in bench.text("[aria-label=types]")
        assert "perhaps 'person' is meant" in str(
            bench.page.locator("[aria-label=rules] button").get_attribute("title")
        )
        bench.clean()
    exported = zipfile.ZipFile(io.BytesIO(me.get(f"{home}export?of=all").body))
    assert exported.read("schema-entities.json") == data


def make_schema(browser: Any, served: Served, me: Client, home: str) -> None:
    """Two types, a feature and a relation, typed into the page of the schema."""
    with visit_page(browser, served, me, f"{home}schema?task=entities") as bench:
        page = bench.page
        for number, (name, key) in enumerate((("person", "P"), ("plant", "j"))):
            page.get_by_role("button", name="Add a type").click()
            row = page.locator("[data-part=types] tbody tr").nth(number)
            row.get_by_label("name of the type").fill(name)
            row.get_by_label("key").fill(key)
            row.get_by_label("help").fill(f"a {name}")
        page.get_by_role("button", name="Add a feature").click()
        feature = page.locator("[data-part=features] tbody tr")
        feature.get_by_label("name of the feature").fill("alive")
        feature.get_by_label("what it is").select_option("closed")
        feature.get_by_label("values").fill("yes, no")
        page.get_by_role("button", name="Add a relation").click()
        relation = page.locator("[data-part=relations] tbody tr")
        relation.get_by_label("name of the relation").fill("planted")
        relation.get_by_label("from types").fill("person")
        relation.get_by_label("to types").fill("plant")
        page.get_by_role("button", name="Save").click()
        assert "plant: found the key 'j'" in page.locator("[role=alert]").inner_text()  # which goes to the next mention
        page.locator("[data-part=types] tbody tr").nth(1).get_by_label("key").fill("T")
        page.get_by_role("button", name="Save").click()
        page.wait_for_url("**saved=1")
        page.locator("[data-part=types] tbody tr").nth(1).wait_for()
        bench.complaints.clear()  # the browser notes that a schema was refused
        bench.clean()


def annotate(browser: Any, served: Served, me: Client) -> None:
    """The keys, the feature and the relation of the schema, in a text."""
    layer = layer_of(me, "plants", "mine")
    with visit_page(browser, served, me, layer) as bench:
        page = bench.page
        bench.press("ArrowRight", "P")
        assert bench.marks() == [("Ann", "person")]
        bench.press("f", "o", "ArrowRight", "T")  # the second word that begins with o
        assert bench.marks() == [("Ann", "person"), ("oak", "plant")]
        bench.press("Enter")
        page.locator("select[name=alive]").select_option("yes")
        bench.press("Escape", "k")
        page.get_by_role("button", name="relate to…").click()
        bench.press("j", "Enter")
        assert "Ann – planted → oak" in page.locator("[aria-label=relations]").inner_text()
        bench.saved()
        assert page.locator("[aria-label=rules] details").count() == 0
        bench.clean()


def check_export(browser: Any, served: Served, me: Client, home: str) -> None:
    """The page says which formats hold features and relations; what they hold is there when their file is opened."""
    layer = layer_of(me, "plants", "mine")
    with visit_page(browser, served, me, f"{layer}export?losses=1", ready="#losses a") as bench:
        formats = bench.page.locator("select[name=format] option").all_inner_texts()
        lost = {}
        for name in formats:
            bench.page.goto(f"{served.address}{layer}export?losses=1&format={name}")
            lost[name] = bench.text("#losses")
        bench.clean()
    remaining = {name for name in formats if "feature" not in lost[name] and "relation" not in lost[name]}
    assert {"brat", "jsonl", "label_studio"} <= remaining and len(remaining) < len(formats)
    assert "1 × relations" in lost["conll"] and "1 × features" in lost["conll"]
    for name in sorted(remaining & {"jsonl", "label_studio"}):
        data = export_layer(me, layer, name).replace(b"plants", f"{name}-plants".encode())
        ending = "json" if name == "label_studio" else "jsonl"
        answer = me.upload((f"{name}-plants.{ending}", data), project=home.split("/")[2], task="entities")
        assert answer.status == 302, answer.text
        (opened,) = layers_of(me, f"{name}-plants").values()
        state = me.get(f"/api/layer/{opened}/").json["state"]
        assert [mention["features"] for mention in state["mentions"].values()] == [{}, {"alive": "yes"}], name
        [relation] = state["relations"].values()
        words = [state["mentions"][end]["label"] for end in (relation["source"], *relation["targets"])]
        assert (relation["kind"], words) == ("planted", ["person", "plant"]), name
