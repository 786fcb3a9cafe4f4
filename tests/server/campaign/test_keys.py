"""A key made in the workbench inside the server: texts, annotators' layers, adjudication, agreement, the key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from aune.campaign.scaffold import create_campaign
from tests.server.campaign.conftest import Hosted, fill_campaign
from tests.server.serving import Client, accept_invitation, event, invite_person, serving, text_of

TEXT = b"Ben\tO\nleft\tO\nNew\tO\nYork\tO\n.\tO\n"


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("keying") / "campaign"
    create_campaign(folder, "demo", "entities")
    with serving(folder, "--accounts") as served:
        yield fill_campaign(served, folder)


def make_annotation(client: Client, *marks: tuple[int, int, str]) -> str:
    """The layer of somebody who marked some words, done."""
    text = text_of(client, "made")
    client.get("/campaign/annotate")
    [layer] = re.findall(r'href="/layer/([\w-]+)/"', client.get(text).text)
    changes = [
        ["mentions", f"m{number}", {"parts": [[start, end]], "order": 0, "chain": None, "features": {}, "label": label}]
        for number, (start, end, label) in enumerate(marks)
    ]
    answer = client.post(f"/api/layer/{layer}/events", {"base": 0, "events": [event(*changes)]})
    assert answer.status == 200, answer.text
    assert client.post(f"/api/layer/{layer}/done", {"done": True}).status == 200
    return layer


def shared_out_to_both(hosted: Hosted, ben: Client) -> None:
    """Texts are given to annotators all at once, who are told, each of their own."""
    page = hosted.organiser.get("/campaign/annotate").text
    pair = re.findall(r'name="annotator" value="([\w-]+)"', page)
    assert len(pair) == 2
    fields = [("csrfmiddlewaretoken", hosted.organiser.csrf), ("each", "2"), *(("annotator", item) for item in pair)]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    where = "/campaign/annotate/assign"
    for _ in range(2):  # the second time there is nothing to give
        assert hosted.organiser.ask(where, urlencode(fields).encode(), kind).status == 302
    assert hosted.organiser.form(where, each="2").status == 422, "nobody was chosen"
    assert ben.form(where, each="1").status == 404
    for client, other in ((hosted.annotator, "Ben"), (ben, "Ann")):
        message = client.get("/campaign/notices").text
        assert "1 text to annotate" in message and not re.search(rf"\b{other}\b", message)
        assert "in work" in client.get("/campaign/annotate").text
    assert [entry.kind for entry in hosted.campaign.ledger.entries()].count("assigned") == 2


def test_from_the_text_to_the_ceiling(hosted_campaign: Hosted) -> None:
    ben = accept_invitation(hosted_campaign.served, invite_person(hosted_campaign.organiser, "annotator"), "Ben")
    assert "no text to annotate yet" in hosted_campaign.annotator.get("/campaign/annotate").text
    assert hosted_campaign.organiser.upload(("made.conll", TEXT)).status in (200, 302)
    assert "Begin" in hosted_campaign.annotator.get("/campaign/annotate").text
    shared_out_to_both(hosted_campaign, ben)
    first = make_annotation(hosted_campaign.annotator, (0, 3, "PER"), (9, 17, "LOC"))
    waiting = hosted_campaign.annotator.get("/campaign/annotate").text
    assert "1 of them done" in waiting and "nobody else is done yet" in waiting
    second = make_annotation(ben, (0, 3, "PER"), (9, 17, "ORG"))
    assert "see how far you agree" in hosted_campaign.annotator.get("/campaign/annotate").text
    text = text_of(hosted_campaign.organiser, "made")
    chosen = [
        ("csrfmiddlewaretoken", hosted_campaign.organiser.csrf),
        ("layer", first),
        ("layer", second),
        ("name", "gold"),
    ]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    key = hosted_campaign.organiser.ask(f"{text}adjudicate", urlencode(chosen).encode(), kind).headers["Location"]
    key = key.strip("/").rpartition("/")[2]
    page = hosted_campaign.organiser.get("/campaign/keys").text
    assert "gold of made.conll" in page and "not fixed yet" in page
    assert "1 question" in hosted_campaign.organiser.get(f"/campaign/keys/try?layer={key}").text
    standing = hosted_campaign.organiser.get(f"/api/layer/{key}/adjudication").json
    [extent] = standing["mentions"]
    decision = {"base": standing["layer"]["version"], "operation": "accept", "about": [extent["about"]],
                "label": "LOC", "reason": "a city"}  # fmt: skip
    assert hosted_campaign.organiser.post(f"/api/layer/{key}/adjudication", decision).status == 200
    shown = hosted_campaign.organiser.get(f"/campaign/keys/try?layer={key}").text
    assert "question" not in shown and "How far annotators agree" in shown
    assert hosted_campaign.organiser.form("/campaign/keys/try/take", layer=key).status == 302
    made = hosted_campaign.folder / "keys/try.conll"
    assert made.read_bytes() == b"Ben\tB-PER\nleft\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n"
    page = hosted_campaign.organiser.get("/campaign/keys").text
    assert "from the layers of 2 annotators" in page and "0.5000" in page
    assert "Ann" not in str(hosted_campaign.campaign.ledger.entries()[-1].details)
    for phase in ("training", "dry run"):
        hosted_campaign.phase(phase)
    assert hosted_campaign.organiser.form("/campaign/keys/try/take", layer=key).status == 422, "the key is fixed now"
    hosted_campaign.submit(hosted_campaign.one, "try", made.read_bytes(), name="run.conll")
    hosted_campaign.phase("dry adjudication")
    board = hosted_campaign.board(hosted_campaign.two, "try").text
    assert "What annotators reach against each other" in board
    assert re.search(r"annotator 1.annotator 2</td><td[^>]*>0\.5000", board)
    hosted_campaign.phase("test")
    hosted_campaign.two.get("/campaign/key/try")
    assert hosted_campaign.two.form("/campaign/draw/try", document="").status == 422, (
        "this key is not discussed any more"
    )
    assert hosted_campaign.two.form("/campaign/draw/final", document="").status == 404
    assert hosted_campaign.two.form("/campaign/draw/nothing", document="").status == 404


def test_only_organisers_take_keys(hosted_campaign: Hosted) -> None:
    for client in (hosted_campaign.annotator, hosted_campaign.one):
        client.get("/campaign/")
        assert client.get("/campaign/keys").status == 404
        assert client.get("/campaign/keys/final?layer=x").status == 404
        assert client.form("/campaign/keys/final/take", layer="x").status == 404
    hosted_campaign.organiser.get("/campaign/keys")
    assert hosted_campaign.organiser.get("/campaign/keys/final?layer=x").status == 404
    assert hosted_campaign.organiser.form("/campaign/keys/none/take", layer="x").status == 404
