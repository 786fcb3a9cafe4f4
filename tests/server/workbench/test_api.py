"""Layers over HTTP: events durable and in order, conflicts told, repeats harmless, on both databases."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from aune.compression import decompress
from tests.server.serving import Client, Served, event, layers_of, text_of

TEXT = b"<DOC><DOCNO>%s</DOCNO><TEXT><P>Ann met Ben. She liked him.</P></TEXT></DOC>\n"


def mention(start: int, end: int, chain: str | None = None) -> dict[str, Any]:
    return {"parts": [[start, end]], "order": 0, "chain": chain, "features": {}, "label": ""}


def open_layer(client: Client, name: str) -> str:
    """The API's address of the layer of a new small text."""
    answer = client.upload((f"{name}.sgm", TEXT % name.encode()))
    assert answer.status == 302, answer.text
    (layer,) = layers_of(client, name).values()
    return f"/api/layer/{layer}/"


def test_events_are_kept_in_order(me: Client) -> None:
    api = open_layer(me, "ordered")
    first, second = event(["mentions", "m1", mention(0, 3)]), event(["mentions", "m1", None])
    assert me.post(api + "events", {"base": 0, "events": [first]}).json == {"version": 1}
    assert set(me.get(api).json["state"]["mentions"]) == {"m1"}
    assert me.get(api).json["undo"] == [1]
    assert me.get(api + "inverse/1").json == {
        "changes": [["mentions", "m1", None]], "again": [["mentions", "m1", mention(0, 3)]],
    }  # fmt: skip
    undo = event(["mentions", "m1", None], undoes=1)
    assert me.post(api + "events", {"base": 1, "events": [undo]}).json == {"version": 2}
    layer = me.get(api).json
    assert (layer["undo"], layer["redo"], layer["state"]["mentions"]) == ([], [1], {})
    again = event(["mentions", "m1", mention(0, 3)], redoes=1)
    assert me.post(api + "events", {"base": 2, "events": [again, second]}).json == {"version": 4}
    assert [item["version"] for item in me.get(api + "history?since=1").json["events"]] == [2, 3, 4]


def test_the_same_event_twice_is_one(me: Client) -> None:
    api = open_layer(me, "twice")
    events = [event(["mentions", f"m{n}", mention(n, n + 1)]) for n in range(3)]
    assert me.post(api + "events", {"base": 0, "events": events[:1]}).json == {"version": 1}
    assert me.post(api + "events", {"base": 0, "events": events[:1]}).json == {"version": 1}
    assert me.post(api + "events", {"base": 0, "events": events}).json == {"version": 3}
    assert me.post(api + "events", {"base": 0, "events": events}).json == {"version": 3}
    assert me.get(api).json["layer"]["version"] == 3


def test_two_windows(me: Client) -> None:
    """The second one is told what the first one did, and nothing of its own is kept."""
    api = open_layer(me, "windows")
    own_value, other = event(["mentions", "m1", mention(0, 3)]), event(["mentions", "m2", mention(8, 11)])
    assert me.post(api + "events", {"base": 0, "events": [own_value]}).status == 200
    answer = me.post(api + "events", {"base": 0, "events": [other]})
    assert answer.status == 409
    assert answer.json["version"] == 1
    assert [(item["id"], item["author"], item["version"]) for item in answer.json["events"]] == [
        (own_value["id"], "me", 1)
    ]
    assert set(me.get(api).json["state"]["mentions"]) == {"m1"}
    assert me.post(api + "events", {"base": 7, "events": [other]}).status == 409


def test_what_others_came_before_is_kept_as_a_copy(me: Client) -> None:
    """With all that was before, so that undo goes on; asked twice, it is the same copy."""
    api = open_layer(me, "kept-mine")
    first = event(["mentions", "m1", mention(0, 3)])
    assert me.post(api + "events", {"base": 0, "events": [first]}).status == 200
    assert me.post(api + "events", {"base": 1, "events": [event(["mentions", "m2", mention(8, 11)])]}).status == 200
    own_value = [event(["mentions", "m1", None], undoes=1), event(["mentions", "m3", mention(13, 16)])]
    assert me.post(api + "events", {"base": 1, "events": own_value}).status == 409
    request = {"base": 1, "events": own_value, "name": "my copy"}
    made = me.post(api + "copy", request)
    assert (made.status, made.json["name"], made.json["version"]) == (201, "my copy", 3)
    assert me.post(api + "copy", request).json == made.json
    copy = me.get(f"/api/layer/{made.json['layer']}/").json
    assert (set(copy["state"]["mentions"]), copy["undo"], copy["layer"]["kind"]) == ({"m3"}, [3], "annotation")
    assert [item["id"] for item in me.get(f"/api/layer/{made.json['layer']}/history").json["events"]] == [
        first["id"], *(item["id"] for item in own_value),
    ]  # fmt: skip
    assert set(me.get(api).json["state"]["mentions"]) == {"m1", "m2"}  # and theirs is theirs
    wrong = event(["mentions", "m9", mention(0, 999)])
    before = len(layers_of(me, "kept-mine"))
    assert me.post(api + "copy", {"base": 1, "events": [wrong]}).status == 422
    assert me.post(api + "copy", {"base": 9, "events": []}).status == 422
    assert len(layers_of(me, "kept-mine")) == before
    plain = me.post(api + "copy", {"base": 2, "events": []}).json
    assert (plain["name"], plain["version"]) == ("kept-mine.sgm (copy)", 2)


def test_a_damaged_file_is_plain_text_only_for_who_says_so(me: Client) -> None:
    damaged = "ending.jsonl", b'{"id": "d1", "answer": "plainly"}\n'
    refusal = me.upload(damaged)
    assert refusal.status == 422 and "ending.jsonl:1:1: found no field" in refusal.text, refusal.text
    assert "plain text" in refusal.text and "ending.jsonl" not in me.get("/").text
    assert me.upload(damaged, plain="yes").status == 302
    (layer,) = layers_of(me, "ending").values()
    assert me.get(f"/api/layer/{layer}/").json["text"]["characters"] == damaged[1].decode()
    pair = "both.conll", b"#begin document (both);\nboth 0 0 Ann (1)\n\n#end document\n"
    first, second = (me.upload(pair, **request).headers["Location"] for request in ({}, {"plain": "yes"}))
    assert first != second == me.upload(pair, plain="yes").headers["Location"]


def test_no_file_is_read_while_others_wait_to_save(alone: Served, me: Client) -> None:
    """A database that one writes to has others wait: whatever is read was read before."""
    open_layer(me, "unhurried")
    text = text_of(me, "unhurried")
    assert alone.run_inside(READING.format(text=text, file=TEXT % b"unhurried")) == [302, [False, False], 302, [False]]


READING = """
import json
from io import BytesIO
from django.db import connection
from django.test import Client
from aune.server.accounts.models import Account
from aune.server.workbench import sandbox_tasks
held = []
def noted(read):
    return lambda *given, **named: held.append(connection.in_atomic_block) or read(*given, **named)
sandbox_tasks.response_states_by_annotator = noted(sandbox_tasks.response_states_by_annotator)
sandbox_tasks.annotated_texts = noted(sandbox_tasks.annotated_texts)
client = Client(headers={{"host": "127.0.0.1"}})
client.force_login(Account.objects.get(name="me"))
def sent(address, *files):
    held.clear()
    named = [BytesIO(data) for data in files]
    for number, one in enumerate(named):
        one.name = f"sent{{number}}.sgm"
    return [client.post(address, {{"files": named}}).status_code, [*held]]
print(json.dumps([*sent("{text}import", {file!r}, {file!r}), *sent("/files", {file!r} + b" ")]))
"""


def test_the_edits_of_a_layer(me: Client) -> None:
    api = open_layer(me, "edits")
    me.post(api + "events", {"base": 0, "events": [event(["mentions", "m1", mention(0, 3)])]})
    result = me.get(api + "edits").json
    assert [(edit["kind"], edit["after"]["words"]) for edit in result["edits"]] == [("added", "Ann")]


def test_the_rules_of_a_typology_with_their_places(me: Client) -> None:
    files = ("rules.txt", b"Ann met Ben."), ("rules.ann", b"T1\tnowhere 0 3\tAnn\n")
    assert me.upload(*files, task="entities", typology="quaero").status == 302
    (layer,) = layers_of(me, "rules").values()
    result = me.get(f"/api/layer/{layer}/broken").json
    assert [(item["start"], item["end"], item["severity"]) for item in result["broken"]] == [(0, 3, "error")]
    assert me.get(f"/api/layer/{layer}/").json["broken"] == result["broken"]
    name = result["broken"][0]["mention"]
    person, part = ({**mention(0, 3), "label": label} for label in ("pers.ind", "name.first"))
    mended = event(["mentions", name, person], ["mentions", "m9", part])
    assert me.post(f"/api/layer/{layer}/events", {"base": 0, "events": [mended]}).status == 200
    assert me.get(f"/api/layer/{layer}/broken").json == {"version": 1, "broken": []}
    assert me.get(open_layer(me, "no-rules") + "broken").json["broken"] == []


@pytest.mark.parametrize(
    "changes",
    [
        [["mentions", "m1", mention(0, 999)]],
        [["mentions", "m1", mention(0, 3, "nowhere")]],
        [["mentions", "m1", {"parts": [[0, 3]], "surprise": 1}]],
        [["secrets", "m1", None]],
    ],
)
def test_bad_events_change_nothing(me: Client, changes: list[Any]) -> None:
    api = open_layer(me, "bad")
    good = event(["mentions", "m9", mention(0, 3)])
    before = me.get(api).json
    answer = me.post(api + "events", {"base": before["layer"]["version"], "events": [good, event(*changes)]})
    assert answer.status == 422
    assert answer.json["problems"]
    assert me.get(api).json == before


@pytest.mark.parametrize(
    "body",
    [
        {}, {"base": 0}, {"base": 0, "events": []}, {"base": "0", "events": []}, {"base": 0, "events": [{"id": 1}]}, [],
        {"base": 0, "events": [{"id": "x" * 65, "operation": "", "changes": []}]},
    ],
)  # fmt: skip
def test_malformed_requests(me: Client, body: Any) -> None:
    api = open_layer(me, "malformed")
    answer = me.post(api + "events", body)
    assert answer.status in (400, 422)
    assert answer.json["problems"]
    assert me.get(api).json["layer"]["version"] == 0


def test_a_hundred_events_and_their_snapshot(me: Client) -> None:
    """Beyond a snapshot the state is the same, in the server's memory and read anew."""
    api = open_layer(me, "hundred")
    events = [event(["mentions", f"m{n}", mention(n % 20, n % 20 + 1)]) for n in range(250)]
    for start in range(0, 250, 50):
        assert me.post(api + "events", {"base": start, "events": events[start : start + 50]}).status == 200
    layer = me.get(api).json
    assert len(layer["state"]["mentions"]) == layer["layer"]["version"] == len(layer["undo"]) == 250
    copy = me.post(api + "copy", {"base": 230, "events": []}).json
    assert len(me.get(f"/api/layer/{copy['layer']}/").json["state"]["mentions"]) == copy["version"] == 230


def test_done_is_not_changed(me: Client) -> None:
    api = open_layer(me, "done")
    assert me.post(api + "done", {"done": True}).json == {"done": True}
    refused = me.post(api + "events", {"base": 0, "events": [event(["mentions", "m1", mention(0, 3)])]})
    assert refused.status == 403
    assert me.get(api).json["layer"]["editable"] is False
    assert me.post(api + "done", {"done": False}).json == {"done": False}
    assert me.get(api).json["layer"]["editable"] is True


def test_many_save_at_the_same_moment(me: Client) -> None:
    """Sixteen layers, written at once: no write fails."""
    open_layer(me, "crowd")
    text = text_of(me, "crowd")
    for number in range(16):
        assert me.form(f"{text}layers", name=f"writer {number}").status == 302
    layers = [layer for name, layer in layers_of(me, "crowd").items() if name.startswith("writer")]

    def save_events(layer: str) -> list[int]:
        changes = [event(["mentions", f"m{number}", mention(number, number + 1)]) for number in range(5)]
        return [
            me.post(f"/api/layer/{layer}/events", {"base": base, "events": [change]}).status
            for base, change in enumerate(changes)
        ]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(save_events, layers)) == [[200] * 5] * 16


def test_what_was_opened_by_mistake_goes(me: Client) -> None:
    """A file that nobody worked on can be removed, a layer when its name is typed."""
    api = open_layer(me, "mistaken")
    assert me.post(api + "events", {"base": 0, "events": [event(["mentions", "m1", mention(0, 3)])]}).status == 200
    text = text_of(me, "mistaken")
    assert me.form(f"{text}layers", name="mine").status == 302
    layer = layers_of(me, "mistaken")["mine"]
    assert me.form(f"/layer/{layer}/delete", name="other").status == 422
    assert me.form(f"/layer/{layer}/delete", name="mine").status == 302
    assert "mine" not in layers_of(me, "mistaken")
    home = me.get("/?name=mistaken").text
    source = home.split("/source/")[1].split("/")[0]
    assert me.form(f"/source/{source}/forget").status == 422  # somebody marked a mention
    open_layer(me, "untouched")
    source = me.get("/?name=untouched").text.split("/source/")[1].split("/")[0]
    assert me.form(f"/source/{source}/forget").status == 302
    assert "untouched" not in me.get("/").text


def samples_of(folder: Path) -> list[list[Path]]:
    """Every sample of every format, with what stands beside it."""
    every = sorted((folder / "coref/formats/samples").iterdir()) + sorted(
        (folder / "entities/formats/samples").iterdir()
    )
    annotated = {path.with_suffix("") for path in every if path.suffix == ".ann"}
    groups = []
    for path in every:
        if path.suffix == ".txt" and path.with_suffix("") in annotated:
            continue
        text = path.with_suffix(".txt")
        groups.append([path, text] if path.suffix == ".ann" else [path])
    return groups


SAMPLES = samples_of(Path(__file__).resolve().parents[2] / "tasks")


@pytest.mark.parametrize("files", SAMPLES, ids=lambda files: f"{files[0].parts[-4]}-{files[0].name}")
def test_every_sample_comes_back_byte_for_byte(me: Client, files: list[Path]) -> None:
    task = files[0].parts[-4]
    answer = me.upload(*files, task=task)
    assert answer.status == 302, answer.text
    page = me.get(answer.headers["Location"]).text
    layer = page.split('<a href="/layer/')[1].split("/")[0]
    shown = me.get(f"/layer/{layer}/export?losses=1").text
    assert "Nothing is lost." in shown
    back = me.get(f"/layer/{layer}/export")
    assert back.body == files[0].read_bytes()
    for beside in files[1:]:
        assert me.get(f"/layer/{layer}/export?beside={beside.suffix}").body == beside.read_bytes()


def test_other_formats_say_what_they_lose(me: Client, samples: Path) -> None:
    open_layer(me, "losses")
    (layer,) = layers_of(me, "losses").values()
    page = me.get(f"/layer/{layer}/export?losses=1&format=conll2012").text
    assert "Download" in page
    assert me.get(f"/layer/{layer}/export?format=conll2012").status == 200
    assert me.get(f"/layer/{layer}/export?format=../../etc").status == 422


def test_texts_have_addresses(me: Client) -> None:
    open_layer(me, "addresses")
    assert me.get(text_of(me, "addresses")).status == 200


@pytest.mark.parametrize("packed", [gzip.compress, lzma.compress])
def test_what_was_compressed_comes_back_compressed(me: Client, packed: Callable[[bytes], bytes]) -> None:
    """Untouched it is the same file; edited, one that opens with the same program."""
    name = packed.__module__
    data = packed(TEXT % name.encode())
    assert me.upload((f"{name}.sgm.gz", data)).status == 302
    (layer,) = layers_of(me, name).values()
    assert me.get(f"/layer/{layer}/export").body == data
    fields = {"base": 0, "events": [event(["chains", "c1", {}], ["mentions", "m1", mention(0, 3, "c1")])]}
    assert me.post(f"/api/layer/{layer}/events", fields).status == 200
    after = me.get(f"/layer/{layer}/export")
    assert b'<COREF ID="1">Ann</COREF>' in decompress(after.body, name)
    assert after.body[:3] == data[:3]
    other = me.get(f"/layer/{layer}/export?format=jsonlines")
    assert other.headers["Content-Disposition"].endswith(f"{name}.jsonl")


def test_one_text_of_several_is_exported_alone(me: Client, samples: Path) -> None:
    """Into a format that holds one text too; the other texts stay where they are."""
    assert me.upload(samples / "coref/formats/samples/muc-two.sgm").status == 302
    home = me.get("/?name=muc-two.sgm").text.partition("<h2><bdi>muc-two.sgm")[2]
    layer, *_ = re.findall(r'href="/layer/([\w-]+)/"', home)
    assert me.get(f"/layer/{layer}/export?format=brat").status == 422
    page = me.get(f"/layer/{layer}/export?format=brat&of=this&losses=1").text
    assert "all 2 texts of the file" in page and "of=this" in page
    brat = me.get(f"/layer/{layer}/export?format=brat&of=this")
    text = me.get(f"/layer/{layer}/export?format=brat&of=this&beside=.txt")
    assert (brat.status, text.status) == (200, 200)
    characters = me.get(f"/api/layer/{layer}/").json["text"]["characters"]
    assert "".join(text.text.split()) == "".join(characters.split())


FEW = b"""<DOC><DOCNO>few</DOCNO><TEXT>
<COREF ID="1">Ann</COREF> met <COREF ID="2">Ben</COREF>. <COREF ID="3" TYPE="IDENT" REF="1">She</COREF> left.
</TEXT></DOC>
"""


def test_some_chains_alone_are_exported(me: Client) -> None:
    """Those that are ticked; mentions of the others have no markup. What is remembered is what the layer says now."""
    assert me.upload(("few.sgm", FEW)).status == 302
    (layer,) = layers_of(me, "few").values()
    export = f"/layer/{layer}/export"
    state = me.get(f"/api/layer/{layer}/").json["state"]
    chain = state["mentions"]["m0"]["chain"]
    page = me.get(f"{export}?losses=1&chain={chain}").text
    assert f'value="{chain}" checked' in page and f"&amp;chain={chain}" in page
    alone = me.get(f"{export}?chain={chain}").body
    assert alone == FEW.replace(b'<COREF ID="2">Ben</COREF>', b"Ben")
    assert me.get(export).body == FEW
    refused = me.get(f"{export}?chain=nowhere")
    assert refused.status == 422 and "does not have" in refused.text
    unmarked = {"base": 0, "events": [event(["mentions", "m2", None])]}
    assert me.post(f"/api/layer/{layer}/events", unmarked).status == 200
    assert b">She<" not in me.get(f"{export}?chain={chain}").body


def test_nothing_is_added_to_a_layer_that_is_done_or_gone_meanwhile(alone: Served, me: Client) -> None:
    """Somebody may say so between the moment when it is looked at and the one when events are written."""
    assert me.upload(("meanwhile.txt", b"It rains.\n"), task="coref").status == 302
    layer = layers_of(me, "meanwhile")["meanwhile.txt"]
    assert me.post(f"/api/layer/{layer}/done", {"done": True}).status == 200
    program = f"""
import json
from aune.server.workbench import layers
from aune.server.workbench.models import Layer
from aune.workbench.model import Event
event = Event(id="late", operation="mark", changes=(("chains", "c", {{"name": "late"}}),))
author = Layer.objects.get(pk={layer!r}).author
told = [layers.append_events(name, author, 0, [event]) for name in ({layer!r}, "gone")]
print(json.dumps([[isinstance(one, layers.Refused) for one in told], Layer.objects.get(pk={layer!r}).version]))
"""
    assert alone.run_inside(program) == [[True, True], 0]
