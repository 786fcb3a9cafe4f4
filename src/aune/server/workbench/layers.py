"""Layers in the database: the state at each version, and events, which are stored durably before they are confirmed.

A state is computed from a snapshot and the events after it. The newest states of some layers are cached; the
database is asked for the newest version every time, inside the transaction that adds events.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from datetime import date
from itertools import chain, count, islice
from typing import Any, NamedTuple

import msgspec
from django.db import transaction
from django.db.models import Count, F, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone

from aune.server.accounts.models import Account
from aune.server.policy import NoRoomError
from aune.server.workbench import quotas
from aune.server.workbench.byte_cache import ByteCache
from aune.server.workbench.models import Event as EventRow
from aune.server.workbench.models import Layer, Snapshot, Text
from aune.server.workbench.sandbox_tasks import MAX_STORED_BYTES
from aune.workbench.events import fold
from aune.workbench.layer import SNAPSHOT_INTERVAL, Step, Undoable, advance, refusals
from aune.workbench.model import Change, Event, State
from aune.workbench.model import Text as Words
from aune.workbench.segmentation import Segmentation

CACHE_BYTES = 64_000_000  # bytes of cached texts, and of cached states
MAX_LAYERS = 200  # of one author and one text: a request for one layer reads all layers of its text
FETCH_SIZE = 5  # rows in memory at a time: each may be as large as a request
PAUSE = 300  # seconds without an event after which an annotator counts as absent
MAX_ANSWER_BYTES = 8_000_000  # bytes of events in one response


class Head(NamedTuple):
    """A layer at a version."""

    version: int
    state: State
    undoable: Undoable


class Conflict(NamedTuple):
    """The outcome when others have added events meanwhile: these events."""

    version: int
    events: list[EventRow]


class Added(NamedTuple):
    """The outcome when the events are stored durably."""

    version: int


class Refused(NamedTuple):
    """The outcome when an event is invalid."""

    problems: list[str]


_head_cache = ByteCache[Head](CACHE_BYTES)
_text_cache = ByteCache[Words](CACHE_BYTES)
_reading = threading.Lock()


def text_content(text: str) -> Words:
    """The text of layers. Its characters never change; its word boundaries may be corrected."""
    known = _text_cache.get(text)
    if known is None:
        with _reading:  # one at a time: in memory a text takes several times its stored size
            known = _text_cache.get(text) or _read_text(text)
    return known


def _read_text(text: str) -> Words:
    content = bytes(Text.objects.values_list("content", flat=True).get(pk=text))
    words = msgspec.json.decode(content, type=Words)
    _text_cache.add(text, words, len(content))
    return words


def store_segmentation(text: str, segmentation: Segmentation) -> None:
    """Store new words and sentences of a text. Annotations are unaffected, since they refer to characters."""
    words = msgspec.structs.replace(
        text_content(text),
        tokens=[place for word in segmentation.words for place in word],
        sentences=list(segmentation.sentences),
    )
    content = msgspec.json.encode(words)
    Text.objects.filter(pk=text).update(content=content, words=len(segmentation.words))
    _text_cache.add(text, words, len(content))


def event_of(row: EventRow) -> Event:
    return msgspec.json.decode(bytes(row.body), type=Event)


def inverse_of(row: EventRow) -> tuple[Change, ...]:
    return msgspec.json.decode(bytes(row.inverse), type=tuple[Change, ...])


def step(layer: Layer, version: int) -> Step:
    row = layer.events.get(version=version)
    return Step(event_of(row), inverse_of(row))


def head(layer: Layer) -> Head:
    """The state of a layer at the version in its row."""
    known = _head_cache.get(layer.pk)
    if known is None or known.version > layer.version:
        known = Head(*_snapshot(layer, layer.version), Undoable([], []))
        turns = layer.events.filter(version__lte=known.version).order_by("version")
        undoable = known.undoable
        for version, undoes, redoes in turns.values_list("version", "undoes", "redoes"):
            undoable = advance(undoable, version, _undo_marker(undoes, redoes))
        known = known._replace(undoable=undoable)
        _remember(layer.pk, known)
    rows = layer.events.filter(version__gt=known.version, version__lte=layer.version).order_by("version")
    if known.version < layer.version:
        for row in rows.iterator(FETCH_SIZE):
            event = event_of(row)
            state, _ = fold(known.state, event)
            known = Head(row.version, state, advance(known.undoable, row.version, event))
        _remember(layer.pk, known)
    return known


def _remember(layer: str, head: Head, size: int | None = None) -> None:
    _head_cache.add(layer, head, len(msgspec.json.encode(head.state)) if size is None else size)


def state_at(layer: Layer, version: int) -> State:
    """The state of a layer at any of its versions."""
    near, state = _snapshot(layer, version)
    for row in layer.events.filter(version__gt=near, version__lte=version).order_by("version").iterator(FETCH_SIZE):
        state, _ = fold(state, event_of(row))
    return state


def state_when_first_done(layer: Layer) -> State:
    """The state of a layer before any discussion; the newest state if it was never marked as done."""
    if layer.first_done in (None, layer.version):
        return head(layer).state
    return state_at(layer, layer.first_done)


def _snapshot(layer: Layer, version: int) -> tuple[int, State]:
    near = layer.snapshots.filter(version__lte=version).order_by("-version")[0]
    return near.version, msgspec.json.decode(bytes(near.state), type=State)


def _undo_marker(undoes: int | None, redoes: int | None) -> Event:
    return Event(id="", operation="", changes=(), undoes=undoes, redoes=redoes)


def create_layer(
    text: Text,
    name: str,
    kind: str,
    author: Account | None,
    state: State | bytes,
    *,
    done: bool = False,
    made_from: Sequence[str] = (),
    purpose: str = "",
    back: str = "",
    due: date | None = None,
) -> Layer:
    """Create a layer of a text; its state may be encoded already."""
    if author and text.layers.filter(author=author).count() >= MAX_LAYERS:
        raise NoRoomError(f"You have {MAX_LAYERS} layers of this text: delete some first. {quotas.NOTHING_LOST}")
    with transaction.atomic():
        layer = Layer.objects.create(
            text=text, name=_free_name(text, author, name), kind=kind, author=author, done=done,
            made_from=list(made_from), purpose=purpose, back=back, due=due,
            mentions=len(state.mentions) if isinstance(state, State) else None,
        )  # fmt: skip
        quotas.charge(layer, quotas.ROW_BYTES + _store_snapshot(layer, 0, state))
    return layer


def _store_snapshot(layer: Layer, version: int, state: State | bytes) -> int:
    """Store a snapshot, and return the number of bytes that it takes."""
    encoded = state if isinstance(state, bytes) else _encode_state(state)
    row = Snapshot.objects.create(layer=layer, version=version, state=encoded)
    return quotas.ROW_BYTES + len(row.state)


def _encode_state(state: State) -> bytes:
    """Encode a state; one that would be too large to open again is refused."""
    encoded = msgspec.json.encode(state)
    if len(encoded) > MAX_STORED_BYTES:
        raise NoRoomError(
            f"This layer would say more than {MAX_STORED_BYTES:,} bytes hold: start a new one. {quotas.NOTHING_LOST}"
        )
    return encoded


def _bytes_of(rows: Iterable[EventRow]) -> int:
    return sum(quotas.ROW_BYTES + len(row.body) + len(row.inverse) for row in rows)


def _free_name(text: Text, author: Account | None, name: str) -> str:
    """The name, with a number if the author already has a layer of this name for the text."""
    taken = set(text.layers.filter(author=author).values_list("name", flat=True))
    return name[:120] if name[:120] not in taken else _unique_title(name[:110], taken)


def _unique_title(name: str, taken: Container[str]) -> str:
    return next(name for name in chain([name], (f"{name} {number}" for number in count(2))) if name not in taken)


def layers_by_name(rows: Sequence[Layer]) -> dict[str, Layer]:
    """Layers by unique titles: the author is added if several layers have the same name."""
    names = Counter(row.name for row in rows)
    by_title: dict[str, Layer] = {}
    for row in rows:
        title = row.name if names[row.name] == 1 else f"{row.name} ({row.author.name if row.author else row.kind})"
        by_title[_unique_title(title, by_title)] = row
    return by_title


def copy_layer(layer: Layer, author: Account, base: int, events: Sequence[Event], name: str = "") -> Layer | Refused:
    """Copy a layer up to a version, including its events, for a new author, and append other events.

    A repeated request with the same last event returns the same copy.
    """
    if not 0 <= base <= layer.version:
        return Refused([f"found version {base}, expected one from 0 to {layer.version}"])
    if events and (known := _copy_of(layer, author, events[-1])):
        return known
    kind = layer.kind if layer.kind in ("key", "proposal") else "annotation"
    with transaction.atomic():
        copy = create_layer(
            layer.text, name.strip() or f"{layer.name[:100]} (copy)", kind, author, state_at(layer, 0),
            made_from=layer.made_from, purpose=layer.purpose, back=layer.back,
        )  # fmt: skip
        past_events = layer.events.filter(version__lte=base).order_by("version")
        states = layer.snapshots.filter(version__range=(1, base)).order_by("version")
        quotas.charge(copy, _bytes_in(past_events, "body", "inverse") + _bytes_in(states, "state"))
        _copy_rows(copy, past_events)
        _copy_rows(copy, states)
        Layer.objects.filter(pk=copy.pk).update(version=base, mentions=None)
        if events:
            outcome = append_events(copy.pk, author, base, events)
            if not isinstance(outcome, Added):
                transaction.set_rollback(True)
                return outcome if isinstance(outcome, Refused) else Refused(["found events that are there already"])
        copy.refresh_from_db()
    return copy


def _bytes_in(rows: QuerySet[Any], *fields: str) -> int:
    """The size of rows, computed by the database without loading them."""
    totals = rows.aggregate(rows=Count("pk"), **{name: Sum(Length(name), default=0) for name in fields})
    return quotas.ROW_BYTES * int(totals["rows"]) + sum(int(totals[name]) for name in fields)


def _copy_rows(copy: Layer, rows: QuerySet[Any]) -> None:
    """Copy rows of another layer, a few in memory at a time."""
    source_rows = rows.iterator(FETCH_SIZE)
    while batch := [*islice(source_rows, FETCH_SIZE)]:
        for row in batch:
            row.pk, row.layer = None, copy
        rows.model._default_manager.bulk_create(batch)


def _copy_of(layer: Layer, author: Account, last: Event) -> Layer | None:
    """The copy by this author that already contains an event."""
    made = EventRow.objects.filter(identity=last.id, layer__text=layer.text_id, layer__author=author)
    row = made.exclude(layer=layer).select_related("layer").first()
    return row.layer if row else None


def events_since(layer: Layer, version: int, most: int = 1_000) -> list[EventRow]:
    """The events after a version, with their authors: at least one, and at most as many as fit into one response."""
    rows, size = list[EventRow](), 0
    behind = layer.events.filter(version__gt=version).order_by("version").select_related("author")
    for row in behind[:most].iterator(FETCH_SIZE):
        size += len(row.body)
        if rows and size > MAX_ANSWER_BYTES:
            break
        rows.append(row)
    return rows


def append_events(name: str, author: Account, base: int, events: Sequence[Event]) -> Added | Conflict | Refused:
    """Append events to a layer. Events that it already contains are not added twice.

    If others have added events since `base`, nothing is added and the conflict contains their events.
    """
    with transaction.atomic():
        layer = Layer.objects.select_for_update().filter(pk=name).first()
        if layer is None or layer.done:  # this may have changed since the caller's check
            return Refused(["found a layer that is done or deleted meanwhile, expected one that is worked on"])
        identities = [event.id for event in events]
        known_versions = dict(layer.events.filter(identity__in=identities).values_list("identity", "version"))
        fresh = [event for event in events if event.id not in known_versions]
        if not fresh:
            return Added(max(known_versions.values(), default=layer.version))
        before = [known_versions.get(identity) for identity in identities[: len(events) - len(fresh)]]
        if base > layer.version or before != list(range(base + 1, layer.version + 1)):
            return Conflict(layer.version, events_since(layer, base))
        current = head(layer)
        rows: list[EventRow] = []
        for event in fresh:
            problems = refusals(
                text_content(layer.text_id), current.state, current.undoable, event, _step_lookup(layer, rows)
            )
            if problems:
                return Refused(problems)
            state, inverse = fold(current.state, event)
            current = Head(current.version + 1, state, advance(current.undoable, current.version + 1, event))
            rows.append(_row(layer, author, current.version, event, inverse))
        encoded = _encode_state(current.state)
        EventRow.objects.bulk_create(rows)
        _note_work(layer, current)
        is_far = current.version // SNAPSHOT_INTERVAL > layer.version // SNAPSHOT_INTERVAL
        quotas.charge(layer, _bytes_of(rows) + (_store_snapshot(layer, current.version, encoded) if is_far else 0))
    _remember(name, current, len(encoded))
    return Added(current.version)


def _note_work(layer: Layer, current: Head) -> None:
    """Update a layer's version, number of mentions, time of change, and the working time of its annotator."""
    now = timezone.now()
    interval = (now - layer.changed).total_seconds() if layer.changed else PAUSE
    Layer.objects.filter(pk=layer.pk).update(
        version=current.version,
        mentions=len(current.state.mentions),
        changed=now,
        seconds=F("seconds") + (round(interval) if 0 <= interval < PAUSE else 0),
    )


def count_mentions(rows: Iterable[Layer]) -> None:
    """Count the mentions of layers without a stored count."""
    for row in rows:
        if row.mentions is None:
            row.mentions = len(head(row).state.mentions)
            Layer.objects.filter(pk=row.pk, version=row.version).update(mentions=row.mentions)


def _step_lookup(layer: Layer, fresh: Sequence[EventRow]) -> Callable[[int], Step]:
    def lookup(version: int) -> Step:
        row = next((row for row in fresh if row.version == version), None)
        return Step(event_of(row), inverse_of(row)) if row else step(layer, version)

    return lookup


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
