"""A key from two layers over HTTP: questions in order, decisions with author and reason, and back."""

from __future__ import annotations

from collections.abc import Sequence

from tests.server.serving import Client, event, layers_of, text_of
from tests.server.workbench.test_analysis_api import two_layers


def key_of(me: Client, name: str, kinds: Sequence[str] = ()) -> str:
    """The API of a key from two layers that differ in their chains."""
    first, second = two_layers(me, name)
    for layer, kind in zip((first, second), kinds, strict=False):
        state = me.get(f"/api/layer/{layer}/").json
        mention = min(state["state"]["mentions"], key=lambda item: state["state"]["mentions"][item]["parts"])
        after = {**state["state"]["mentions"][mention], "features": {"kind": kind}}
        fields = {"base": state["layer"]["version"], "events": [event(["mentions", mention, after])]}
        assert me.post(f"/api/layer/{layer}/events", fields).status == 200
    text = text_of(me, name)
    me.get(text)
    assert me.form(f"{text}adjudicate", layer=first).status == 422
    answer = me.ask(
        f"{text}adjudicate",
        f"csrfmiddlewaretoken={me.csrf}&layer={first}&layer={second}&name=gold".encode(),
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert answer.status == 302, answer.text
    assert "adjudicate.js" in me.get(answer.headers["Location"]).text
    return f"/api/layer/{layers_of(me, name)['gold']}/adjudication"


def test_decisions_have_an_author_and_a_reason(me: Client) -> None:
    api = key_of(me, "adjudicated")
    before = me.get(api).json
    assert (before["agreed"], before["mentions"], before["names"]) == (4, [], ["adjudicated.sgm", "bare"])
    tie = before["ties"][0]
    decision = {"base": 0, "operation": "join", "about": [tie["first"], tie["second"]], "reason": "she is Ann"}
    after = me.post(api, decision).json
    assert [(item["author"], item["reason"]) for item in after["decisions"]] == [("me", "she is Ann")]
    assert len(after["ties"]) == len(before["ties"]) - 1
    assert me.post(api, decision).status == 422 or me.post(api, decision).status == 409
    apart = {"base": 1, "operation": "apart", "about": [after["ties"][0]["first"], after["ties"][0]["second"]]}
    assert me.post(api, apart).json["ties"] == []
    assert len(me.post(api, {"base": 2, "operation": "undo"}).json["ties"]) == 1
    back = me.post(api, {"base": 3, "operation": "undo"}).json
    assert back["ties"] == before["ties"] and "text" not in back  # only what changed
    assert me.get(api).json["key"] == before["key"]


def test_features_are_decided_too(me: Client) -> None:
    api = key_of(me, "described", kinds=("name", "noun"))
    before = me.get(api).json
    (feature,) = before["features"]
    assert [choice["value"] for choice in feature["choices"]] == ["name", "noun"]
    decision = {
        "base": 0,
        "operation": "describe",
        "about": [feature["about"], "kind"],
        "value": "noun",
        "reason": "so",
    }
    after = me.post(api, decision).json
    assert (after["features"], after["open"]["features"], after["decided"]) == ([], 0, 1)
    ((table, name, record),) = after["changes"]
    assert (table, name, record["features"]) == ("mentions", feature["mention"], {"kind": "noun"})
    assert me.get(f"{api}/questions?of=ties&first=1").json["questions"] == before["ties"][1:]
    assert me.get(f"{api}/questions?of=nothing").status == 422
    listed = me.get(f"{api}/decisions").json["decisions"]
    assert [(item["author"], item["about"]) for item in listed] == [("me", [feature["about"], "kind"])]
    assert me.get(f"{api}/decisions?before=1").json["decisions"] == []


def test_two_who_decide_at_once(me: Client) -> None:
    api = key_of(me, "at-once")
    ties = me.get(api).json["ties"]
    first, second = ({"base": 0, "operation": "apart", "about": [tie["first"], tie["second"]]} for tie in ties[:2])
    assert me.post(api, first).status == 200
    answer = me.post(api, second)
    assert answer.status == 409 and len(answer.json["events"]) == 1


def test_what_is_no_decision(me: Client) -> None:
    api = key_of(me, "no-decision")
    for wrong in (
        {"base": 0, "operation": "join", "about": ["c0"]},
        {"base": 0, "operation": "join", "about": ["c0", "nowhere"]},
        {"base": 0, "operation": "accept", "about": ["999-1000"]},
        {"base": 0, "operation": "define", "about": ["colour", "c0"], "value": "red"},
        {"base": 0, "operation": "define", "about": ["name", "nowhere"], "value": "Ann"},
        {"base": 0, "operation": "undo"},
        {"base": 0, "operation": "guess", "about": []},
    ):
        assert me.post(api, wrong).status in (400, 422), wrong
    assert me.get(api).json["layer"]["version"] == 0
    layer = layers_of(me, "no-decision")["bare"]
    assert me.get(f"/api/layer/{layer}/adjudication").status == 404
