"""Keys made in the workbench: the organiser sees what was adjudicated and how far annotators agreed, and takes it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import publication
from aune.campaign.campaign import Campaign
from aune.campaign.protocol import Dataset
from aune.core import registry
from aune.core.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign, organiser, viewer
from aune.server.campaign.pages import shown
from aune.server.workbench.keys import KeyFile, key_file, keys_of
from aune.server.workbench.models import Layer
from aune.server.workbench.studies import agreed
from aune.workbench.files import TASKS


@require_GET
@answering
def keys(request: HttpRequest) -> HttpResponse:
    """The key of each dataset: where it comes from, whether it is fixed, how far its annotators agree."""
    organiser(request)
    here, account = campaign(), person(request)
    rows = [
        _row(here, dataset, publication.agreement(here, viewer(request), dataset.name))
        for dataset in here.protocol.datasets.values()
    ]
    layers = [one for one in keys_of(account) if one.text.task == here.protocol.task]
    return shown(request, "keys", rows=rows, layers=layers, annotatable=here.protocol.task in TASKS)


def _row(here: Campaign, dataset: Dataset, agreement: dict[str, Any]) -> dict[str, Any]:
    return {
        "dataset": dataset, "version": here.state.version(dataset.name), "made": here.state.made.get(dataset.name),
        "agreement": agreement.get("ranking", {}), "is_there": (here.folder / dataset.key).is_file(),
    }  # fmt: skip


@require_GET
@answering
def preview(request: HttpRequest, dataset: str) -> HttpResponse:
    """What a key from the workbench would be, before it is taken."""
    organiser(request)
    here = campaign()
    layer = _layer(person(request), request.GET.get("layer", ""))
    chosen = _open_dataset(here, dataset)
    found = _file(layer, person(request), chosen, here.protocol.task)
    undecided = {text: number for text, number in found.undecided.items() if number}
    return shown(
        request, "taking", dataset=chosen, layer=layer, found=found, undecided=undecided,
        annotators=len(found.layers), tables={"before any discussion": agreed(found.agreement)},
    )  # fmt: skip


@require_POST
@answering
def take(request: HttpRequest, dataset: str) -> HttpResponse:
    """An adjudicated layer becomes the key of a dataset; what annotators said is kept with it."""
    organiser(request)
    here, account = campaign(), person(request)
    layer = _layer(account, request.POST.get("layer", ""))
    found = _file(layer, account, _open_dataset(here, dataset), here.protocol.task)
    here.make_key(dataset, found.data, dict(found.layers), account.name)
    return redirect("/campaign/keys")


def _open_dataset(here: Campaign, name: str) -> Dataset:
    if name not in here.protocol.datasets:
        raise Http404
    if here.state.version(name):
        raise UsageError(f"the key of {name} is fixed: what is wrong with it is mended by disputes")
    return here.protocol.datasets[name]


def _layer(account: Account, name: str) -> Layer:
    found = next((one for one in keys_of(account) if one.pk == name), None)
    if found is None:
        raise Http404
    return found


def _file(layer: Layer, reader: Account, dataset: Dataset, task: str) -> KeyFile:
    """The file of a key in the format that the protocol has for it."""
    if layer.text.task != task:
        raise UsageError(f"found a key of {layer.text.task}, expected one of {task}")
    form = dataset.format or _format_of(task, dataset.key)
    return key_file(layer, reader, "" if form == layer.text.source.format else form)


def _format_of(task: str, path: str) -> str:
    """The format that the ending of a file stands for; nothing where several do, and the key keeps its own."""
    ending = PurePosixPath(path).suffix
    known = [form.name for form in registry.formats(task) if ending in form.suffixes]
    return known[0] if len(known) == 1 else ""
