"""Records as JSON, and the order of mentions."""

from __future__ import annotations

import msgspec

from aune.workbench.model import (
    Chain,
    Event,
    Mention,
    Relation,
    State,
    Text,
    in_text_order,
    members,
    mention_text,
    restrict_to_chains,
    to_builtins,
)

TEXT = Text(id="t", characters="A 😀 dog", tokens=[0, 1, 2, 3, 4, 7])
STATE = State(
    {
        "m1": Mention(parts=((4, 7),), chain="c1"),
        "m2": Mention(parts=((4, 4),), order=1),
        "m3": Mention(parts=((4, 4),), chain="c1"),
        "m4": Mention(parts=((0, 1), (2, 7)), chain="c2"),
    },
    {"c1": Chain(), "c2": Chain(), "c3": Chain(name="nobody")},
)


def test_states_and_events_survive_json() -> None:
    event = Event(id="e", operation="mark", changes=(("mentions", "m1", to_builtins(STATE.mentions["m1"])),), undoes=3)
    for value in (STATE, event, TEXT):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


def test_mentions_come_as_a_reader_meets_them() -> None:
    assert in_text_order(STATE.mentions) == ["m4", "m1", "m3", "m2"]
    assert members(STATE) == {"c1": ["m1", "m3"], "c2": ["m4"], "c3": []}


def test_some_chains_alone() -> None:
    part = Relation(kind="part", source="c1", targets=("c2",))
    state = State(STATE.mentions, STATE.chains, {"r1": part})
    assert restrict_to_chains(state, ["c1", "c2", "c3"]).relations == {"r1": part}
    alone = restrict_to_chains(state, ["c1"])
    assert set(alone.mentions) == {"m1", "m3"}
    assert set(alone.chains) == {"c1"}
    assert alone.relations == {}


def test_what_is_shown() -> None:
    assert [mention_text(TEXT, STATE.mentions[name]) for name in ("m1", "m2", "m4")] == ["dog", "∅", "A … 😀 dog"]
    assert list(TEXT.words()) == [(0, 1), (2, 3), (4, 7)]
