"""Exports: every text has formats that hold it, other texts of the file never bring in the key, losses come first."""

from __future__ import annotations

import re
from pathlib import Path

from tests.server.serving import Client, event, layers_of, text_of

SAMPLES = Path(__file__).parents[2] / "tasks" / "coref" / "formats" / "samples"
DOCUMENT = b"""<DOC><DOCNO>%s</DOCNO><TEXT><COREF ID="1">Ann</COREF> met Ben.
<COREF ID="2" REF="1">She</COREF> smiled.</TEXT></DOC>
"""


def formats(page: str) -> list[str]:
    menu = page[page.index('name="format"') :]
    return re.findall(r"<option[^>]*>([^<]+)</option>", menu[: menu.index("</select>")])


def mark(me: Client, layer: str, *extents: tuple[int, int], version: int = 0) -> None:
    changes = [
        ("mentions", f"e{start}", {"parts": [(start, end)], "order": 0, "chain": "k", "features": {}, "label": ""})
        for start, end in extents
    ]
    marked = event(("chains", "k", {"name": "", "notes": "", "features": {}}), *changes)
    assert me.post(f"/api/layer/{layer}/events", {"base": version, "events": [marked]}).status == 200


def test_a_plain_text_is_exported(me: Client) -> None:
    assert me.upload(("plain.txt", b"Ann met Ben. She smiled.\n")).status == 302
    (layer,) = layers_of(me, "plain").values()
    mark(me, layer, (0, 3), (13, 16))
    page = me.get(f"/layer/{layer}/export?losses=1")
    assert page.status == 200 and "Nothing is lost." in page.text
    assert "text" not in formats(page.text) and {"jsonlines", "muc", "sacr", "corefud"} <= set(formats(page.text))
    assert me.get(f"/layer/{layer}/export").status == 200
    for name in formats(page.text):
        assert me.get(f"/layer/{layer}/export?losses=1&format={name}").status == 200, name


def test_a_format_that_is_only_read_is_exported_as_another(me: Client) -> None:
    data = {ending: (SAMPLES / f"litbank-brat{ending}").read_bytes() for ending in (".ann", ".txt")}
    files = [("lee.ann", data[".ann"] + b"\n"), ("lee.txt", data[".txt"])]  # no bytes that another test opened
    assert me.upload(*files).status == 302
    name = "lee"
    (layer,) = layers_of(me, name).values()
    start = me.form(f"{text_of(me, name)}layers", name="mine", start=layer, keep="mentions")
    assert start.status == 302
    page = me.get(f"/layer/{layers_of(me, name)['mine']}/export?losses=1")
    assert page.status == 200 and len(formats(page.text)) > 3


def test_what_a_format_cannot_hold_is_said_beside_the_others(me: Client) -> None:
    assert me.upload(("interlaced.sacr", b"#textid:interlaced\n\n{a Ann met} Ben at the export .\n")).status == 302
    (layer,) = layers_of(me, "interlaced").values()
    mark(me, layer, (4, 11))
    page = me.get(f"/layer/{layer}/export?losses=1")
    assert page.status == 200 and "cross" in page.text and "jsonlines" in formats(page.text)
    assert "Download" in me.get(f"/layer/{layer}/export?losses=1&format=jsonlines").text


def test_an_export_never_mixes_in_the_key(me: Client) -> None:
    """An empty layer of one of two texts: the other is empty too, unless the same author annotated it."""
    assert me.upload(("mixed.sgm", DOCUMENT % b"mixed-one" + DOCUMENT % b"mixed-two")).status == 302
    assert me.form(f"{text_of(me, 'mixed-one')}layers", name="empty").status == 302
    layer = layers_of(me, "mixed-one")["empty"]
    page = me.get(f"/layer/{layer}/export?losses=1").text
    assert "empty, without annotation" in page
    assert b"<COREF" not in me.get(f"/layer/{layer}/export").body
    assert me.form(f"{text_of(me, 'mixed-two')}layers", name="other").status == 302
    mark(me, layers_of(me, "mixed-two")["other"], (0, 3))
    assert "the layer <bdi>other</bdi>" in me.get(f"/layer/{layer}/export?losses=1").text
    assert me.get(f"/layer/{layer}/export").body.count(b"<COREF") == 1


def test_agreement_names_its_convention(me: Client) -> None:
    assert me.upload(("named.sgm", DOCUMENT % b"named")).status == 302
    (imported,) = layers_of(me, "named").values()
    assert me.form(f"{text_of(me, 'named')}layers", name="bare", start=imported, keep="mentions").status == 302
    address = f"{text_of(me, 'named')}agreement?layer=" + "&layer=".join(layers_of(me, "named").values())
    page = me.get(address).text
    assert "<strong>partition</strong>" in page and "as a singleton" in page
    assert re.search(r"<code>[^<]*convention", page) or "<code>" in page
    changed = me.get(f"{address}&convention=conll").text
    assert "<strong>conll</strong>" in changed and "left on its side" in changed
    assert me.get(f"{address}&convention=mine").status == 422


def select_format(page: str, name: str) -> str:
    menu = page[page.index(f'<select name="{name}">') :]
    (chosen,) = re.findall(r"<option[^>]* selected>([^<]*)</option>", menu[: menu.index("</select>")])
    return str(chosen)


def test_an_empty_layer_is_not_the_usual_key(me: Client) -> None:
    assert me.upload(("usual.txt", b"Ann met Ben. She smiled, usually.\n")).status == 302
    assert me.form(f"{text_of(me, 'usual')}layers", name="marked").status == 302
    mark(me, layers_of(me, "usual")["marked"], (0, 3))
    page = me.get(text_of(me, "usual")).text
    assert (select_format(page, "key"), select_format(page, "response")) == ("marked", "usual.txt")


def test_a_refusal_is_titled_by_its_reason(me: Client) -> None:
    assert "<title>Not found</title>" in me.get("/layer/nowhere/").text
    page = me.get("/no/such/address").text
    assert "Not done" not in page
