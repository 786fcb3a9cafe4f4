"""The public pages of a campaign: description, schedule, participants, changes."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from aune.campaign.campaign import Campaign, takes_teams
from aune.campaign.protocol.deadlines import format_instant as in_zones
from aune.campaign.protocol.phases import MEANING, SUBMITTING, discussion_phase, has_reached
from aune.campaign.protocol.protocol_file import Protocol, Scoring
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER, PARTICIPANT, Viewer
from aune.campaign.publication import visible_results
from aune.campaign.publication.public_face import read_description, visible_files
from aune.server.accounts.models import Account
from aune.server.campaign.access import campaign, campaign_view, viewer
from aune.server.campaign.markdown_text import render_markdown
from aune.server.campaign.steps import steps


def render_page(request: HttpRequest, template: str, **more: Any) -> HttpResponse:
    """Render a page of the campaign with the variables that all of them need."""
    here, who = campaign(), viewer(request)
    seen = {
        name: here.may_see(who, thing)
        for name, thing in (("participants", "participants"), ("changes", "decisions"), ("archive", "archive"))
    }
    about = {
        "plan": here.protocol, "phase": here.phase, "meaning": MEANING[here.phase], "viewer": who, "seen": seen,
        "ends": here.protocol.deadlines.get(here.phase), "with_results": datasets_with_results(here, who),
        "may_dispute": who.role in (ORGANISER, PARTICIPANT), "annotates": who.role in (ORGANISER, ANNOTATOR),
    }  # fmt: skip
    return render(request, f"campaign/{template}.html", {**about, **more})


def datasets_with_results(here: Campaign, who: Viewer) -> list[str]:
    """The datasets whose results the viewer may see now."""
    return [dataset.name for dataset in here.protocol.datasets.values() if has_results(here, who, dataset.name)]


def has_results(here: Campaign, who: Viewer, name: str) -> bool:
    """Whether the viewer may see the board of a dataset; until the phase ends, a team sees its scores only per run."""
    phase = here.dataset(name).phase
    if phase not in SUBMITTING or not here.state.version(name):
        return False
    return here.may_see(who, f"{phase} scores") and (
        who.role == ORGANISER or has_reached(here.phase, discussion_phase(phase))
    )


@require_GET
@campaign_view
def home(request: HttpRequest) -> HttpResponse:
    here, who = campaign(), viewer(request)
    plan = here.protocol
    texts = [
        dataset.name
        for dataset in plan.datasets.values()
        if dataset.name in here.state.texts and here.may_see(who, f"{dataset.phase} texts")
    ]
    schedule = [
        {**row, "meaning": MEANING[row["phase"]], "instant": plan.deadlines.get(row["phase"]),
         "zones": in_zones(plan.deadlines[row["phase"]], plan.zone) if row["phase"] in plan.deadlines else ""}
        for row in here.schedule()
    ]  # fmt: skip
    is_participant = isinstance(request.user, Account) and request.user.role == PARTICIPANT
    return render_page(
        request, "home", schedule=schedule, heads=here.heads(), commitments=here.commitments(), texts=texts,
        may_register=is_participant and not who.team and takes_teams(here.phase),
        takes_teams=takes_teams(here.phase), steps=steps(here, who), files=visible_files(here, who), doi=here.state.doi,
        rankings=[(", ".join(names), scoring) for scoring, names in _rankings(here.protocol)],
        description=render_markdown(read_description(here)), may_apply=here.protocol.registration == "approval",
    )  # fmt: skip


def _rankings(plan: Protocol) -> list[tuple[Scoring, list[str]]]:
    """The scorings that rank runs, each with its datasets; datasets of the training phase are not ranked."""
    rankings: list[tuple[Scoring, list[str]]] = []
    for dataset in (dataset for phase in SUBMITTING for dataset in plan.datasets_in(phase)):
        scoring = plan.for_dataset(dataset.name).scoring
        names = next((names for known, names in rankings if known is scoring), None)
        if names is None:
            rankings.append((scoring, [dataset.name]))
        else:
            names.append(dataset.name)
    return rankings


@require_GET
@campaign_view
def protocol(request: HttpRequest) -> HttpResponse:
    campaign().check(viewer(request), "protocol")
    return HttpResponse(campaign().protocol.text, content_type="text/plain; charset=utf-8")


@require_GET
@campaign_view
def licence(request: HttpRequest) -> HttpResponse:
    here = campaign()
    here.check(viewer(request), "licence")
    path = here.protocol.licence
    text = (here.folder / path).read_text("utf-8", "replace") if path else ""
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_GET
@campaign_view
def participants(request: HttpRequest) -> HttpResponse:
    rows = visible_results.participants(campaign(), viewer(request))
    if request.GET.get("format") == "csv":
        response = HttpResponse(visible_results.participants_csv(rows), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="participants.csv"'
        return response
    header = list(rows[0]) if rows else []
    return render_page(request, "participants", header=header, rows=[list(row.values()) for row in rows])


@require_GET
@campaign_view
def changes(request: HttpRequest) -> HttpResponse:
    return render_page(request, "changes", rows=visible_results.changelog(campaign(), viewer(request)))
