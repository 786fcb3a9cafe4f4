"""Disputes drawn in the workbench: a document of the key is opened there, and its changes become the edit."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.disputes import resolution as claims
from aune.campaign.protocol.visibility import Viewer
from aune.corrections.document_diffs import diff_documents
from aune.corrections.edit_wording import describe_edit
from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view
from aune.server.campaign.disputes import is_disputable, require_disputant
from aune.server.campaign.pages import render_page
from aune.server.workbench import api
from aune.server.workbench.change_proposals import open_proposal, read_proposal
from aune.server.workbench.models import Layer
from aune.workbench.files import TASKS

CLAIMED_SUFFIX = " claimed"
"""The suffix of the purpose of a drawing that has become a dispute."""


@require_POST
@campaign_view
def draw(request: HttpRequest, dataset: str) -> HttpResponse:
    """Open a document of the key in the workbench, so that the viewer can change it for a dispute."""
    here, who = campaign(), require_disputant(request)
    if dataset not in here.state.keys or here.plan_of(dataset).task not in TASKS:
        raise Http404
    here.check(who, f"{here.dataset(dataset).phase} key")
    if not is_disputable(here, who, dataset):
        raise UsageError(f"the key of {dataset} is not disputed in this phase")
    newest = here.state.keys[dataset][-1]
    plan = here.plan_of(dataset)
    typology = plan.scoring.options.get("typology", "") if plan.task == "entities" else ""
    layer = open_proposal(
        person(request), Path(here.dataset(dataset).key).name, here.store.get(newest.digest), plan.task,
        document=request.POST.get("document", ""), typology=str(typology or ""),
        purpose=f"{dataset} {newest.version}", back="/campaign/drawn/{layer}",
    )  # fmt: skip
    return redirect(f"/layer/{layer.pk}/")


@require_GET
@campaign_view
def show_drawing(request: HttpRequest, layer: str) -> HttpResponse:
    """Describe the drawn edit in words, before it is filed."""
    here, who = campaign(), require_disputant(request)
    row = _own_drawing(person(request), layer)
    drawing, problem, words = read_proposal(row), "", ""
    about = _drawn_key(here, who, row)
    task = here.plan_of(about.dataset).task
    try:
        words = describe_edit(task, diff_documents(task, drawing.before, drawing.after), drawing.before)
    except UsageError as error:
        problem = str(error)
    return render_page(
        request, "drawn", layer=row, words=words.split("; ") if words else [], problem=problem, dataset=about.dataset,
        document=drawing.before.id, is_stale=not about.is_newest, is_claimed=about.is_claimed,
    )  # fmt: skip


@require_POST
@campaign_view
def claim(request: HttpRequest, layer: str) -> HttpResponse:
    """File the drawn edit as a dispute."""
    here, who = campaign(), require_disputant(request)
    row = _own_drawing(person(request), layer)
    about = _drawn_key(here, who, row)
    if not about.is_newest:
        raise UsageError("the key has a new version since this was drawn: draw it again there")
    drawing = read_proposal(row)
    edit = diff_documents(here.plan_of(about.dataset).task, drawing.before, drawing.after)
    unclaimed = Layer.objects.filter(pk=row.pk, purpose=row.purpose).exclude(purpose__endswith=CLAIMED_SUFFIX)
    if not unclaimed.update(purpose=row.purpose + CLAIMED_SUFFIX):  # of two simultaneous requests only one succeeds
        raise UsageError("this was claimed already: draw another one")
    try:
        argument = request.POST.get("argument", "")
        claims.file_dispute(here, who, about.dataset, drawing.before.id, claims.REFERENCE, edit, argument)
    except UsageError:
        Layer.objects.filter(pk=row.pk).update(purpose=row.purpose)
        raise
    api.mark_done(Layer.objects.get(pk=row.pk), True)
    return redirect("/campaign/disputes")


def _own_drawing(account: Account, name: str) -> Layer:
    """A drawing of this account; drawings of others get the answer 404."""
    row = Layer.objects.select_related("text", "text__source").filter(pk=name, kind="proposal", author=account).first()
    if row is None:
        raise Http404
    return row


class DrawnKey(NamedTuple):
    """The key that a drawing edits."""

    dataset: str
    is_newest: bool
    is_claimed: bool


def _drawn_key(here: Campaign, who: Viewer, row: Layer) -> DrawnKey:
    """The key that a drawing edits, if the viewer may see it."""
    name, version, *claimed = row.purpose.split(" ")
    if name not in here.state.keys:
        raise Http404
    here.check(who, f"{here.dataset(name).phase} key")
    return DrawnKey(name, version == str(here.state.version(name)), bool(claimed))
