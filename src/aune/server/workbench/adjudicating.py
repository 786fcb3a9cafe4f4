"""A key made from several layers: where it stands, and decisions as events with their author and reason."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.core.errors import AuneError, UsageError
from aune.server.accounts.models import Account, identifier
from aune.server.accounts.views import person
from aune.server.policy import refused
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer, drawn, posted, told
from aune.server.workbench.models import Layer
from aune.server.workbench.pages import moved
from aune.workbench.adjudication import accepted, adjudicated, begun, joined, kept_apart, rejected
from aune.workbench.model import Event, State


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody decides about the key as it was at a version."""

    base: int
    operation: Literal["accept", "reject", "join", "apart", "undo", "redo"]
    about: list[str] = []
    """An extent to accept or reject; two chains of the key to join or keep apart; nothing to undo."""
    label: str = ""
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
    state = begun(_states(chosen))
    name = request.POST.get("name", "").strip() or "key"
    key = layers.began(row, name, "key", account, state, made_from=[layer.pk for layer in chosen])
    return moved(request, f"/adjudicate/{key.pk}/")


@require_GET
def page(request: HttpRequest, layer: str) -> HttpResponse:
    """The page on which a key is made: its module fills it."""
    key = _key(person(request), layer)
    return render(request, "adjudicate.html", {"layer": key})


@require_http_methods(["GET", "POST"])
def adjudication(request: HttpRequest, layer: str) -> HttpResponse:
    """Where a key stands; after a decision, when one is posted."""
    account = person(request)
    key = _key(account, layer)
    if request.method == "POST":
        asked = posted(request, Decided)
        if isinstance(asked, HttpResponse):
            return asked
        if not access.edits(account, key):
            return refused(request, 403, "This key is done, or somebody else's: it is not changed.")
        try:
            outcome = layers.added(key.pk, account, asked.base, [_event(account, key, asked)])
        except AuneError as error:
            return refused(request, 422, str(error))
        if isinstance(outcome, layers.Moved):
            return answer({"version": outcome.version, "events": list(map(told, outcome.events))}, 409)
        if isinstance(outcome, layers.Refused):
            return answer({"problems": outcome.problems}, 422)
        key = _key(account, layer)
    return answer(_standing(account, key))


def _key(account: Account, name: str) -> Layer:
    key = access.layer(account, name)
    if key.kind != "key" or not key.made_from:
        raise Http404
    return key


def _sources(account: Account, key: Layer) -> list[Layer]:
    """The layers that a key is made from, as far as they are still there and visible."""
    rows = {row.pk: row for row in Layer.objects.filter(pk__in=key.made_from).select_related("author", "text")}
    return [row for name in key.made_from if (row := rows.get(name)) and access.sees(account, row)]


def _states(rows: list[Layer]) -> dict[str, State]:
    """The states of layers by names of their own."""
    names = [row.name for row in rows]
    return {
        row.name if names.count(row.name) == 1 else f"{row.name} ({row.author.name if row.author else row.pk})":
            layers.head(row).state
        for row in rows
    }  # fmt: skip


def _standing(account: Account, key: Layer) -> dict[str, Any]:
    states, head, log = _states(_sources(account, key)), layers.head(key), layers.log(key)
    found = adjudicated(states, head.state, [layers.event_of(row) for row in log])
    authors = {row.version: row.author.name if row.author else "" for row in log}
    decisions = [{**msgspec.to_builtins(one), "author": authors[one.version]} for one in found.decisions]
    return {
        **{name: getattr(found, name) for name in found.__struct_fields__},
        "decisions": decisions,
        "text": drawn(key),
        "names": list(states),
        "states": states,
        "key": head.state,
        "layer": {"id": key.pk, "name": key.name, "version": head.version, "editable": access.edits(account, key)},
        "undo": head.undoable.undo,
        "redo": head.undoable.redo,
    }


def _event(account: Account, key: Layer, asked: Decided) -> Event:
    """The event of a decision."""
    head, states = layers.head(key), _states(_sources(account, key))
    match asked.operation, asked.about:
        case "accept", [extent]:
            return accepted(states, head.state, extent, asked.label, asked.reason)
        case "reject", [extent]:
            return rejected(extent, asked.reason)
        case "join", [first, second]:
            return joined(head.state, first, second, asked.reason)
        case "apart", [first, second]:
            return kept_apart(head.state, first, second, asked.reason)
        case "undo", [] if head.undoable.undo:
            last = head.undoable.undo[-1]
            return Event(id=identifier(), operation="undo", changes=layers.step(key, last).inverse, undoes=last)
        case "redo", [] if head.undoable.redo:
            last = head.undoable.redo[-1]
            return Event(id=identifier(), operation="redo", changes=layers.step(key, last).event.changes, redoes=last)
    what = f"found {asked.operation} about {len(asked.about)} things"
    raise UsageError(f"{what}, expected one extent for accept and reject, two chains for join and apart")
