"""A key made from several layers: where it stands, and decisions as events with their author and reason."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.core.errors import AuneError, UsageError
from aune.server.accounts.models import Account, identifier
from aune.server.accounts.views import person
from aune.server.policy import refused, whole_number
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer, drawn, posted, told
from aune.server.workbench.models import Event as EventRow
from aune.server.workbench.models import Layer
from aune.server.workbench.pages import moved
from aune.workbench.adjudication import Annotations
from aune.workbench.decisions import (
    Decision,
    defined,
    described,
    joined,
    kept_apart,
    rejected,
    related,
    unrelated,
)
from aune.workbench.decisions import decisions as decided
from aune.workbench.model import Event
from aune.workbench.questions import Adjudication

ASKED = 200  # questions of each kind, and decisions, in one answer
REMEMBERED = 8  # keys that are being made
KINDS = ("mentions", "ties", "features", "chains", "relations")


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody decides about the key as it was at a version."""

    base: int
    operation: Literal["accept", "reject", "join", "apart", "describe", "define", "relate", "unrelated", "undo", "redo"]
    about: list[str] = []
    """An extent to accept or reject; two chains of the key to join or keep apart; an extent and a feature to describe;
    name, notes or feature:NAME and a chain to define; a kind and two chains or more to relate; nothing to undo."""
    label: str = ""
    value: str = ""
    """The value of a feature, a name, notes; '' for none."""
    reason: str = ""


@require_POST
def begin(request: HttpRequest, text: str) -> HttpResponse:
    """A new key, with what the chosen layers agree on."""
    account = person(request)
    row = access.text(account, text)
    if not account.is_organiser:
        return refused(request, 403, "Only organisers make keys.")
    chosen = [access.layer(account, name) for name in request.POST.getlist("layer")]
    if len(chosen) < 2 or any(layer.text_id != row.pk for layer in chosen):
        return refused(request, 422, "A key is made from two layers of the text or more: choose them.")
    with _put_side_by_side(chosen) as annotations:
        state = annotations.begun()
    name = request.POST.get("name", "").strip() or "key"
    key = layers.began(row, name, "key", account, state, made_from=[layer.pk for layer in chosen])
    return moved(request, f"/adjudicate/{key.pk}/")


@require_GET
def page(request: HttpRequest, layer: str) -> HttpResponse:
    """The page on which a key is made: its module fills it."""
    key = key_of(person(request), layer)
    return render(request, "adjudicate.html", {"layer": key})


@require_http_methods(["GET", "POST"])
def adjudication(request: HttpRequest, layer: str) -> HttpResponse:
    """Where a key stands; after a decision, only what it changes."""
    account = person(request)
    key = key_of(account, layer)
    if request.method == "POST":
        asked = posted(request, Decided)
        if isinstance(asked, HttpResponse):
            return asked
        if not access.edits(account, key):
            return refused(request, 403, "This key is done, or somebody else's: it is not changed.")
        try:
            event = _event(account, key, asked)
            outcome = layers.added(key.pk, account, asked.base, [event])
        except AuneError as error:
            return refused(request, 422, str(error))
        if isinstance(outcome, layers.Moved):
            return answer({"version": outcome.version, "events": list(map(told, outcome.events))}, 409)
        if isinstance(outcome, layers.Refused):
            return answer({"problems": outcome.problems}, 422)
        key = key_of(account, layer)
        return answer({**_standing(account, key), "changes": event.changes})
    return answer(_whole(account, key))


@require_GET
def questions(request: HttpRequest, layer: str) -> HttpResponse:
    """More of the questions that are open, those of one kind from a place on."""
    account = person(request)
    key = key_of(account, layer)
    kind, first = request.GET.get("of", "mentions"), whole_number(request.GET.get("first", "0"))
    if kind not in KINDS or first is None:
        return refused(request, 422, f"Expected of to be {', '.join(KINDS)}, and first a number.")
    found = standing_of(account, key, first + ASKED).found
    listed = getattr(found, kind)[first:]
    return answer({"questions": listed, "open": found.open, "version": layers.head(key).version})


@require_GET
def decisions(request: HttpRequest, layer: str) -> HttpResponse:
    """The decisions before a version, the newest last."""
    account = person(request)
    key = key_of(account, layer)
    before = whole_number(request.GET.get("before", ""))
    made = _decisions(key)
    if before is not None:
        made = [one for one in made if one.version < before]
    return answer({"decisions": _with_authors(key, made[-ASKED:])})


def key_of(account: Account, name: str) -> Layer:
    """A key that is made from layers, if somebody sees it."""
    key = access.layer(account, name)
    if key.kind != "key" or not key.made_from:
        raise Http404
    return key


def sources_of(account: Account, key: Layer) -> list[Layer]:
    """The layers that a key is made from, as far as they are still there and visible."""
    rows = {row.pk: row for row in Layer.objects.filter(pk__in=key.made_from).select_related("author", "text")}
    return [row for name in key.made_from if (row := rows.get(name)) and access.sees(account, row)]


class Standing(NamedTuple):
    """Where a key stands: the first questions of each kind, and the decisions."""

    annotations: Annotations
    found: Adjudication


def standing_of(account: Account, key: Layer, most: int = ASKED) -> Standing:
    """The questions that are open of a key."""
    with _put_side_by_side(sources_of(account, key)) as annotations:
        return Standing(annotations, annotations.adjudicated(layers.head(key).state, _decisions(key), most))


@contextmanager
def _put_side_by_side(rows: Sequence[Layer]) -> Iterator[Annotations]:
    """Layers as they are, put side by side; those of the keys made last are remembered. One thread at a time."""
    heads = {name: layers.head(row) for name, row in layers.named(rows).items()}
    stand = tuple((row.pk, row.version) for row in rows)
    with _lock:
        if stand not in _annotations:
            _annotations[stand] = Annotations({name: head.state for name, head in heads.items()})
        _annotations.move_to_end(stand)
        if len(_annotations) > REMEMBERED:
            _annotations.popitem(last=False)
        yield _annotations[stand]


_annotations: OrderedDict[tuple[tuple[str, int], ...], Annotations] = OrderedDict()
_lock = threading.Lock()


def _decisions(key: Layer) -> list[Decision]:
    """The decisions of a key that count, in the order in which they were made."""
    known = _decided.get(key.pk, {})
    last = max(known, default=0)
    if last < key.version:
        rows = key.events.filter(version__gt=last, version__lte=key.version).order_by("version")
        known = {**known, **{row.version: _decision(row) for row in rows.iterator(layers.FEW)}}
        if len(_decided) > REMEMBERED:
            _decided.clear()
        _decided[key.pk] = known
    undo = sorted(layers.head(key).undoable.undo)
    return [decision for version in undo if (decision := known[version])]


_decided: dict[str, dict[int, Decision | None]] = {}
"""By key and version; None for an event that decides nothing."""


def _decision(row: EventRow) -> Decision | None:
    return next(iter(decided([(row.version, layers.event_of(row))])), None)


def _with_authors(key: Layer, made: Sequence[Decision]) -> list[dict[str, Any]]:
    rows = key.events.filter(version__in=[one.version for one in made]).values_list("version", "author__name")
    authors = dict(rows)
    return [{**msgspec.to_builtins(one), "author": authors.get(one.version) or ""} for one in made]


def _standing(account: Account, key: Layer) -> dict[str, Any]:
    """What a decision changes of what a page knows."""
    head, (_, found) = layers.head(key), standing_of(account, key)
    return {
        **{name: getattr(found, name) for name in (*KINDS, "open", "agreed")},
        "decisions": _with_authors(key, found.decisions[-ASKED:]),
        "decided": len(found.decisions),
        "layer": {"id": key.pk, "name": key.name, "version": head.version, "editable": access.edits(account, key)},
        "undo": head.undoable.undo,
        "redo": head.undoable.redo,
    }


def _whole(account: Account, key: Layer) -> dict[str, Any]:
    """All that a page draws."""
    states = {name: layers.head(row).state for name, row in layers.named(sources_of(account, key)).items()}
    drawing = {"text": drawn(key), "names": list(states), "states": states, "key": layers.head(key).state}
    return {**_standing(account, key), **drawing}


def _event(account: Account, key: Layer, asked: Decided) -> Event:
    """The event of a decision."""
    head = layers.head(key)
    match asked.operation, asked.about:
        case "accept", [extent]:
            with _put_side_by_side(sources_of(account, key)) as annotations:
                return annotations.accepted(head.state, extent, asked.label, asked.reason)
        case "reject", [extent]:
            return rejected(extent, asked.reason)
        case "join", [first, second]:
            return joined(head.state, first, second, asked.reason)
        case "apart", [first, second]:
            return kept_apart(head.state, first, second, asked.reason)
        case "describe", [extent, feature]:
            return described(head.state, extent, feature, asked.value, asked.label, asked.reason)
        case "define", [what, chain]:
            return defined(head.state, what, chain, asked.value, asked.reason)
        case "relate", [kind, source, *targets] if targets:
            return related(head.state, kind, source, targets, asked.reason)
        case "unrelated", [kind, source, *targets] if targets:
            return unrelated(head.state, kind, source, targets, asked.reason)
        case "undo", [] if head.undoable.undo:
            last = head.undoable.undo[-1]
            return Event(id=identifier(), operation="undo", changes=layers.step(key, last).inverse, undoes=last)
        case "redo", [] if head.undoable.redo:
            last = head.undoable.redo[-1]
            return Event(id=identifier(), operation="redo", changes=layers.step(key, last).event.changes, redoes=last)
    what = f"found {asked.operation} about {len(asked.about)} things"
    raise UsageError(
        f"{what}, expected an extent for accept and reject, two chains for join and apart, an extent and a feature for "
        "describe, what and a chain for define, a kind and two chains for relate and unrelated"
    )
