"""Computations about layers as JSON: comparisons, scores, suggestions. The domain package computes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_GET, require_http_methods

from aune.baselines.coref.activation import GROUPS
from aune.contract import registry
from aune.errors import AuneError, UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.jobs import models as jobs
from aune.server.policy import refusal, whole_number
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer, decode_body, text_data
from aune.server.workbench.models import Layer
from aune.workbench import resolution
from aune.workbench.answers import compare_answers
from aune.workbench.comparison import PLAIN, Conventions, compare_states, scores
from aune.workbench.model import State, Text
from aune.workbench.skeletons import EXAMPLES, compare_skeleton
from aune.workbench.spans import compare_spans
from aune.workbench.suggestions import Ranking

NO_CHAINS = "The resolver makes chains: only texts annotated for coreference have them."
MAX_STEPS = 500
MAX_WAITING = 4  # queued computations of losses, so that the worker stays free for other jobs
MAX_TYPED = 100_000  # characters of one side of a skeleton
REPEATABLE = ("only", "measures")
"""Query parameters that may be repeated, or contain several values separated by commas."""


def conventions(query: QueryDict, task: str) -> Conventions:
    """Parse the conventions in a query. Raises `msgspec.ValidationError` or `AuneError` if they are invalid."""
    known = {field.name for field in msgspec.structs.fields(Conventions)}
    chosen: dict[str, Any] = {}
    for name in query:
        if name in REPEATABLE:
            chosen[name] = [part for value in query.getlist(name) for part in value.split(",") if part]
        elif name in known and query[name] != "":
            chosen[name] = query[name]
    names = {name for measure in registry.measures(task) for name in (measure.name, measure.name.partition(".")[2])}
    for name in chosen.get("measures", []):
        if name not in names:  # measures from elsewhere are refused too, even if they could be loaded
            raise UsageError(f"Found the measure {name!r}, expected one of {task}: see aune list measures {task}.")
    return msgspec.convert(chosen, Conventions, strict=False)


class Moment(NamedTuple):
    """A layer at a version, or the resolver's output on its mentions after some steps."""

    layer: Layer
    at: str
    """A version; `step` and a number of mentions; or empty for the newest version."""

    @property
    def name(self) -> str:
        if not self.at:
            return self.layer.name
        step = self.at.removeprefix("step")
        return f"{self.layer.name}, {f'version {self.at}' if step == self.at else f'resolver at step {step}'}"

    @property
    def state(self) -> State:
        if not self.at:
            return layers.head(self.layer).state
        if self.at.isdecimal():
            return layers.state_at(self.layer, int(self.at))
        words, step = layers.text_content(self.layer.text_id), int(self.at.removeprefix("step"))
        return resolution.state_at_step(words, layers.head(self.layer).state, step)


def moment(account: Account, address: str) -> Moment:
    """Parse `LAYER`, `LAYER@VERSION` or `LAYER@stepN`; a 404 if the account may not see the layer."""
    name, _, at = address.partition("@")
    layer = access.layer(account, name)
    if at and whole_number(at.removeprefix("step")) is None:
        raise UsageError(f"Found {at[:20]!r} behind @, expected a version, or step and a number.")
    if at.isdecimal() and int(at) > layer.version:
        raise UsageError(f"Found version {at}, expected one from 0 to {layer.version}.")
    if at.startswith("step") and layer.text.task != "coref":
        raise UsageError(NO_CHAINS)
    return Moment(layer, at)


def moment_pair(account: Account, key: str, response: str) -> tuple[Moment, Moment]:
    """Two visible layers of one text, each in its newest version or at the given moment."""
    first, second = moment(account, key), moment(account, response)
    if first.layer.text_id != second.layer.text_id:
        raise UsageError("The two layers are about different texts.")
    return first, second


@require_GET
def compare(request: HttpRequest, layer: str, other: str) -> HttpResponse:
    """Everything that the comparison page shows: text, states, scores, and chains side by side."""
    try:
        key, response = moment_pair(person(request), layer, other)
        chosen = conventions(request.GET, key.layer.text.task)
        states = key.state, response.state
        comparison = _comparison_data(layers.text_content(key.layer.text_id), states, chosen)
    except (AuneError, msgspec.ValidationError) as error:
        return refusal(request, 422, str(error))
    return answer(
        {
            "names": [key.name, response.name],
            "text": text_data(key.layer),
            "states": states,
            **comparison,
        }
    )


def _comparison_data(words: Text, states: tuple[State, State], chosen: Conventions) -> dict[str, Any]:
    """The comparison of two states: of chains, of answers, or of spans, depending on the task."""
    if words.task == "coref":
        return _fields(compare_states(words, *states, chosen))
    if words.task in ("tagging", "anaphora"):
        return _fields(compare_answers(words, *states, chosen))
    return _fields(compare_spans(words, *states, chosen))


def _fields(struct: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


@require_GET
def live_scores(request: HttpRequest, layer: str) -> HttpResponse:
    """The scores of a layer against another, for the panel beside the text."""
    try:
        key, response = moment_pair(person(request), request.GET.get("against", ""), layer)
        chosen = conventions(request.GET, key.layer.text.task)
        values = scores(layers.text_content(key.layer.text_id), key.state, response.state, chosen)
    except (AuneError, msgspec.ValidationError) as error:
        return refusal(request, 422, str(error))
    return answer({"scores": values, "version": response.layer.version})


@require_GET
def suggestions(request: HttpRequest, layer: str, mention: str) -> HttpResponse:
    """The likely chains of a mention, best first."""
    row = access.layer(person(request), layer)
    head = layers.head(row)
    if mention not in head.state.mentions:
        return refusal(request, 404, f"The layer has no mention {mention!r}.")
    ranked = Ranking(layers.text_content(row.text_id), head.state).chains(mention)
    return answer({"chains": [suggestion._asdict() for suggestion in ranked], "version": head.version})


@require_GET
def steps(request: HttpRequest, layer: str) -> HttpResponse:
    """Some steps of the activation resolver on the mentions of a layer."""
    row = access.layer(person(request), layer)
    if row.text.task != "coref":
        return refusal(request, 422, NO_CHAINS)
    text, state = layers.text_content(row.text_id), layers.head(row).state
    first, count = whole_number(request.GET.get("first", "")), whole_number(request.GET.get("count", ""))
    off = [group for value in request.GET.getlist("off") for group in value.split(",") if group]
    try:
        trace = resolution.steps(text, state, first or 0, min(100 if count is None else count, MAX_STEPS), off=off)
    except AuneError as error:
        return refusal(request, 422, str(error))
    return answer(
        {
            "steps": trace,
            "total": len(resolution.resolution_order(text, state)),
            "groups": GROUPS,
            "text": text_data(row),
            "state": state,
        }
    )


@require_GET
def losses(request: HttpRequest, layer: str) -> HttpResponse:
    """What the activation resolver loses without each group of rules, with the layer as key.

    This is slow for long texts, so the worker computes it: status 202 means that the client should ask again later.
    """
    row = access.layer(person(request), layer)
    if row.text.task != "coref":
        return refusal(request, 422, NO_CHAINS)
    arguments = {"layer": row.pk, "version": row.version}
    job = jobs.find_or_create_job("workbench.losses", arguments, f"{row.pk}@{row.version}", MAX_WAITING)
    if job.state == "done":
        return answer({"losses": job.result})
    if job.state in ("refused", "failed"):
        return refusal(request, 422 if job.state == "refused" else 500, *job.problems)
    return answer({"state": job.state}, 202)


def compute_losses(request: dict[str, Any]) -> Any:
    """The job that computes the losses."""
    row = Layer.objects.get(pk=request["layer"])
    state = layers.state_at(row, request["version"])
    return msgspec.to_builtins(resolution.losses(layers.text_content(row.text_id), state))


class SkeletonRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A typed skeleton."""

    mentions: int
    key: str
    response: str
    conventions: Conventions = PLAIN


@require_http_methods(["GET", "POST"])
def skeleton(request: HttpRequest) -> HttpResponse:
    """The examples of the papers (GET), or the values of every measure for a typed skeleton (POST)."""
    person(request)
    if request.method == "GET":
        return answer({"examples": EXAMPLES})
    body = decode_body(request, SkeletonRequest)
    if isinstance(body, HttpResponse):
        return body
    try:
        return answer(
            compare_skeleton(body.mentions, body.key[:MAX_TYPED], body.response[:MAX_TYPED], body.conventions)
        )
    except AuneError as error:
        return refusal(request, 422, str(error))
