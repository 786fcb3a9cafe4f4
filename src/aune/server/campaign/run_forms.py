"""Actions on a submitted run: its team makes it primary, describes it or withdraws it.

The organiser disqualifies or reinstates it.
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.visibility import ORGANISER
from aune.campaign.runs import run_actions
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, viewer
from aune.server.campaign.background_jobs import request_letters


@require_POST
@campaign_view
def act(request: HttpRequest, submission: str, what: str) -> HttpResponse:
    here, who = campaign(), viewer(request)
    sent = here.state.submissions.get(submission)
    if sent is None or not (who.role == ORGANISER or (who.team and sent.team == who.team)):
        raise Http404
    if who.role == ORGANISER:
        _judge(request, here, submission, what)
    elif what == "primary":
        run_actions.name_primary(here, submission)
    elif what == "describe":
        run_actions.describe_run(here, submission, asked_metadata(request, here))
    elif what == "withdraw":
        run_actions.retract_run(here, submission)
    else:
        raise Http404
    request_letters()
    return redirect(f"/campaign/submission/{submission}")


def _judge(request: HttpRequest, here: Campaign, submission: str, what: str) -> None:
    """Disqualify or reinstate a run, as the organiser."""
    reason, author = request.POST.get("reason", "")[:1000], person(request).name
    if what == "disqualify":
        run_actions.disqualify_run(here, submission, reason, author)
    elif what == "reinstate":
        run_actions.reinstate_run(here, submission, reason, author)
    else:
        raise Http404


def asked_metadata(request: HttpRequest, here: Campaign) -> dict[str, str]:
    """The metadata of a run in a form, under the headings of the protocol."""
    return {name: request.POST.get(f"meta-{name}", "") for name in here.protocol.metadata}
