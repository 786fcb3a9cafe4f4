"""A key that was made here as a file, with those of its annotators and their agreement."""

from __future__ import annotations

import json

from tests.server.conftest import Team
from tests.server.serving import Client, Served, layers_of, text_of
from tests.server.workbench.test_adjudication_api import key_of

TAKEN = """
import json
from aune.server.workbench.keys import key_file, available_keys
from aune.server.accounts.models import Account
from aune.server.workbench.models import Layer
organiser = Account.objects.get(name="me")
layer = Layer.objects.get(pk={layer!r})
found = key_file(layer, organiser)
print(json.dumps({{
    "listed": layer.pk in [one.pk for one in available_keys(organiser)],
    "name": found.name, "data": found.data.decode(),
    "layers": {{name: data.decode() for name, (_, data) in found.layers.items()}},
    "undecided": found.undecided, "pairs": len(found.agreement.pairs), "chance": list(found.agreement.chance),
}}))
"""


def test_a_key_is_a_file_with_the_agreement_of_its_annotators(me: Client, alone: Served) -> None:
    api = key_of(me, "taken")
    layer = layers_of(me, "taken")["gold"]
    message = me.get(f"/api/layer/{layer}/key").json
    assert (message["name"], message["format"], message["layers"]) == ("taken.sgm", "muc", ["taken.sgm", "bare"])
    assert message["undecided"] == {"taken": 2}
    assert [score["measure"] for score in message["agreement"]["pairs"][0]["scores"]][:2] == [
        "coref.mentions",
        "coref.muc",
    ]
    tie = me.get(api).json["ties"][0]
    me.post(api, {"base": 0, "operation": "join", "about": [tie["first"], tie["second"]]})
    result = alone.run_inside(TAKEN.format(layer=layer))
    assert (result["listed"], result["pairs"], result["undecided"]) == (True, 1, {"taken": 1})
    assert result["data"].encode() == me.get(f"/layer/{layer}/export").body
    assert result["layers"]["taken.sgm"].encode() == me.get(f"/layer/{layers_of(me, 'taken')['taken.sgm']}/export").body
    assert me.get(f"/api/layer/{layers_of(me, 'taken')['bare']}/key").status == 404


def test_a_text_without_a_key_is_named(me: Client) -> None:
    two = [
        {"doc_key": name, "sentences": [["Ann", "left", "."]], "clusters": [[[0, 0]]]} for name in ("first", "second")
    ]
    me.upload(("pair-of-texts.jsonlines", "\n".join(map(json.dumps, two)).encode()))
    text = text_of(me, "first")
    me.get(text)
    me.form(f"{text}layers", name="mine")
    layers = layers_of(me, "first")
    body = "&".join([f"csrfmiddlewaretoken={me.csrf}", *(f"layer={layer}" for layer in layers.values()), "name=gold"])
    me.ask(f"{text}adjudicate", body.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
    gold = layers_of(me, "first")["gold"]
    answer = me.get(f"/api/layer/{gold}/key")
    assert answer.status == 422 and "second" in answer.text
    assert me.get(f"/api/layer/{gold}/key?partial=1").json["undecided"] == {"first": 1}


def test_keys_are_for_organisers(team: Team) -> None:
    assert team.ann.get("/api/layer/nothing/key").status == 404
