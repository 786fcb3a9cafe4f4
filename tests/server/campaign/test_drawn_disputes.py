"""A dispute that is drawn in the workbench: a team's own layer of the key, its edits in words, the new key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Hosted, fill_campaign
from tests.server.serving import Client, event, serving

KEY = b"Ben\tB-PER\nleft\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n"


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("drawing") / "campaign"
    create_campaign(folder, "demo", "entities")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUNE_CAMPAIGN_ENGINE", "processes 2")  # what `aune campaign serve --workers 2` tells the server
        served_by_two = serving(folder, "--accounts")
    with served_by_two as served:
        result = fill_campaign(served, folder)
        for phase in ("training", "dry run"):
            result.phase(phase)
        result.submit(result.one, "try", KEY.replace(b"B-PER", b"O"), name="run.conll")
        result.phase("dry adjudication")
        yield result


def begin_layer(client: Client) -> str:
    """The layer of a new drawing, from the key's page."""
    page = client.get("/campaign/key/try").text
    document = re.search(r'name="document" value="([^"]*)"', page)
    assert document and "Draw what it should be" in page
    answer = client.form("/campaign/draw/try", document=document[1])
    assert answer.status == 302, answer.text
    return answer.headers["Location"].strip("/").rpartition("/")[2]


def key_of(hosted: Hosted) -> bytes:
    here = hosted.campaign
    return here.store.get(here.state.keys["try"][-1].digest)


def test_what_is_drawn_becomes_a_dispute_and_a_key(hosted_campaign: Hosted) -> None:
    before = key_of(hosted_campaign)
    layer = begin_layer(hosted_campaign.one)
    assert begin_layer(hosted_campaign.one) == layer, "until it is claimed there is one drawing"
    state: dict[str, Any] = hosted_campaign.one.get(f"/api/layer/{layer}/").json
    york = next(name for name, mention in state["state"]["mentions"].items() if mention["label"] == "LOC")
    record = {**state["state"]["mentions"][york], "label": "ORG"}
    assert "nothing changed" in hosted_campaign.one.get(f"/campaign/drawn/{layer}").text
    assert hosted_campaign.one.form(f"/campaign/drawn/{layer}/claim", argument="why").status == 422
    change = {"base": 0, "events": [event(["mentions", york, record])]}
    assert hosted_campaign.one.post(f"/api/layer/{layer}/events", change).status == 200
    assert "“New York” (2–4) LOC becomes ORG" in hosted_campaign.one.get(f"/campaign/drawn/{layer}").text
    assert hosted_campaign.one.form(f"/campaign/drawn/{layer}/claim", argument="").status == 422, "a claim says why"
    assert hosted_campaign.one.form(f"/campaign/drawn/{layer}/claim", argument="a company").status == 302
    assert hosted_campaign.one.form(f"/campaign/drawn/{layer}/claim", argument="again").status == 422, "it was claimed"
    *_, dispute = hosted_campaign.campaign.state.disputes.values()
    assert dispute.edit == {"remove": [2, 4, "LOC"], "add": [2, 4, "ORG"]}
    assert "“New York” (2–4) LOC becomes ORG" in hosted_campaign.organiser.get("/campaign/disputes").text
    assert (
        hosted_campaign.organiser.form(
            f"/campaign/disputes/{dispute.id}/decide", decision="accepted", reason="so"
        ).status
        == 302
    )
    assert hosted_campaign.organiser.form("/campaign/rekey/try").status == 302
    assert key_of(hosted_campaign) == before.replace(b"LOC", b"ORG")


def test_drawing_in_a_browser(browser: Any, hosted_campaign: Hosted) -> None:
    """From the key's page to the claim: choose, unmark, send, say why."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    cookies = [
        {"name": item.name, "value": item.value, "url": hosted_campaign.served.address}
        for item in hosted_campaign.two.jar
    ]
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{hosted_campaign.served.address}/campaign/key/try")
    page.get_by_role("button", name="Draw what it should be").click()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.wait_for_selector('.status[data-state="saved"]')
    page.get_by_role("button", name="send").click()
    first = (
        [0, 1, "PER"]
        if b"Ben\tB-PER" in key_of(hosted_campaign)
        else [2, 4, "LOC" if b"LOC" in key_of(hosted_campaign) else "ORG"]
    )
    page.get_by_text(f"({first[0]}–{first[1]}) {first[2]} is no entity").wait_for()
    page.fill("textarea[name=argument]", "anybody")
    page.get_by_role("button", name="Claim").click()
    page.get_by_text("anybody").wait_for()
    context.close()
    *_, dispute = hosted_campaign.campaign.state.disputes.values()
    assert dispute.edit == {"remove": first} and dispute.argument == "anybody"


def test_a_drawing_is_seen_by_nobody_else(hosted_campaign: Hosted) -> None:
    layer = begin_layer(hosted_campaign.two)
    for client in (hosted_campaign.one, hosted_campaign.annotator, hosted_campaign.visitor):
        assert client.get(f"/campaign/drawn/{layer}").status == 404
        assert client.get(f"/layer/{layer}/").status in (302, 404)
        assert client.get(f"/api/layer/{layer}/").status in (401, 404)
    assert hosted_campaign.organiser.get(f"/campaign/drawn/{layer}").status == 404
    assert hosted_campaign.annotator.form("/campaign/draw/try", document="try").status == 404
    assert "proposal" not in hosted_campaign.annotator.get("/").text
    assert hosted_campaign.two.get("/").status == 302, "a participant has no texts but the campaign"


def test_a_drawing_of_an_old_key_is_drawn_again(hosted_campaign: Hosted) -> None:
    layer = begin_layer(hosted_campaign.two)
    claim = {"dataset": "try", "document": "try", "claim": "reference", "argument": "no name"}
    document = re.search(r'name="document" value="([^"]*)"', hosted_campaign.two.get("/campaign/key/try").text)
    assert document
    claim["document"] = document[1]
    for edit in (r'{"add": [0, 1, "\ud800"]}', '{"add": [0, 1, "A"], "add": [0, 1, "B"]}', '{"add": [0, NaN, "A"]}'):
        assert "no JSON" in hosted_campaign.two.form("/campaign/claim", **claim, edit=edit).text
    assert hosted_campaign.two.form("/campaign/claim", **claim, place="0 1 PER", value="").status == 302
    *_, dispute = hosted_campaign.campaign.state.disputes
    hosted_campaign.organiser.get("/campaign/disputes")
    assert (
        hosted_campaign.organiser.form(f"/campaign/disputes/{dispute}/decide", decision="accepted", reason="so").status
        == 302
    )
    assert hosted_campaign.organiser.form("/campaign/rekey/try").status == 302
    assert "new version" in hosted_campaign.two.get(f"/campaign/drawn/{layer}").text
    assert hosted_campaign.two.form(f"/campaign/drawn/{layer}/claim", argument="why").status == 422
    assert begin_layer(hosted_campaign.two) != layer


def test_the_key_of_the_demo_is_the_one_here(tmp_path: Path) -> None:
    create_campaign(tmp_path / "c", "demo", "entities")
    assert (tmp_path / "c/keys/try.conll").read_bytes() == KEY
