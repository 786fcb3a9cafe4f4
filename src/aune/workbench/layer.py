"""A layer: one annotation of a text as the log of events that made it, with snapshots, undo and redo.

Version n is the state after n events. Undo and redo are events too, so that they work across visits, and the log says
what was taken back. An ordinary event forgets what could be redone.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from aune.errors import UsageError
from aune.workbench.events import event_problems, fold, fold_all
from aune.workbench.model import EMPTY, RECORDS, Change, Event, Record, State, Text

SNAPSHOT_INTERVAL = 100  # events between two states that are kept


class Step(NamedTuple):
    """An event with what puts back what was before it."""

    event: Event
    inverse: tuple[Change, ...]


class Undoable(NamedTuple):
    """The versions that can be undone and redone, the next one last."""

    undo: list[int]
    redo: list[int]


def undoable_versions(log: Iterable[Event]) -> Undoable:
    """What of a log can be undone and redone.

    >>> log = [Event(id=str(n), operation="mark", changes=()) for n in range(2)]
    >>> undoable_versions([*log, Event(id="u", operation="undo", changes=(), undoes=2)])
    Undoable(undo=[1], redo=[2])
    """
    undoable = Undoable([], [])
    for version, event in enumerate(log, 1):
        undoable = advance(undoable, version, event)
    return undoable


def undo_problems(undoable: Undoable, event: Event) -> list[str]:
    """What is wrong with an undo or a redo: only the last one can be undone or redone."""
    if event.undoes is not None and event.redoes is not None:
        return ["found an event that undoes and redoes, expected one of them"]
    for verb, version, versions in (("undo", event.undoes, undoable.undo), ("redo", event.redoes, undoable.redo)):
        if version is not None and versions[-1:] != [version]:
            expected = f"version {versions[-1]}" if versions else f"nothing to {verb}"
            return [f"found {verb} of version {version}, expected {expected}"]
    return []


def refusals(text: Text, state: State, undoable: Undoable, event: Event, step: Callable[[int], Step]) -> list[str]:
    """Why an event cannot be added to a log; nothing when it can. `step` gives what was done at a version."""
    if turn := undo_problems(undoable, event):
        return turn
    if event.undoes is not None and not _same_changes(event.changes, step(event.undoes).inverse):
        return [f"found other changes than those that take version {event.undoes} back"]
    if event.redoes is not None and not _same_changes(event.changes, step(event.redoes).event.changes):
        return [f"found other changes than those of version {event.redoes}"]
    return event_problems(text, state, event)


def active_events(log: Iterable[Event]) -> list[tuple[int, Event]]:
    """The events that count, with their versions: what was undone does not, unless it was done again."""
    events = list(log)
    return [(version, events[version - 1]) for version in sorted(undoable_versions(events).undo)]


def advance(undoable: Undoable, version: int, event: Event) -> Undoable:
    """What can be undone and redone after an event that makes a version."""
    undo, redo = undoable
    if event.undoes is not None:
        return Undoable([number for number in undo if number != event.undoes], [*redo, event.undoes])
    if event.redoes is not None:
        return Undoable([*undo, event.redoes], [number for number in redo if number != event.redoes])
    return Undoable([*undo, version], [])


class Layer:
    """A text, the log of an annotation of it, and its state at any version."""

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
        """Why an event cannot be added; nothing when it can."""
        return refusals(self.text, self.state, self.undoable, event, lambda version: self.steps[version - 1])

    def add(self, event: Event) -> None:
        """Append an event; one with problems is refused with all of them."""
        if problems := self.problems(event):
            raise UsageError("; ".join(problems))
        self.state, inverse = fold(self.state, event)
        self.steps.append(Step(event, inverse))
        self.undoable = advance(self.undoable, self.version, event)
        if self.version % SNAPSHOT_INTERVAL == 0:
            self._snapshots[self.version] = self.state

    def undo(self) -> Event | None:
        """The event that takes the last one back; None when there is none."""
        if not self.undoable.undo:
            return None
        version = self.undoable.undo[-1]
        return Event(id=_new_id(), operation="undo", changes=self.steps[version - 1].inverse, undoes=version)

    def redo(self) -> Event | None:
        """The event that does again what was last taken back; None when there is none."""
        if not self.undoable.redo:
            return None
        version = self.undoable.redo[-1]
        return Event(id=_new_id(), operation="redo", changes=self.steps[version - 1].event.changes, redoes=version)

    def at(self, version: int) -> State:
        """The state after so many events."""
        if not 0 <= version <= self.version:
            raise UsageError(f"found version {version}, expected one from 0 to {self.version}")
        near = max(known for known in self._snapshots if known <= version)
        return fold_all(self._snapshots[near], (step.event for step in self.steps[near:version]))


def _same_changes(changes: Iterable[Change], others: Iterable[Change]) -> bool:
    """Whether changes put the same records into the same places, whatever their order."""
    return _records(changes) == _records(others)


def _records(changes: Iterable[Change]) -> dict[tuple[str, str], Record | None]:
    """What every record becomes; the last word counts."""
    return {
        (table, name): None if record is None else msgspec.convert(record, RECORDS[table])
        for table, name, record in changes
        if table in RECORDS
    }


def _new_id() -> str:
    return str(uuid.uuid4())
