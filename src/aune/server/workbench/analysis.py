"""What is computed about layers: comparisons, scores, suggestions. The domain computes; answers are JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_GET

from aune.core import registry
from aune.core.errors import AuneError, UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refused
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer
from aune.server.workbench.models import Layer
from aune.workbench.comparison import Conventions, compared, scores
from aune.workbench.model import State
from aune.workbench.suggestions import Ranking

SEVERAL = ("only", "measures")
"""What a query may say more than once, or with commas."""


def conventions(query: QueryDict, task: str) -> Conventions:
    """The conventions that a query names; a `msgspec.ValidationError` or an `AuneError` for any other."""
    known = {field.name for field in msgspec.structs.fields(Conventions)}
    chosen: dict[str, Any] = {}
    for name in query:
        if name in SEVERAL:
            chosen[name] = [part for value in query.getlist(name) for part in value.split(",") if part]
        elif name in known and query[name] != "":
            chosen[name] = query[name]
    names = {name for measure in registry.measures(task) for name in (measure.name, measure.name.partition(".")[2])}
    for name in chosen.get("measures", []):
        if name not in names:  # not even one that could be loaded from somewhere
            raise UsageError(f"Found the measure {name!r}, expected one of {task}: see aune list measures {task}.")
    return msgspec.convert(chosen, Conventions, strict=False)


def pair_of(account: Account, key: str, response: str) -> tuple[Layer, Layer]:
    """Two layers of one text that somebody sees."""
    first, second = access.layer(account, key), access.layer(account, response)
    if first.text_id != second.text_id:
        raise UsageError("The two layers are about different texts.")
    return first, second


def state_of(layer: Layer, version: str = "") -> State:
    """The state of a layer, now or at a version."""
    return layers.state_at(layer, int(version)) if version.isdecimal() else layers.head(layer).state


@require_GET
def compare(request: HttpRequest, layer: str, other: str) -> HttpResponse:
    """All that a page draws of two layers: text, states, scores, chains side by side."""
    try:
        key, response = pair_of(person(request), layer, other)
        chosen = conventions(request.GET, key.text.task)
        text = layers.words_of(key.text_id)
        states = state_of(key, request.GET.get("at", "")), state_of(response, request.GET.get("other_at", ""))
        found = _compared(text.task, key.text_id, states, chosen)
    except (AuneError, msgspec.ValidationError) as error:
        return refused(request, 422, str(error))
    return answer(
        {
            "layers": [{"id": one.pk, "name": one.name, "kind": one.kind} for one in (key, response)],
            "text": {
                "id": key.text_id, "name": key.text.name, "characters": text.characters, "tokens": text.tokens,
                "sentences": text.sentences, "task": text.task,
            },
            "states": states,
            **found,
        }
    )  # fmt: skip


def _compared(task: str, text: str, states: tuple[State, State], chosen: Conventions) -> dict[str, Any]:
    words = layers.words_of(text)
    if task == "coref":
        found = compared(words, *states, chosen)
        return {field.name: getattr(found, field.name) for field in msgspec.structs.fields(type(found))}
    return {"scores": scores(words, *states, chosen)}


@require_GET
def live(request: HttpRequest, layer: str) -> HttpResponse:
    """The scores of a layer against another, for the panel beside the text."""
    try:
        key, response = pair_of(person(request), request.GET.get("against", ""), layer)
        chosen = conventions(request.GET, key.text.task)
        found = scores(layers.words_of(key.text_id), state_of(key), state_of(response), chosen)
    except (AuneError, msgspec.ValidationError) as error:
        return refused(request, 422, str(error))
    return answer({"scores": found, "version": response.version})


@require_GET
def suggestions(request: HttpRequest, layer: str, mention: str) -> HttpResponse:
    """The likely chains of a mention, best first."""
    row = access.layer(person(request), layer)
    head = layers.head(row)
    if mention not in head.state.mentions:
        return refused(request, 404, f"The layer has no mention {mention!r}.")
    found = Ranking(layers.words_of(row.text_id), head.state).chains(mention)
    return answer({"chains": [one._asdict() for one in found], "version": head.version})
