"""What programs ask of a campaign, with a token."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from aune.server.campaign.access import answering, campaign, viewer
from aune.server.campaign.teams import taken_in
from aune.server.campaign.work import ask_for_what_waits


@require_GET
@answering
def about(request: HttpRequest) -> HttpResponse:
    here = campaign()
    said = {
        "name": here.protocol.name,
        "task": here.protocol.task,
        "phase": here.phase,
        "protocol": here.protocol.digest,
    }
    return JsonResponse({**said, "schedule": here.schedule(), "heads": here.heads(), "commitments": here.commitments()})


@require_POST
@answering
def submit(request: HttpRequest, dataset: str) -> HttpResponse:
    submission = taken_in(request, dataset)
    return JsonResponse(campaign().status(viewer(request), submission), status=201)


@require_GET
@answering
def submission(request: HttpRequest, submission: str) -> HttpResponse:
    ask_for_what_waits(campaign())
    return JsonResponse(campaign().status(viewer(request), submission))
