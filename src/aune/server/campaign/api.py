"""The API of a campaign for programs, which sign in with a token."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from aune.server.campaign.access import campaign, campaign_view, viewer
from aune.server.campaign.teams import receive_run


@require_GET
@campaign_view
def about(request: HttpRequest) -> HttpResponse:
    here = campaign()
    details = {
        "name": here.protocol.name,
        "task": here.protocol.task,
        "phase": here.phase,
        "protocol": here.protocol.digest,
    }
    return JsonResponse(
        {**details, "schedule": here.schedule(), "heads": here.heads(), "commitments": here.commitments()}
    )


@require_POST
@campaign_view
def submit(request: HttpRequest, dataset: str) -> HttpResponse:
    submission = receive_run(request, dataset)
    return JsonResponse(campaign().status(viewer(request), submission), status=201)


@require_GET
@campaign_view
def submission(request: HttpRequest, submission: str) -> HttpResponse:
    return JsonResponse(campaign().status(viewer(request), submission))
