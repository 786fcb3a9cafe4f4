"""A layer: one annotation of a text as the log of its events, with snapshots, undo and redo.

Version n is the state after n events. Undo and redo are events too: they work across sessions, and the log records
what was undone. After an ordinary event, nothing can be redone.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from aune.errors import UsageError
from aune.workbench.events import event_problems, fold, fold_all
from aune.workbench.model import EMPTY, RECORDS, Change, Event, Record, State, Text

SNAPSHOT_INTERVAL = 100  # events between two stored states


class Step(NamedTuple):
    """An event with the changes that undo it."""

    event: Event
    inverse: tuple[Change, ...]


class Undoable(NamedTuple):
    """The versions that can be undone and redone; the last one is next."""

    undo: list[int]
    redo: list[int]


def undoable_versions(log: Iterable[Event]) -> Undoable:
    """The versions of a log that can be undone and redone.

    >>> log = [Event(id=str(n), operation="mark", changes=()) for n in range(2)]
    >>> undoable_versions([*log, Event(id="u", operation="undo", changes=(), undoes=2)])
    Undoable(undo=[1], redo=[2])
    """
    undoable = Undoable([], [])
    for version, event in enumerate(log, 1):
        undoable = advance(undoable, version, event)
    return undoable


def undo_problems(undoable: Undoable, event: Event) -> list[str]:
    """The problems of an undo or a redo: only the latest version can be undone or redone."""
    if event.undoes is not None and event.redoes is not None:
        return ["found an event that undoes and redoes, expected one of them"]
    for verb, version, versions in (("undo", event.undoes, undoable.undo), ("redo", event.redoes, undoable.redo)):
        if version is not None and versions[-1:] != [version]:
            expected = f"version {versions[-1]}" if versions else f"nothing to {verb}"
            return [f"found {verb} of version {version}, expected {expected}"]
    return []


def refusals(text: Text, state: State, undoable: Undoable, event: Event, step: Callable[[int], Step]) -> list[str]:
    """Why an event cannot be added to a log; empty if it can. `step` returns the step of a version."""
    if turn := undo_problems(undoable, event):
        return turn
    if event.undoes is not None and not _same_changes(event.changes, step(event.undoes).inverse):
        return [f"found other changes than those that take version {event.undoes} back"]
    if event.redoes is not None and not _same_changes(event.changes, step(event.redoes).event.changes):
        return [f"found other changes than those of version {event.redoes}"]
    return event_problems(text, state, event)


def active_events(log: Iterable[Event]) -> list[tuple[int, Event]]:
    """The events that are in effect, with their versions: not those that were undone and not redone."""
    events = list(log)
    return [(version, events[version - 1]) for version in sorted(undoable_versions(events).undo)]


def advance(undoable: Undoable, version: int, event: Event) -> Undoable:
    """The versions that can be undone and redone after the event of a version."""
    undo, redo = undoable
    if event.undoes is not None:
        return Undoable([number for number in undo if number != event.undoes], [*redo, event.undoes])
    if event.redoes is not None:
        return Undoable([*undo, event.redoes], [number for number in redo if number != event.redoes])
    return Undoable([*undo, version], [])


class Layer:
    """A text, the log of one annotation of it, and its state at any version."""

    def __init__(self, text: Text, start: State = EMPTY, log: Iterable[Event] = ()) -> None:
        self.text = text
        self.steps: list[Step] = []
        self.state = start
        self.undoable = Undoable([], [])
        self._snapshots = {0: start}
        for event in log:
            self.add(event)

    @property
    def version(self) -> int:
        return len(self.steps)

    @property
    def log(self) -> list[Event]:
        return [step.event for step in self.steps]

    def problems(self, event: Event) -> list[str]:
        """Why an event cannot be added; empty if it can."""
        return refusals(self.text, self.state, self.undoable, event, lambda version: self.steps[version - 1])

    def add(self, event: Event) -> None:
        """Append an event; raises `UsageError` with all its problems if it is invalid."""
        if problems := self.problems(event):
            raise UsageError("; ".join(problems))
        self.state, inverse = fold(self.state, event)
        self.steps.append(Step(event, inverse))
        self.undoable = advance(self.undoable, self.version, event)
        if self.version % SNAPSHOT_INTERVAL == 0:
            self._snapshots[self.version] = self.state

    def undo(self) -> Event | None:
        """An event that undoes the latest one; None if there is none."""
        if not self.undoable.undo:
            return None
        version = self.undoable.undo[-1]
        return Event(id=_new_id(), operation="undo", changes=self.steps[version - 1].inverse, undoes=version)

    def redo(self) -> Event | None:
        """An event that redoes the latest undone one; None if there is none."""
        if not self.undoable.redo:
            return None
        version = self.undoable.redo[-1]
        return Event(id=_new_id(), operation="redo", changes=self.steps[version - 1].event.changes, redoes=version)

    def at(self, version: int) -> State:
        """The state at a version."""
        if not 0 <= version <= self.version:
            raise UsageError(f"found version {version}, expected one from 0 to {self.version}")
        near = max(known for known in self._snapshots if known <= version)
        return fold_all(self._snapshots[near], (step.event for step in self.steps[near:version]))


def _same_changes(changes: Iterable[Change], others: Iterable[Change]) -> bool:
    """Whether two sequences of changes have the same result, whatever their order."""
    return _records(changes) == _records(others)


def _records(changes: Iterable[Change]) -> dict[tuple[str, str], Record | None]:
    """The final record of every changed id; the last change wins."""
    return {
        (table, name): None if record is None else msgspec.convert(record, RECORDS[table])
        for table, name, record in changes
        if table in RECORDS
    }


def _new_id() -> str:
    return str(uuid.uuid4())
