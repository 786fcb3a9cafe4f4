"""Adjudication of several layers into a key: its progress, and decisions as events with their author and reason."""

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

from aune.errors import AuneError, UsageError
from aune.server.accounts.models import Account, identifier
from aune.server.accounts.views import person
from aune.server.policy import refusal, whole_number
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer, decode_body, event_data, text_data
from aune.server.workbench.models import Event as EventRow
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.pages import redirect_to
from aune.workbench.adjudication import Annotations
from aune.workbench.decisions import (
    Decision,
    define_event,
    describe_event,
    join_event,
    keep_apart_event,
    reject_event,
    relate_event,
    unrelate_event,
)
from aune.workbench.decisions import decisions as decided
from aune.workbench.model import Event
from aune.workbench.questions import Adjudication

PAGE_SIZE = 200  # questions of each kind, and decisions, in one response
MAX_CACHED = 8  # keys whose annotations and decisions are cached
KINDS = ("mentions", "ties", "features", "chains", "relations")


class DecisionRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A decision about the key, based on one of its versions."""

    base: int
    operation: Literal["accept", "reject", "join", "apart", "describe", "define", "relate", "unrelated", "undo", "redo"]
    about: list[str] = []
    """The arguments. accept, reject: an extent; join, apart: two chains; describe: an extent and a feature;
    define: name, notes or feature:NAME, and a chain; relate, unrelated: a kind, two or more chains; undo: none."""
    label: str = ""
    value: str = ""
    """The value of a feature, a name, or notes; '' removes it."""
    reason: str = ""


@require_POST
def begin(request: HttpRequest, text: str) -> HttpResponse:
    """Begin a key, which contains what the chosen layers agree on."""
    account = person(request)
    row = access.text(account, text)
    if not account.is_organiser:
        return refusal(request, 403, "Only organisers make keys.")
    chosen = [access.layer(account, name) for name in request.POST.getlist("layer")]
    if len(chosen) < 2 or any(layer.text_id != row.pk for layer in chosen):
        return refusal(request, 422, "A key is made from two layers of the text or more: choose them.")
    key = begin_key(row, account, chosen, request.POST.get("name", "").strip() or "key")
    return redirect_to(request, f"/adjudicate/{key.pk}/")


def begin_key(text: Text, account: Account, chosen: Sequence[Layer], name: str = "key") -> Layer:
    """Create a key of a text, which contains what the chosen layers agree on."""
    with _annotations_of(chosen) as annotations:
        state = annotations.initial_key()
    return layers.create_layer(text, name, "key", account, state, made_from=[layer.pk for layer in chosen])


@require_GET
def page(request: HttpRequest, layer: str) -> HttpResponse:
    """The adjudication page, whose content a JavaScript module adds."""
    key = key_layer(person(request), layer)
    return render(request, "adjudicate.html", {"layer": key})


@require_http_methods(["GET", "POST"])
def adjudication(request: HttpRequest, layer: str) -> HttpResponse:
    """The state of an adjudication; after a decision, only what the decision changes."""
    account = person(request)
    key = key_layer(account, layer)
    if request.method == "POST":
        decision = decode_body(request, DecisionRequest)
        if isinstance(decision, HttpResponse):
            return decision
        if not access.can_edit(account, key):
            return refusal(request, 403, "This key is done, or somebody else's: it is not changed.")
        try:
            event = _decision_event(account, key, decision)
            outcome = layers.append_events(key.pk, account, decision.base, [event])
        except AuneError as error:
            return refusal(request, 422, str(error))
        if isinstance(outcome, layers.Conflict):
            return answer({"version": outcome.version, "events": list(map(event_data, outcome.events))}, 409)
        if isinstance(outcome, layers.Refused):
            return answer({"problems": outcome.problems}, 422)
        key = key_layer(account, layer)
        return answer({**_progress_data(account, key), "changes": event.changes})
    return answer(_page_data(account, key))


@require_GET
def questions(request: HttpRequest, layer: str) -> HttpResponse:
    """More open questions of one kind, from a given position on."""
    account = person(request)
    key = key_layer(account, layer)
    kind, first = request.GET.get("of", "mentions"), whole_number(request.GET.get("first", "0"))
    if kind not in KINDS or first is None:
        return refusal(request, 422, f"Expected of to be {', '.join(KINDS)}, and first a number.")
    progress = key_progress(account, key, first + PAGE_SIZE).adjudication
    page_questions = getattr(progress, kind)[first:]
    return answer({"questions": page_questions, "open": progress.open, "version": layers.head(key).version})


@require_GET
def decisions(request: HttpRequest, layer: str) -> HttpResponse:
    """The decisions before a version, oldest first."""
    account = person(request)
    key = key_layer(account, layer)
    before = whole_number(request.GET.get("before", ""))
    decided_so_far = _decisions(key)
    if before is not None:
        decided_so_far = [decision for decision in decided_so_far if decision.version < before]
    return answer({"decisions": _with_authors(key, decided_so_far[-PAGE_SIZE:])})


def key_layer(account: Account, name: str) -> Layer:
    """A key made from layers; a 404 if the account may not see it."""
    key = access.layer(account, name)
    if key.kind != "key" or not key.made_from:
        raise Http404
    return key


def source_layers(account: Account, key: Layer) -> list[Layer]:
    """The layers that a key is made from, if they still exist and the account may see them."""
    rows = {row.pk: row for row in Layer.objects.filter(pk__in=key.made_from).select_related("author", "text")}
    return [row for name in key.made_from if (row := rows.get(name)) and access.can_see(account, row)]


class KeyProgress(NamedTuple):
    """The layers of a key side by side; its first questions of each kind, and its decisions."""

    annotations: Annotations
    adjudication: Adjudication


def key_progress(account: Account, key: Layer, most: int = PAGE_SIZE) -> KeyProgress:
    """The progress of a key, with at most `most` open questions of each kind."""
    with _annotations_of(source_layers(account, key)) as annotations:
        return KeyProgress(annotations, annotations.adjudication(layers.head(key).state, _decisions(key), most))


@contextmanager
def _annotations_of(rows: Sequence[Layer]) -> Iterator[Annotations]:
    """The current annotations of layers, side by side; the last few are cached. One thread at a time may use them."""
    heads = {name: layers.head(row) for name, row in layers.layers_by_name(rows).items()}
    cache_key = tuple((row.pk, row.version) for row in rows)
    with _lock:
        if cache_key not in _annotations:
            _annotations[cache_key] = Annotations({name: head.state for name, head in heads.items()})
        _annotations.move_to_end(cache_key)
        if len(_annotations) > MAX_CACHED:
            _annotations.popitem(last=False)
        yield _annotations[cache_key]


_annotations: OrderedDict[tuple[tuple[str, int], ...], Annotations] = OrderedDict()
_lock = threading.Lock()


def _decisions(key: Layer) -> list[Decision]:
    """The decisions of a key that were not undone, in their order."""
    known = _decision_cache.get(key.pk, {})
    last = max(known, default=0)
    if last < key.version:
        rows = key.events.filter(version__gt=last, version__lte=key.version).order_by("version")
        known = {**known, **{row.version: _decision(row) for row in rows.iterator(layers.FETCH_SIZE)}}
        if len(_decision_cache) > MAX_CACHED:
            _decision_cache.clear()
        _decision_cache[key.pk] = known
    undo = sorted(layers.head(key).undoable.undo)
    return [decision for version in undo if (decision := known[version])]


_decision_cache: dict[str, dict[int, Decision | None]] = {}
"""By key and version; None for an event that is not a decision."""


def _decision(row: EventRow) -> Decision | None:
    return next(iter(decided([(row.version, layers.event_of(row))])), None)


def _with_authors(key: Layer, made: Sequence[Decision]) -> list[dict[str, Any]]:
    rows = key.events.filter(version__in=[decision.version for decision in made]).values_list("version", "author__name")
    authors = dict(rows)
    return [{**msgspec.to_builtins(decision), "author": authors.get(decision.version) or ""} for decision in made]


def _progress_data(account: Account, key: Layer) -> dict[str, Any]:
    """The part of the page's state that a decision changes."""
    head, (_, progress) = layers.head(key), key_progress(account, key)
    return {
        **{name: getattr(progress, name) for name in (*KINDS, "open", "agreed")},
        "decisions": _with_authors(key, progress.decisions[-PAGE_SIZE:]),
        "decided": len(progress.decisions),
        "layer": {"id": key.pk, "name": key.name, "version": head.version, "editable": access.can_edit(account, key)},
        "undo": head.undoable.undo,
        "redo": head.undoable.redo,
    }


def _page_data(account: Account, key: Layer) -> dict[str, Any]:
    """Everything that the page shows."""
    states = {name: layers.head(row).state for name, row in layers.layers_by_name(source_layers(account, key)).items()}
    drawing = {"text": text_data(key), "names": list(states), "states": states, "key": layers.head(key).state}
    return {**_progress_data(account, key), **drawing}


def _decision_event(account: Account, key: Layer, decision: DecisionRequest) -> Event:
    """Convert a decision to an event."""
    head = layers.head(key)
    match decision.operation, decision.about:
        case "accept", [extent]:
            with _annotations_of(source_layers(account, key)) as annotations:
                return annotations.accept_event(head.state, extent, decision.label, decision.reason)
        case "reject", [extent]:
            return reject_event(extent, decision.reason)
        case "join", [first, second]:
            return join_event(head.state, first, second, decision.reason)
        case "apart", [first, second]:
            return keep_apart_event(head.state, first, second, decision.reason)
        case "describe", [extent, feature]:
            return describe_event(head.state, extent, feature, decision.value, decision.label, decision.reason)
        case "define", [attribute, chain]:
            return define_event(head.state, attribute, chain, decision.value, decision.reason)
        case "relate", [kind, source, *targets] if targets:
            return relate_event(head.state, kind, source, targets, decision.reason)
        case "unrelated", [kind, source, *targets] if targets:
            return unrelate_event(head.state, kind, source, targets, decision.reason)
        case "undo", [] if head.undoable.undo:
            last = head.undoable.undo[-1]
            return Event(id=identifier(), operation="undo", changes=layers.step(key, last).inverse, undoes=last)
        case "redo", [] if head.undoable.redo:
            last = head.undoable.redo[-1]
            return Event(id=identifier(), operation="redo", changes=layers.step(key, last).event.changes, redoes=last)
    attribute = f"found {decision.operation} about {len(decision.about)} things"
    raise UsageError(
        f"{attribute}, expected an extent for accept and reject, two chains for join and apart, an "
        "extent and a feature for "
        "describe, what and a chain for define, a kind and two chains for relate and unrelated"
    )
