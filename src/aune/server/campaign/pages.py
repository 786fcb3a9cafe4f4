"""The pages of a campaign that everybody has: what it is, where it stands, who took part, what changed."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from aune.campaign import publication
from aune.campaign.campaign import Campaign
from aune.campaign.instants import shown as in_zones
from aune.campaign.phases import MEANING, SUBMITTING, discussed_in, since
from aune.campaign.policy import ANNOTATOR, ORGANISER, PARTICIPANT, Viewer
from aune.server.accounts.models import Account
from aune.server.campaign.access import answering, campaign, viewer
from aune.server.campaign.steps import steps


def shown(request: HttpRequest, template: str, **more: Any) -> HttpResponse:
    """A page of the campaign, with what every one of them shows."""
    here, who = campaign(), viewer(request)
    seen = {
        name: here.may(who, thing)
        for name, thing in (("participants", "participants"), ("changes", "decisions"), ("archive", "archive"))
    }
    about = {
        "plan": here.protocol, "phase": here.phase, "meaning": MEANING[here.phase], "viewer": who, "seen": seen,
        "ends": here.protocol.deadlines.get(here.phase), "with_results": with_results(here, who),
        "may_dispute": who.role in (ORGANISER, PARTICIPANT), "annotates": who.role in (ORGANISER, ANNOTATOR),
    }  # fmt: skip
    return render(request, f"campaign/{template}.html", {**about, **more})


def with_results(here: Campaign, who: Viewer) -> list[str]:
    """The data whose results somebody may look at now."""
    return [dataset.name for dataset in here.protocol.datasets.values() if has_results(here, who, dataset.name)]


def has_results(here: Campaign, who: Viewer, name: str) -> bool:
    """Whether somebody may see the board of some data; one's own scores are with one's submissions until it is over."""
    phase = here.dataset(name).phase
    if phase not in SUBMITTING or not here.state.version(name):
        return False
    return here.may(who, f"{phase} scores") and (who.role == ORGANISER or since(here.phase, discussed_in(phase)))


@require_GET
@answering
def home(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), viewer(request)
    plan = here.protocol
    texts = [
        dataset.name
        for dataset in plan.datasets.values()
        if dataset.name in here.state.texts and here.may(who, f"{dataset.phase} texts")
    ]
    schedule = [
        {**one, "meaning": MEANING[one["phase"]], "instant": plan.deadlines.get(one["phase"]),
         "zones": in_zones(plan.deadlines[one["phase"]], plan.zone) if one["phase"] in plan.deadlines else ""}
        for one in here.schedule()
    ]  # fmt: skip
    may_register = isinstance(request.user, Account) and request.user.role == PARTICIPANT and not who.team
    return shown(
        request, "home", schedule=schedule, heads=here.heads(), commitments=here.commitments(), texts=texts,
        may_register=may_register, steps=steps(here, who),
    )  # fmt: skip


@require_GET
@answering
def protocol(request: HttpRequest) -> HttpResponse:
    campaign().check(viewer(request), "protocol")
    return HttpResponse(campaign().protocol.text, content_type="text/plain; charset=utf-8")


@require_GET
@answering
def licence(request: HttpRequest) -> HttpResponse:
    here = campaign()
    here.check(viewer(request), "licence")
    path = here.protocol.licence
    text = (here.folder / path).read_text("utf-8", "replace") if path else ""
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_GET
@answering
def participants(request: HttpRequest) -> HttpResponse:
    rows = publication.participants(campaign(), viewer(request))
    if request.GET.get("format") == "csv":
        response = HttpResponse(publication.participants_csv(rows), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="participants.csv"'
        return response
    header = list(rows[0]) if rows else []
    return shown(request, "participants", header=header, rows=[list(row.values()) for row in rows])


@require_GET
@answering
def changes(request: HttpRequest) -> HttpResponse:
    return shown(request, "changes", rows=publication.changelog(campaign(), viewer(request)))
