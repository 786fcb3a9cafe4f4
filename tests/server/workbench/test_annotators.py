"""A file with the annotation of several people: a layer of each, agreement, a key, and exports of each alone."""

from __future__ import annotations

import io
import json
import zipfile

from tests.server.serving import Client, adjudication, layers_of, text_of


def rows(label: str) -> bytes:
    """Two texts of doccano: both annotators have the first one, and only the second has the other."""
    spans = [
        [{"label": "PER", "start_offset": 0, "end_offset": 3, "user": "ann"},
         {"label": "PER", "start_offset": 0, "end_offset": 3, "user": "ben"},
         {"label": "LOC", "start_offset": 8, "end_offset": 12, "user": "ben"}],
        [{"label": label, "start_offset": 0, "end_offset": 3, "user": "ben"}],
    ]  # fmt: skip
    texts = ("Ann saw Rome", "Eva ate it")
    lines = [{"id": f"{label}-{place}", "text": text, "annotations": spans[place]} for place, text in enumerate(texts)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_each_annotator_has_a_layer(me: Client) -> None:
    me.get("/")
    home = me.form("/projects", name="Of doccano").headers["Location"]
    assert me.upload(("people.jsonl", rows("PER")), project=home.split("/")[2]).status == 302
    note = "people.jsonl: 2 annotators (ann, ben), each with layers of their own"
    first = layers_of(me, "PER-0")
    assert list(first) == ["ann", "ben"] and list(layers_of(me, "PER-1")) == ["ann", "ben"]
    assert note in me.get(home).text and note in me.get(text_of(me, "PER-0")).text
    labels = {
        name: sorted(mention["label"] for mention in me.get(f"/api/layer/{layer}/").json["state"]["mentions"].values())
        for name, layer in first.items()
    }
    assert labels == {"ann": ["PER"], "ben": ["LOC", "PER"]}
    page = me.get(text_of(me, "PER-0")).text
    assert page.count("checked") >= 4, "both are ticked for agreement and for a key"
    assert "f_measure" in me.get(f"{text_of(me, 'PER-0')}agreement?layer={first['ann']}&layer={first['ben']}").text
    key = adjudication(me, "PER-0", *first.values())
    assert [item["about"] for item in me.get(f"/api/layer/{key.split('/')[2]}/adjudication").json["mentions"]] == [
        "8-12"
    ]
    check_exports(me, home, first["ben"])
    assert me.form(f"{home}assign", each="1", annotator=person_of(me, home), start="all").status == 422


def check_exports(me: Client, home: str, layer: str) -> None:
    """The layer of one annotator alone, in the other text too; and all of them in the archive."""
    data = me.get(f"/layer/{layer}/export?format=doccano").body.decode()
    assert [json.loads(line)["label"] for line in data.splitlines()] == [
        [[0, 3, "PER"], [8, 12, "LOC"]],
        [[0, 3, "PER"]],
    ]
    packed = zipfile.ZipFile(io.BytesIO(me.get(f"{home}export?of=all").body))
    files = {name for name in packed.namelist() if name.startswith("files/")}
    assert files == {"files/ann/people.jsonl", "files/ben/people.jsonl"}


def person_of(me: Client, home: str) -> str:
    return me.get(home).text.partition('name="annotator"')[2].partition('value="')[2].partition('"')[0]


def test_a_response_of_several_becomes_a_layer_of_each(me: Client) -> None:
    lines = [
        {"id": f"PLANT-{place}", "text": text, "label": []} for place, text in enumerate(("Ann saw Rome", "Eva ate it"))
    ]
    plain = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert me.upload(("bare.jsonl", plain), task="entities").status == 302
    answer = me.upload(("several.jsonl", rows("PLANT")), to=f"{text_of(me, 'PLANT-0')}import")
    assert answer.status in (200, 302), answer.text
    assert {"several.jsonl: ann", "several.jsonl: ben"} <= layers_of(me, "PLANT-0").keys()


def test_layers_of_one_name_are_all_in_the_archive(me: Client) -> None:
    """Two keys of one name, or two files of one: nothing is written over."""
    me.get("/")
    home = me.form("/projects", name="Same names").headers["Location"]
    for word in ("Ann", "Eva"):
        data = json.dumps({"id": f"same {word}", "text": f"{word} left", "label": []}).encode() + b"\n"
        assert me.upload(("same.jsonl", data), project=home.split("/")[2], task="entities").status == 302
    packed = zipfile.ZipFile(io.BytesIO(me.get(f"{home}export?of=all").body))
    assert len([name for name in packed.namelist() if name.startswith("files/")]) == 2
