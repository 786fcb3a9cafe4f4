"""The JSON API of the workbench for pages and programs. Objects that the account may not see give a 404."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_POST

from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import NUL, refusal, whole_number
from aune.server.workbench import access, layers
from aune.server.workbench.byte_cache import ByteCache
from aune.server.workbench.models import Event as EventRow
from aune.server.workbench.models import Layer
from aune.server.workbench.project_schemas import project_schema, schema_of
from aune.workbench import differences
from aune.workbench.model import Event, Text
from aune.workbench.proposals import pronouns, proposals
from aune.workbench.schemas import Schema, violations_of
from aune.workbench.spans import RuleViolation
from aune.workbench.suggestions import lexical, page_data

Body = TypeVar("Body")
MAX_EVENTS = 1_000  # in one request
NOT_FINISHED = "Only its author says when a layer is done, and a proposal that was sent stays so."


class EventBatch(msgspec.Struct, forbid_unknown_fields=True):
    """Events that a page created after a version."""

    base: int
    events: list[Event]


class CopyRequest(EventBatch, forbid_unknown_fields=True):
    """Events in conflict with those of others, to be stored in a copy of the layer."""

    name: str = ""


class DoneRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a layer is done."""

    done: bool


def answer(content: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(content), status=status, content_type="application/json")


def decode_body(request: HttpRequest, kind: type[Body]) -> Body | HttpResponse:
    """Parse the body of a request; a refusal if it is invalid."""
    if request.content_type == "multipart/form-data":
        return refusal(request, 415, "Expected JSON, not a form.")
    if b"\\u0000" in request.body:
        return refusal(request, 400, NUL)
    try:
        return msgspec.json.decode(request.body, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return refusal(request, 400, f"The request cannot be read: {error}")


@require_GET
def layer(request: HttpRequest, layer: str) -> HttpResponse:
    """A layer with its text and its state."""
    account = person(request)
    row = access.layer(account, layer)
    head = layers.head(row)
    return answer(
        {
            "layer": {
                "id": row.pk,
                "name": row.name,
                "kind": row.kind,
                "author": row.author.name if row.author else "",
                "version": head.version,
                "done": row.done,
                "task": row.text.task,
                "editable": access.can_edit(account, row),
                "siblings": siblings(account, row),
                "back": row.back,
            },
            "text": text_data(row),
            "state": head.state,
            "undo": head.undoable.undo,
            "redo": head.undoable.redo,
            "broken": layer_violations(row, head),
            "schema": schema_of(row.text),
            **text_details(row.text_id),
        }
    )


@require_GET
def rule_violations(request: HttpRequest, layer: str) -> HttpResponse:
    """The rules of the typology that the newest version of a layer breaks, with their places."""
    row = access.layer(person(request), layer)
    head = layers.head(row)
    return answer({"version": head.version, "broken": layer_violations(row, head)})


def layer_violations(row: Layer, head: layers.Head) -> list[RuleViolation]:
    """The violations of the project's schema, or of the rules for entities."""
    return violations_of(layers.text_content(row.text_id), head.state, project_schema(row.text))


@require_GET
def edits(request: HttpRequest, layer: str) -> HttpResponse:
    """The differences between a layer and its initial state."""
    row = access.layer(person(request), layer)
    head = layers.head(row)
    changes = differences.edits(layers.text_content(row.text_id), layers.state_at(row, 0), head.state)
    return answer({"base": 0, "version": head.version, "edits": changes})


def text_data(row: Layer) -> dict[str, Any]:
    """The text of a layer in the form that pages use."""
    text = layers.text_content(row.text_id)
    return {
        "id": row.text_id, "name": row.text.name, "characters": text.characters, "tokens": text.tokens,
        "sentences": text.sentences, "task": text.task, "components": components(schema_of(row.text)),
    }  # fmt: skip


def components(schema: Schema) -> list[str]:
    """The labels of a schema that mark parts of entities rather than types."""
    return sorted(label_type.name for label_type in schema.types if label_type.inside is not None)


def siblings(account: Account, row: Layer) -> list[dict[str, Any]]:
    """The other layers of the text; of hidden annotations, organisers and annotators see only existence and author."""
    every = list(Layer.objects.filter(text=row.text_id).select_related("author").order_by("made"))
    seen, listed = access.visible_layers(account, every), []
    for other in every:
        if other == row:
            continue
        visible = other in seen
        if visible or (other.kind == "annotation" and account.role in access.WORKERS):
            author = other.author.name if other.author else ""
            id, name = (other.pk, other.name) if visible else ("", "")
            listed.append({"id": id, "name": name, "kind": other.kind, "author": author, "visible": visible})
    return listed


_details_cache = ByteCache[dict[str, msgspec.Raw]](layers.CACHE_BYTES)


def text_details(text: str) -> dict[str, msgspec.Raw]:
    """The data about a text that the page needs to work offline, as JSON; cached for the texts used last."""
    known = _details_cache.get(text)
    if known is None:
        made = _compute_details(layers.text_content(text))
        known = {name: msgspec.Raw(msgspec.json.encode(value)) for name, value in made.items()}
        _details_cache.add(text, known, sum(len(bytes(value)) for value in known.values()))
    return known


def forget_details(text: str) -> None:
    """Remove a text from the cache of details, because its words have changed."""
    _details_cache.discard(text)


def _compute_details(words: Text) -> dict[str, Any]:
    """Mention kinds, lexical data, and candidate mentions of a text."""
    chains = words.task == "coref"
    likely = proposals(words) if words.task in ("coref", "anaphora") else []
    proposed = pronouns(words) if words.task == "anaphora" else likely
    return {
        "kinds": ["name", "noun", "pronoun", "unanalysed"] if chains else [],
        "lexical": page_data(lexical(words)) if chains else None,
        "proposals": [place for part in proposed for place in part],
        "candidates": [place for part in likely for place in part] if words.task == "anaphora" else [],
    }


@require_POST
def events(request: HttpRequest, layer: str) -> HttpResponse:
    """Append events; the response is sent after they are stored durably."""
    account = person(request)
    row = access.layer(account, layer)
    batch = decode_body(request, EventBatch)
    if isinstance(batch, HttpResponse):
        return batch
    if not access.can_edit(account, row):
        return refusal(request, 403, "This layer is done, or somebody else's: it is not changed.")
    if wrong := "Expected an event or more." if not batch.events else batch_problem(batch.events):
        return refusal(request, 422, wrong)
    match layers.append_events(row.pk, account, batch.base, batch.events):
        case layers.Added(version):
            return answer({"version": version})
        case layers.Conflict(version, since):
            return answer({"version": version, "events": list(map(event_data, since))}, 409)
        case layers.Refused(problems):
            return answer({"problems": problems}, 422)


def batch_problem(events: Sequence[Event]) -> str:
    """Why a batch of events is refused regardless of their content; empty if it is acceptable."""
    if len(events) > MAX_EVENTS or len({event.id for event in events}) < len(events):
        return f"Expected at most {MAX_EVENTS} events, each with an id of its own."
    return "" if all(0 < len(event.id) <= 64 for event in events) else "Expected ids of 1 to 64 characters."


@require_POST
def copy(request: HttpRequest, layer: str) -> HttpResponse:
    """Store events that conflict with those of others in a copy of the layer."""
    account = person(request)
    row = access.layer(account, layer)
    batch = decode_body(request, CopyRequest)
    if isinstance(batch, HttpResponse):
        return batch
    if wrong := batch_problem(batch.events):
        return refusal(request, 422, wrong)
    made = layers.copy_layer(row, account, batch.base, batch.events, batch.name)
    if isinstance(made, layers.Refused):
        return answer({"problems": made.problems}, 422)
    content = {"layer": made.pk, "name": made.name, "address": f"/layer/{made.pk}/", "version": made.version}
    return answer(content, 201)


def event_data(row: EventRow) -> dict[str, Any]:
    """An event in the form that other windows receive."""
    author = row.author.name if row.author else ""
    return {**msgspec.json.decode(bytes(row.body)), "version": row.version, "author": author, "at": row.at}


@require_GET
def history(request: HttpRequest, layer: str) -> HttpResponse:
    """The events since a version, at most a thousand; for more, ask again from the last one."""
    row = access.layer(person(request), layer)
    since = whole_number(request.GET.get("since", "0"))
    if since is None:
        return refusal(request, 422, "Expected since to be a version.")
    return answer(
        {"version": row.version, "events": [event_data(event) for event in layers.events_since(row, since, MAX_EVENTS)]}
    )


@require_GET
def inverse(request: HttpRequest, layer: str, version: int) -> HttpResponse:
    """The changes that undo a version, and those that redo it."""
    row = access.layer(person(request), layer)
    event = row.events.filter(version=version).first()
    if event is None:
        return refusal(request, 404, f"The layer has no version {version}.")
    return answer({"changes": layers.inverse_of(event), "again": layers.event_of(event).changes})


@require_POST
def set_done(request: HttpRequest, layer: str) -> HttpResponse:
    """Mark a layer as done, or as not done."""
    account = person(request)
    row = access.layer(account, layer)
    body = decode_body(request, DoneRequest)
    if isinstance(body, HttpResponse):
        return body
    if not access.can_finish(account, row):
        return refusal(request, 403, NOT_FINISHED)
    mark_done(row, body.done)
    return answer({"done": body.done})


def mark_done(row: Layer, is_done: bool) -> None:
    """Set whether a layer is done. The version first marked as done counts as its state before any discussion."""
    Layer.objects.filter(pk=row.pk).update(done=is_done)
    if is_done:
        Layer.objects.filter(pk=row.pk, first_done=None).update(first_done=F("version"))
