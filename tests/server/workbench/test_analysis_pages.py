"""Statistics, agreement, resolvers and skeletons over HTTP."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from aune.server.workbench.analysis_pages import MAX_AGREEMENT_LAYERS
from tests.server.serving import Client, adjudication, event, layers_of, text_of
from tests.server.workbench.test_analysis_api import two_layers


def test_texts_in_columns(me: Client) -> None:
    two_layers(me, "counted")
    page = me.get("/statistics/?text=" + text_of(me, "counted").split("/")[2]).text
    rows = dict(re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th>\s*<td class="number">(.*?)</td>', page))
    assert (rows["mentions |E|"], rows["chains |P|"], rows["|E| / |P|"], rows["chains of 2"]) == (
        "4",
        "2",
        "2.000",
        "2",
    )
    assert me.get("/statistics/?by_rule=on").status == 200


def test_the_layers_of_a_text_in_columns(me: Client) -> None:
    two_layers(me, "columns")
    fragment = me.get(text_of(me, "columns") + "statistics").text
    cells = r'in no chain yet</bdi></th>\s*<td class="number">0</td>\s*<td class="number">4</td>'
    assert re.search(cells, fragment)


def test_agreement_before_and_after_discussion(me: Client) -> None:
    key, response = two_layers(me, "agreed")
    text = text_of(me, "agreed")
    request = f"{text}agreement?layer={key}&layer={response}"
    assert "Before discussion" not in me.get(request).text
    assert me.post(f"/api/layer/{response}/done", {"done": True}).status == 200
    assert me.post(f"/api/layer/{response}/done", {"done": False}).status == 200
    change = event(["mentions", "m0", None])
    assert me.post(f"/api/layer/{response}/events", {"base": 0, "events": [change]}).status == 200
    answer = me.get(request)
    assert answer.status == 200, answer.text
    page = answer.text
    assert "Before discussion" in page and "beyond chance" in page
    assert "<h1" in page and f'href="{text}"' in page  # without JavaScript, a page with a way back
    assert "<h1" not in me.ask(request, headers={"HX-Request": "true"}).text
    assert me.get(f"{text}agreement?layer={key}").status == 422


def test_the_reader_chooses_what_a_mention_of_one_annotator_alone_is(me: Client) -> None:
    two_layers(me, "alone")
    text = text_of(me, "alone")
    layers = "&".join(f"layer={layer}" for layer in layers_of(me, "alone").values())
    assert 'name="unmarked"' in me.get(text).text
    for unmarked, words in (("empty", "in no chain of the other"), ("singleton", "alone in a chain of the other")):
        page = me.get(f"{text}agreement?{layers}&unmarked={unmarked}").text
        assert words in page and f"unmarked:{unmarked}" in page
    assert "in no chain of the other" in me.get(f"{text}agreement?{layers}").text
    assert me.get(f"{text}agreement?{layers}&unmarked=other").status == 422


def test_agreement_is_of_a_few(me: Client) -> None:
    """Each pair is compared: of sixty layers that took half a minute, for anybody who asked."""
    two_layers(me, "crowded")
    text = text_of(me, "crowded")
    for _ in range(MAX_AGREEMENT_LAYERS):
        assert me.form(f"{text}layers", name="bare").status == 302
    assert f"expected at most {MAX_AGREEMENT_LAYERS}" in me.get(f"{text}agreement").text


def test_layers_of_one_name_are_told_apart(me: Client) -> None:
    """Somebody begins twice and says the same name: both have a name, a column, and a say in the key."""
    two_layers(me, "namesakes")
    text = text_of(me, "namesakes")
    for _ in range(2):
        assert me.form(f"{text}layers", name="bare").status == 302
    named = layers_of(me, "namesakes")
    assert {"bare", "bare 2", "bare 3"} <= set(named)
    page = me.get(f"{text}agreement?layer={named['bare']}&layer={named['bare 2']}&layer={named['bare 3']}").text
    assert "bare – bare 2" in page and "bare 2 – bare 3" in page
    key = adjudication(me, "namesakes", named["bare 2"], named["bare 3"]).replace("adjudicate", "api/layer")
    assert me.get(f"{key}adjudication").json["names"] == ["bare 2", "bare 3"]


def test_a_system_becomes_a_layer(me: Client, samples: Path) -> None:
    """A resolver's answer, and a file of somebody else's."""
    _, response = two_layers(me, "resolved")
    answer = me.form(f"/resolve/{response}/run", resolver="activation")
    assert answer.status == 302 and answer.headers["Location"].startswith(f"/compare/{response}/")
    assert "activation on bare" in layers_of(me, "resolved")
    assert me.form(f"/resolve/{response}/run", resolver="os.system").status == 422
    text = text_of(me, "resolved")
    brought = b'<DOC><DOCNO>resolved</DOCNO><TEXT><COREF ID="9">Ann</COREF> met Ben.\nShe liked him.</TEXT></DOC>\n'
    me.get(text)
    assert me.upload(("system.sgm", brought), to=f"{text}import").status == 302
    layer = layers_of(me, "resolved")["system.sgm"]
    assert len(me.get(f"/api/layer/{layer}/").json["state"]["mentions"]) == 1
    other = me.upload(("two.sgm", brought + brought.replace(b"resolved", b"else")), to=f"{text}import")
    assert other.status in (200, 302)
    assert me.upload(("bad.conll", b"nonsense"), to=f"{text}import").status == 422


def test_the_resolver_step_by_step(me: Client) -> None:
    key, _ = two_layers(me, "stepped")
    result = me.get(f"/api/layer/{key}/steps?first=1&count=2&off=gender").json
    assert [step["mention"] for step in result["steps"]] == ["m1", "m2"]
    assert (result["total"], "gender" in result["groups"]) == (4, True)
    assert me.get(f"/api/layer/{key}/steps?off=everything").status == 422
    assert "stepping.js" in me.get(f"/resolve/{key}/").text


def test_losses_come_from_the_worker(me: Client) -> None:
    key, _ = two_layers(me, "losses-of-rules")
    for _ in range(300):
        answer = me.get(f"/api/layer/{key}/losses")
        if answer.status != 202:
            break
        time.sleep(0.2)
    assert answer.status == 200
    assert answer.json["losses"][0]["off"] == []
    assert ["gender"] in [loss["off"] for loss in answer.json["losses"]]


def test_a_skeleton_as_it_is_typed(me: Client) -> None:
    examples = {example["name"]: example for example in me.get("/api/skeleton").json["examples"]}
    first = {name: examples["1"][name] for name in ("mentions", "key", "response")}
    result = me.post("/api/skeleton", first).json
    scores = {score["measure"]: score["values"] for score in result["compared"]["scores"]}
    assert scores["coref.muc"]["recall"] == pytest.approx(11 / 13)
    assert me.post("/api/skeleton", {**first, "key": "1 99"}).json["problems"]["key"]
    assert me.post("/api/skeleton", {"mentions": "many"}).status == 400
    me.get("/skeleton/")
    form = {name: str(value) for name, value in first.items()}
    assert b"<COREF" in me.form("/skeleton/export", side="response", **form).body
    assert me.form("/skeleton/export", side="neither", **form).status == 422


def test_a_passage_is_cut_out(me: Client) -> None:
    """It is a text of its own, with the mentions that lie in it, and a file that comes back as it is."""
    key, _ = two_layers(me, "long-text")
    page = me.get(f"/layer/{key}/passages?mentions=4").text
    assert re.findall(r'name="(?:start|end)" value="(\d+)"', page) == ["0", "27"]
    answer = me.form(f"/layer/{key}/passage", start="0", end="12")
    assert answer.status == 302
    layer = me.get(answer.headers["Location"]).text.split('<a href="/layer/')[1].split("/")[0]
    result = me.get(f"/api/layer/{layer}/").json
    assert result["text"]["characters"].startswith("Ann met Ben")
    assert [(mention["parts"], mention["features"]) for mention in result["state"]["mentions"].values()] == [
        ([[0, 3]], {}), ([[8, 11]], {}),
    ]  # fmt: skip
    assert me.form(f"/layer/{key}/passage", start="9", end="2").status == 422
    assert me.get(f"/layer/{key}/passages?mentions=none").status == 422
