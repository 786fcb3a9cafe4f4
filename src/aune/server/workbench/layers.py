"""Layers as the database has them: the state at a version, and events that are durable before anybody is told.

A state is a snapshot and the events since. The newest state of some layers is remembered; whether it is the newest is
asked of the database each time, inside the transaction that adds events.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple

import msgspec
from django.db import transaction

from aune.server.accounts.models import Account
from aune.server.workbench import room
from aune.server.workbench.models import Event as EventRow
from aune.server.workbench.models import Layer, Snapshot, Text
from aune.workbench.events import fold
from aune.workbench.layer import SNAPSHOT, Step, Undoable, advanced, refusals
from aune.workbench.model import Change, Event, State
from aune.workbench.model import Text as Words

REMEMBERED = 64  # layers, and texts
MANY = 500  # rows written at once


class Head(NamedTuple):
    """A layer at a version."""

    version: int
    state: State
    undoable: Undoable


class Moved(NamedTuple):
    """The answer when others have been here: what happened since."""

    version: int
    events: list[EventRow]


class Added(NamedTuple):
    """The answer when events are durable."""

    version: int


class Refused(NamedTuple):
    """The answer when an event cannot be."""

    problems: list[str]


class _Heads:
    """The newest heads of the layers used last."""

    def __init__(self) -> None:
        self._heads: OrderedDict[str, Head] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, layer: str, version: int) -> Head | None:
        with self._lock:
            head = self._heads.get(layer)
            return head if head and head.version <= version else None

    def put(self, layer: str, head: Head) -> None:
        with self._lock:
            self._heads[layer] = head
            self._heads.move_to_end(layer)
            if len(self._heads) > REMEMBERED:
                self._heads.popitem(last=False)


_heads = _Heads()


@lru_cache(maxsize=REMEMBERED)
def words_of(text: str) -> Words:
    """The text that layers are about; it never changes."""
    return msgspec.json.decode(bytes(Text.objects.values_list("content", flat=True).get(pk=text)), type=Words)


def event_of(row: EventRow) -> Event:
    return msgspec.json.decode(bytes(row.body), type=Event)


def inverse_of(row: EventRow) -> tuple[Change, ...]:
    return msgspec.json.decode(bytes(row.inverse), type=tuple[Change, ...])


def step(layer: Layer, version: int) -> Step:
    row = layer.events.get(version=version)
    return Step(event_of(row), inverse_of(row))


def head(layer: Layer) -> Head:
    """A layer at the version that its row says."""
    known = _heads.get(layer.pk, layer.version)
    if known is None:
        known = Head(*_snapshot(layer, layer.version), Undoable([], []))
        turns = layer.events.filter(version__lte=known.version).order_by("version")
        undoable = known.undoable
        for version, undoes, redoes in turns.values_list("version", "undoes", "redoes"):
            undoable = advanced(undoable, version, _turn(undoes, redoes))
        known = known._replace(undoable=undoable)
    rows = layer.events.filter(version__gt=known.version, version__lte=layer.version).order_by("version")
    if known.version < layer.version:
        for row in rows:
            event = event_of(row)
            state, _ = fold(known.state, event)
            known = Head(row.version, state, advanced(known.undoable, row.version, event))
    _heads.put(layer.pk, known)
    return known


def state_at(layer: Layer, version: int) -> State:
    """The state of a layer at any of its versions."""
    near, state = _snapshot(layer, version)
    for row in layer.events.filter(version__gt=near, version__lte=version).order_by("version"):
        state, _ = fold(state, event_of(row))
    return state


def _snapshot(layer: Layer, version: int) -> tuple[int, State]:
    near = layer.snapshots.filter(version__lte=version).order_by("-version")[0]
    return near.version, msgspec.json.decode(bytes(near.state), type=State)


def _turn(undoes: int | None, redoes: int | None) -> Event:
    return Event(id="", operation="", changes=(), undoes=undoes, redoes=redoes)


def began(
    text: Text,
    name: str,
    kind: str,
    author: Account | None,
    state: State,
    *,
    done: bool = False,
    made_from: Sequence[str] = (),
    purpose: str = "",
    back: str = "",
) -> Layer:
    """A new layer of a text."""
    with transaction.atomic():
        layer = Layer.objects.create(
            text=text, name=_free_name(text, author, name), kind=kind, author=author, done=done,
            made_from=list(made_from), purpose=purpose, back=back,
        )  # fmt: skip
        room.take(layer, room.ROW + _keep_state(layer, 0, state))
    return layer


def _keep_state(layer: Layer, version: int, state: State) -> int:
    """The bytes of a snapshot that is kept now."""
    row = Snapshot.objects.create(layer=layer, version=version, state=msgspec.json.encode(state))
    return room.ROW + len(row.state)


def _bytes_of(rows: Iterable[EventRow]) -> int:
    return sum(room.ROW + len(row.body) + len(row.inverse) for row in rows)


def _free_name(text: Text, author: Account | None, name: str) -> str:
    """The name, numbered where its author has a layer of the text that is called so: names tell layers apart."""
    taken = set(text.layers.filter(author=author).values_list("name", flat=True))
    return name[:120] if name[:120] not in taken else _numbered(name[:110], taken)


def _numbered(name: str, taken: Container[str]) -> str:
    return next(name for name in chain([name], (f"{name} {number}" for number in count(2))) if name not in taken)


def named(rows: Sequence[Layer]) -> dict[str, Layer]:
    """Layers by names of their own: with the author where several have one name."""
    names = Counter(row.name for row in rows)
    found: dict[str, Layer] = {}
    for row in rows:
        title = row.name if names[row.name] == 1 else f"{row.name} ({row.author.name if row.author else row.kind})"
        found[_numbered(title, found)] = row
    return found


def copied(layer: Layer, author: Account, base: int, events: Sequence[Event], name: str = "") -> Layer | Refused:
    """A layer of somebody's own that goes on from a version of another with other events: its log is there too.

    Asked again with the same last event, it is the same copy.
    """
    if not 0 <= base <= layer.version:
        return Refused([f"found version {base}, expected one from 0 to {layer.version}"])
    if events and (known := _copy_of(layer, author, events[-1])):
        return known
    kind = layer.kind if layer.kind in ("key", "proposal") else "annotation"
    with transaction.atomic():
        copy = began(
            layer.text, name.strip() or f"{layer.name[:100]} (copy)", kind, author, state_at(layer, 0),
            made_from=layer.made_from, purpose=layer.purpose, back=layer.back,
        )  # fmt: skip
        rows = list(layer.events.filter(version__lte=base).order_by("version"))
        snapshots = list(layer.snapshots.filter(version__range=(1, base)))
        for row in rows:
            row.pk, row.layer = None, copy
        for snapshot in snapshots:
            snapshot.pk, snapshot.layer = None, copy
        room.take(copy, _bytes_of(rows) + sum(room.ROW + len(one.state) for one in snapshots))
        EventRow.objects.bulk_create(rows, MANY)
        Snapshot.objects.bulk_create(snapshots, MANY)
        Layer.objects.filter(pk=copy.pk).update(version=base)
        if events:
            outcome = added(copy.pk, author, base, events)
            if not isinstance(outcome, Added):
                transaction.set_rollback(True)
                return outcome if isinstance(outcome, Refused) else Refused(["found events that are there already"])
        copy.refresh_from_db()
    return copy


def _copy_of(layer: Layer, author: Account, last: Event) -> Layer | None:
    """The copy that somebody has made already with an event."""
    made = EventRow.objects.filter(identity=last.id, layer__text=layer.text_id, layer__author=author)
    row = made.exclude(layer=layer).select_related("layer").first()
    return row.layer if row else None


def log(layer: Layer) -> list[EventRow]:
    """All events of a layer, with their authors."""
    return list(layer.events.order_by("version").select_related("author"))


def added(name: str, author: Account, base: int, events: Sequence[Event]) -> Added | Moved | Refused:
    """Events at the end of a layer. Those that are there already are not added twice.

    When others came between, nothing is added and the answer says what they did.
    """
    with transaction.atomic():
        layer = Layer.objects.select_for_update().filter(pk=name).first()
        if layer is None or layer.done:  # since somebody looked
            return Refused(["found a layer that is done or deleted meanwhile, expected one that is worked on"])
        identities = [event.id for event in events]
        there = dict(layer.events.filter(identity__in=identities).values_list("identity", "version"))
        fresh = [event for event in events if event.id not in there]
        if not fresh:
            return Added(max(there.values(), default=layer.version))
        before = [there.get(identity) for identity in identities[: len(events) - len(fresh)]]
        if base > layer.version or before != list(range(base + 1, layer.version + 1)):
            since = layer.events.filter(version__gt=base).order_by("version").select_related("author")
            return Moved(layer.version, list(since))
        now = head(layer)
        rows: list[EventRow] = []
        for event in fresh:
            problems = refusals(words_of(layer.text_id), now.state, now.undoable, event, _steps(layer, rows))
            if problems:
                return Refused(problems)
            state, inverse = fold(now.state, event)
            now = Head(now.version + 1, state, advanced(now.undoable, now.version + 1, event))
            rows.append(_row(layer, author, now.version, event, inverse))
        EventRow.objects.bulk_create(rows)
        Layer.objects.filter(pk=layer.pk).update(version=now.version)
        is_far = now.version // SNAPSHOT > layer.version // SNAPSHOT
        room.take(layer, _bytes_of(rows) + (_keep_state(layer, now.version, now.state) if is_far else 0))
    _heads.put(name, now)
    return Added(now.version)


def _steps(layer: Layer, fresh: Sequence[EventRow]) -> Callable[[int], Step]:
    def found(version: int) -> Step:
        row = next((row for row in fresh if row.version == version), None)
        return Step(event_of(row), inverse_of(row)) if row else step(layer, version)

    return found


def _row(layer: Layer, author: Account, version: int, event: Event, inverse: Iterable[Change]) -> EventRow:
    return EventRow(
        layer=layer,
        version=version,
        identity=event.id,
        author=author,
        undoes=event.undoes,
        redoes=event.redoes,
        body=msgspec.json.encode(event),
        inverse=msgspec.json.encode(list(inverse)),
    )
