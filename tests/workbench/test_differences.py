"""The edits between two states."""

from __future__ import annotations

import msgspec

from aune.workbench.differences import edits
from aune.workbench.model import Chain, Mention, State, Text

TEXT = Text(id="t", characters="Ann met Ben. She liked him.")
BEFORE = State(
    {
        "m0": Mention(parts=((0, 3),), chain="c0"),
        "m1": Mention(parts=((8, 11),), chain="c1"),
        "m2": Mention(parts=((13, 16),), chain="c0", features={"kind": "pronoun"}),
    },
    {"c0": Chain(), "c1": Chain()},
)


def change_value(**mentions: Mention | None) -> State:
    every = {**BEFORE.mentions, **mentions}
    return State({name: item for name, item in every.items() if item is not None}, BEFORE.chains)


def test_nothing_changed() -> None:
    assert edits(TEXT, BEFORE, BEFORE) == []


def test_every_kind_of_edit_in_the_order_of_the_text() -> None:
    after = change_value(
        m0=None,
        m1=Mention(parts=((4, 11),), chain="c1"),
        m2=Mention(parts=((13, 16),), chain="c1", features={"kind": "noun"}, label="pers"),
        m3=Mention(parts=((23, 26),), chain="c1"),
    )
    result = edits(TEXT, BEFORE, after)
    assert [(item.kind, item.mention) for item in result] == [
        ("removed", "m0"), ("extent", "m1"), ("label", "m2"), ("chain", "m2"), ("features", "m2"), ("added", "m3"),
    ]  # fmt: skip
    removed, extent, _, chain, _, added = result
    assert removed.before is not None and removed.after is None
    assert (removed.before.words, removed.before.companion) == ("Ann", "She")
    assert extent.before is not None and extent.after is not None
    assert (extent.before.words, extent.after.words) == ("Ben", "met Ben")
    assert chain.before is not None and chain.after is not None
    assert (chain.before.companion, chain.after.companion) == ("Ann", "met Ben")
    assert added.before is None and added.after is not None and added.after.words == "him"


def test_as_pages_read_them() -> None:
    (edit,) = msgspec.json.decode(msgspec.json.encode(edits(TEXT, BEFORE, change_value(m1=None))))
    assert (edit["kind"], edit["before"]["words"], edit["before"]["with"], edit["after"]) == (
        "removed",
        "Ben",
        "",
        None,
    )
