"""Disputes that are drawn: a document of the key opens in the workbench, and what is changed there is the edit."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign import disputes as claims
from aune.campaign.campaign import Campaign
from aune.campaign.patches import patch
from aune.campaign.policy import Viewer
from aune.campaign.wording import described
from aune.core.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import answering, campaign
from aune.server.campaign.disputing import disputable, disputing
from aune.server.campaign.pages import shown
from aune.server.workbench import api
from aune.server.workbench.models import Layer
from aune.server.workbench.proposing import proposal, proposed
from aune.workbench.files import TASKS


@require_POST
@answering
def draw(request: HttpRequest, dataset: str) -> HttpResponse:
    """A document of the key in the workbench, to be changed by whoever disputes it."""
    here, who = campaign(), disputing(request)
    if dataset not in here.state.keys or here.protocol.task not in TASKS:
        raise Http404
    here.check(who, f"{here.dataset(dataset).phase} key")
    if not disputable(here, who, dataset):
        raise UsageError(f"the key of {dataset} is not disputed in this phase")
    newest = here.state.keys[dataset][-1]
    typology = here.protocol.scoring.options.get("typology", "") if here.protocol.task == "entities" else ""
    layer = proposal(
        person(request), Path(here.dataset(dataset).key).name, here.store.get(newest.digest), here.protocol.task,
        document=request.POST.get("document", ""), typology=str(typology or ""),
        purpose=f"{dataset} {newest.version}", back="/campaign/drawn/{layer}",
    )  # fmt: skip
    return redirect(f"/layer/{layer.pk}/")


@require_GET
@answering
def drawn(request: HttpRequest, layer: str) -> HttpResponse:
    """What was drawn, in words, before it is claimed."""
    here, who = campaign(), disputing(request)
    row = _own(person(request), layer)
    found, problem, words = proposed(row), "", ""
    try:
        words = described(here.protocol.task, patch(here.protocol.task, found.before, found.after), found.before)
    except UsageError as error:
        problem = str(error)
    dataset = _dataset(here, who, row)
    return shown(
        request, "drawn", layer=row, words=words.split("; ") if words else [], problem=problem, dataset=dataset,
        document=found.before.id, is_stale=not _is_newest(here, row),
    )  # fmt: skip


@require_POST
@answering
def claim(request: HttpRequest, layer: str) -> HttpResponse:
    """What was drawn becomes a dispute."""
    here, who = campaign(), disputing(request)
    row = _own(person(request), layer)
    if row.done:
        raise UsageError("this was claimed already: draw another one")
    if not _is_newest(here, row):
        raise UsageError("the key has a new version since this was drawn: draw it again there")
    found = proposed(row)
    edit = patch(here.protocol.task, found.before, found.after)
    claims.dispute(
        here, who, _dataset(here, who, row), found.before.id, claims.REFERENCE, edit, request.POST.get("argument", "")
    )
    api.finished(row, True)
    return redirect("/campaign/disputes")


def _own(account: Account, name: str) -> Layer:
    """One's own drawing; nobody else's is there."""
    row = Layer.objects.select_related("text", "text__source").filter(pk=name, kind="proposal", author=account).first()
    if row is None:
        raise Http404
    return row


def _dataset(here: Campaign, who: Viewer, row: Layer) -> str:
    name = row.purpose.rpartition(" ")[0]
    if name not in here.state.keys:
        raise Http404
    here.check(who, f"{here.dataset(name).phase} key")
    return name


def _is_newest(here: Campaign, row: Layer) -> bool:
    name, _, version = row.purpose.rpartition(" ")
    return version == str(here.state.version(name))
