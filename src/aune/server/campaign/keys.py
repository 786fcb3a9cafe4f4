"""Keys made in the workbench: the organiser inspects the adjudication and the agreement, and takes the key over."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.protocol_file import Dataset, Protocol
from aune.campaign.publication import visible_results
from aune.contract import registry
from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.pages import render_page
from aune.server.workbench.analysis_pages import agreement_table, convention_summary
from aune.server.workbench.keys import KeyFile, available_keys, key_file
from aune.server.workbench.models import Layer
from aune.workbench.comparison import Conventions
from aune.workbench.files import TASKS


@require_GET
@campaign_view
def keys(request: HttpRequest) -> HttpResponse:
    """The key of each dataset: its origin, whether it is fixed, and the agreement of its annotators."""
    require_organiser(request)
    here, account = campaign(), person(request)
    rows = [
        _row(here, dataset, visible_results.agreement(here, viewer(request), dataset.name))
        for dataset in here.protocol.datasets.values()
    ]
    layers = [layer for layer in available_keys(account) if layer.text.task in here.protocol.tasks]
    is_annotatable = any(task in TASKS for task in here.protocol.tasks)
    return render_page(request, "keys", rows=rows, layers=layers, annotatable=is_annotatable)


def _row(here: Campaign, dataset: Dataset, agreement: dict[str, Any]) -> dict[str, Any]:
    return {
        "dataset": dataset, "version": here.state.version(dataset.name), "made": here.state.made_keys.get(dataset.name),
        "agreement": agreement.get("ranking", {}), "chance": agreement.get("agreement", {}),
        "options": agreement.get("options", {}), "is_there": (here.folder / dataset.key).is_file(),
    }  # fmt: skip


@require_GET
@campaign_view
def preview(request: HttpRequest, dataset: str) -> HttpResponse:
    """Show the key that a layer of the workbench would become, before it is taken over."""
    require_organiser(request)
    here = campaign()
    layer = _layer(person(request), request.GET.get("layer", ""))
    chosen, plan = _open_dataset(here, dataset), here.plan_of(dataset)
    candidate = _make_key_file(layer, person(request), chosen, here.plan_of(dataset))
    undecided = {text: number for text, number in candidate.undecided.items() if number}
    return render_page(
        request, "taking", dataset=chosen, layer=layer, found=candidate, undecided=undecided,
        annotators=len(candidate.layers), tables={"before any discussion": agreement_table(candidate.agreement)},
        convention=convention_summary(_conventions(plan)) if plan.task == "coref" else {},
    )  # fmt: skip


@require_POST
@campaign_view
def take(request: HttpRequest, dataset: str) -> HttpResponse:
    """Make an adjudicated layer the key of a dataset; the layers of the annotators are stored with it."""
    require_organiser(request)
    here, account = campaign(), person(request)
    layer = _layer(account, request.POST.get("layer", ""))
    candidate = _make_key_file(layer, account, _open_dataset(here, dataset), here.plan_of(dataset))
    here.make_key(dataset, candidate.data, dict(candidate.layers), account.name)
    return redirect("/campaign/keys")


def _open_dataset(here: Campaign, name: str) -> Dataset:
    if name not in here.protocol.datasets:
        raise Http404
    if here.state.version(name):
        raise UsageError(f"the key of {name} is fixed: what is wrong with it is mended by disputes")
    return here.protocol.datasets[name]


def _layer(account: Account, name: str) -> Layer:
    layer = next((candidate for candidate in available_keys(account) if candidate.pk == name), None)
    if layer is None:
        raise Http404
    return layer


def _make_key_file(layer: Layer, reader: Account, dataset: Dataset, plan: Protocol) -> KeyFile:
    """The file of a key in the format that the protocol gives for it."""
    if layer.text.task != plan.task:
        raise UsageError(f"found a key of {layer.text.task}, expected one of {plan.task}")
    form = dataset.format or _format_of(plan.task, dataset.key)
    return key_file(layer, reader, "" if form == layer.text.source.format else form, conventions=_conventions(plan))


def _conventions(plan: Protocol) -> Conventions:
    """The settings of the protocol for the agreement of annotators."""
    convention = {"convention": plan.scoring.convention} if plan.task == "coref" and plan.scoring.convention else {}
    return msgspec.convert({**convention, **plan.agreement}, Conventions)


def _format_of(task: str, path: str) -> str:
    """The format with the suffix of a file; empty if several formats have it, so that the key keeps its own."""
    ending = PurePosixPath(path).suffix
    known = [form.name for form in registry.formats(task) if ending in form.suffixes]
    return known[0] if len(known) == 1 else ""
