"""Undo all is the start, redo all is the end, and replaying the log is the state, whatever was done."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from aune.errors import UsageError
from aune.workbench.events import fold_all
from aune.workbench.layer import Layer, undoable_versions
from aune.workbench.model import EMPTY, Chain, Event, Mention, Relation, State, Text, members, to_builtins

TEXT = Text(id="t", characters="Ann 😀 saw é her dog. " * 5, tokens=[0, 3, 4, 5])
FULL = int(os.environ.get("AUNE_OPERATIONS", "600"))
"""How many operations to try; `make bench` tries 10,000."""


class Annotating(RuleBasedStateMachine):
    """People mark, group, merge, split, relate, name, remove, undo and redo, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer(TEXT)
        self.made = 0

    def act(self, operation: str, *changes: tuple[str, str, Any]) -> None:
        self.made += 1
        records = tuple(
            (table, name, None if record is None else to_builtins(record)) for table, name, record in changes
        )
        self.layer.add(Event(id=str(self.made), operation=operation, changes=records))

    def mention(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.layer.state.mentions)))

    @rule(places=st.lists(st.integers(0, len(TEXT.characters)), min_size=2, max_size=4), order=st.integers(0, 2))
    def mark(self, places: list[int], order: int) -> None:
        places = sorted(places)
        parts = tuple(part for part in zip(places[::2], places[1::2], strict=False) if part[0] < part[1])
        zero = ((places[0], places[0]),)
        self.act("mark", ("mentions", f"m{self.made}", Mention(parts=parts or zero, order=0 if parts else order)))

    @precondition(lambda self: self.layer.state.mentions)
    @rule(data=st.data())
    def group(self, data: st.DataObject) -> None:
        """A chain of its own, or that of another mention; a chain that is left empty goes."""
        name, other = self.mention(data), self.mention(data)
        state = self.layer.state
        chain = state.mentions[other].chain
        changes: list[tuple[str, str, Any]] = []
        if chain is None or name == other:
            chain = f"c{self.made}"
            changes.append(("chains", chain, Chain()))
        changes.append(("mentions", name, _in(state.mentions[name], chain)))
        self.act("group", *changes, *self.emptied(chain, name))

    def emptied(self, into: str | None, *names: str) -> list[tuple[str, str, Any]]:
        """What goes with mentions that leave their chains: chains that nothing is left of, and their relations."""
        state = self.layer.state
        gone = {
            chain
            for chain, member in members(state).items()
            if chain != into and set(member) <= set(names) and member and not state.chains[chain].name
        }
        dead = [
            name
            for name, relation in state.relations.items()
            if relation.source in gone or not gone.isdisjoint(relation.targets)
        ]
        return [("relations", name, None) for name in dead] + [("chains", chain, None) for chain in sorted(gone)]

    @precondition(lambda self: len(self.layer.state.chains) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        selected, gone = data.draw(st.permutations(sorted(self.layer.state.chains)))[:2]
        state = self.layer.state
        moved = [name for name, mention in state.mentions.items() if mention.chain == gone]
        dead = [name for name, relation in state.relations.items() if gone in (relation.source, *relation.targets)]
        self.act(
            "merge",
            *(("mentions", name, _in(state.mentions[name], selected)) for name in moved),
            *(("relations", name, None) for name in dead),
            ("chains", gone, None),
            *([] if moved or members(state)[selected] else [("chains", selected, Chain(name="kept"))]),
        )

    @precondition(lambda self: self.layer.state.mentions)
    @rule(data=st.data())
    def unmark(self, data: st.DataObject) -> None:
        name = self.mention(data)
        self.act("unmark", ("mentions", name, None), *self.emptied(None, name))

    @precondition(lambda self: self.layer.state.chains)
    @rule(data=st.data(), name=st.sampled_from(["Ann", "the dog"]))
    def call(self, data: st.DataObject, name: str) -> None:
        self.act("name", ("chains", data.draw(st.sampled_from(sorted(self.layer.state.chains))), Chain(name=name)))

    @precondition(lambda self: len(self.layer.state.chains) > 1)
    @rule(data=st.data())
    def relate(self, data: st.DataObject) -> None:
        source, target = data.draw(st.permutations(sorted(self.layer.state.chains)))[:2]
        self.act("relate", ("relations", f"r{self.made}", Relation(kind="part", source=source, targets=(target,))))

    @precondition(lambda self: self.layer.undoable.undo)
    @rule()
    def undo(self) -> None:
        event = self.layer.undo()
        assert event is not None
        self.layer.add(event)

    @precondition(lambda self: self.layer.undoable.redo)
    @rule()
    def redo(self) -> None:
        event = self.layer.redo()
        assert event is not None
        self.layer.add(event)

    @invariant()
    def undoing_and_redoing_lead_nowhere_else(self) -> None:
        layer = Layer(TEXT, log=self.layer.log)
        assert layer.state == self.layer.state == fold_all(EMPTY, self.layer.log) == self.layer.at(self.layer.version)
        assert undoable_versions(layer.log) == layer.undoable == self.layer.undoable
        if self.layer.version % 7:
            return
        ahead, end = layer.undoable.redo.copy(), layer.state
        while event := layer.undo():
            layer.add(event)
        assert layer.state == EMPTY
        while layer.undoable.redo != ahead and (event := layer.redo()):
            layer.add(event)
        assert layer.state == end


def _in(mention: Mention, chain: str) -> Mention:
    return Mention(parts=mention.parts, order=mention.order, chain=chain, features=mention.features)


TestAnnotating = Annotating.TestCase
TestAnnotating.settings = settings(max_examples=max(FULL // 40, 1), stateful_step_count=40, deadline=None)


def event(*changes: Any, **rest: Any) -> Event:
    return Event(id="e", operation="x", changes=changes, **rest)


MARKED = event(("mentions", "m1", {"parts": [[0, 3]]}))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (event(undoes=1), "found other changes than those that take version 1 back"),
        (event(("mentions", "m1", None), undoes=2), "found undo of version 2, expected version 1"),
        (event(redoes=1), "found redo of version 1, expected nothing to redo"),
        (event(("mentions", "m1", None), undoes=1, redoes=1), "undoes and redoes, expected one"),
    ],
)
def test_undo_out_of_turn_is_refused(bad: Event, message: str) -> None:
    layer = Layer(TEXT, log=[MARKED])
    before = layer.state
    with pytest.raises(UsageError, match=message):
        layer.add(bad)
    assert layer.state == before
    assert layer.version == 1


def test_a_version_is_undone_once() -> None:
    layer = Layer(TEXT, log=[MARKED])
    back = layer.undo()
    assert back is not None
    layer.add(back)
    assert layer.state == State()
    with pytest.raises(UsageError, match="found undo of version 1, expected nothing to undo"):
        layer.add(back)


def test_every_version_can_be_looked_at() -> None:
    layer = Layer(TEXT)
    for number in range(250):
        layer.add(Event(id=str(number), operation="mark", changes=(("mentions", f"m{number}", {"parts": [[0, 3]]}),)))
    assert [len(layer.at(version).mentions) for version in (0, 1, 99, 100, 101, 250)] == [0, 1, 99, 100, 101, 250]
    with pytest.raises(UsageError, match="from 0 to 250"):
        layer.at(251)
