"""The organiser's pages: the state of the campaign, its next phase, its submissions, its keys."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.phases import MEANING, SUBMITTING
from aune.campaign.protocol.protocol_file import PIVOT_TASK
from aune.campaign.protocol.visibility import PARTICIPANT
from aune.campaign.runs.baseline_runs import baseline_names, enter_baseline, enter_system
from aune.campaign.runs.submission_checks import Run
from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser
from aune.server.campaign.background_jobs import request_letters
from aune.server.campaign.pages import render_page
from aune.server.campaign.results import scoring_progress
from aune.server.campaign.steps import checks
from aune.server.campaign.teams import add_account, uploaded_run

NEWEST = 200  # submissions on one page


@require_GET
@campaign_view
def manage(request: HttpRequest) -> HttpResponse:
    require_organiser(request)
    here = campaign()
    state, plan = here.state, here.protocol
    following = plan.phases[plan.phases.index(here.phase) + 1 :][:1]
    coming = following[0] if following else ""
    progress = [
        {"name": name, **scoring_progress(here, name)} for name in state.keys if here.dataset(name).phase in SUBMITTING
    ]
    return render_page(
        request, "manage", teams=[_team(here, team) for team in state.teams.values()], next=coming,
        coming=MEANING.get(coming, ""), fixes=[item.name for item in plan.datasets_in(coming)] if coming else [],
        checks=checks(here), downloads=len(state.downloads), submissions=len(state.submissions), progress=progress,
        is_early=here.phase in plan.deadlines and not here.deadline_passed(here.phase),
        unsettled=state.unsettled_disputes(), waits=any(item["left"] for item in progress),
        protocols=state.protocols, baselines=baseline_names(here), tables=PIVOT_TASK in plan.tasks,
        namesakes=[team for teams in here.namesakes() for team in teams],
        datasets=[dataset.name for dataset in plan.datasets.values()
                  if dataset.phase in SUBMITTING and dataset.name in state.keys],
    )  # fmt: skip


def _team(here: Campaign, team: Any) -> dict[str, Any]:
    states = [submission.state for submission in here.state.submissions.values() if submission.team == team.id]
    return {"team": team, "sent": len(states), "valid": states.count("scored")}


@require_POST
@campaign_view
def steer(request: HttpRequest, what: str) -> HttpResponse:
    """Actions of the organiser: next phase, new protocol, baseline, organisers' system, name or member of a team."""
    require_organiser(request)
    here = campaign()
    if what == "phase":
        here.begin_phase(request.POST.get("phase", ""), request.POST.get("reason", ""), person(request).name)
    elif what == "freeze":
        here.freeze_protocol(request.POST.get("reason", ""), person(request).name)
    elif what == "baseline":
        enter_baseline(here, request.POST.get("name", ""), request.POST.get("dataset", ""))
    elif what == "system":
        _system(request, here)
    elif what == "member":
        add_account(here, here.team(request.POST.get("team", "")).id, _teamless_account(request.POST.get("name", "")))
    elif what == "rename":
        here.rename(request.POST.get("team", ""), request.POST.get("name", "").strip())
    else:
        raise Http404
    request_letters()
    return redirect("/campaign/manage")


def _system(request: HttpRequest, here: Campaign) -> str:
    """Submit a run of the organisers' own system; the id of the submission."""
    name, run = (request.POST.get(field, "").strip() for field in ("name", "run"))
    sent, table = uploaded_run(request)
    sent_run = Run(sent.name or "run", sent.read(), (table.name or "") if table else "", table.read() if table else b"")
    return enter_system(here, name, request.POST.get("dataset", ""), run or "run", sent_run).submission


def _teamless_account(name: str) -> Account:
    """The participant with this name, who must not be in a team."""
    candidates = Account.objects.filter(name=Account.objects.normalise_name(name), role=PARTICIPANT, is_active=True)
    account = candidates.filter(membership=None).first()
    if account is None:
        raise UsageError("found no participant of this name without a team: invite one, who then chooses a name")
    return account


@require_GET
@campaign_view
def submissions(request: HttpRequest) -> HttpResponse:
    """All submissions, newest first."""
    require_organiser(request)
    here = campaign()
    wished = {name: request.GET.get(name, "") for name in ("dataset", "state")}
    rows = [
        {
            "one": submission,
            "team": here.state.teams[submission.team].name,
            "fault": "; ".join(
                dict.fromkeys([*submission.faults.values(), *([submission.waits_for] if submission.waits_for else [])])
            ),
        }
        for submission in reversed(here.state.submissions.values())
        if wished["dataset"] in ("", submission.dataset) and wished["state"] in ("", submission.state)
    ]
    return render_page(
        request, "submissions", rows=rows[:NEWEST], number=len(rows), more=max(len(rows) - NEWEST, 0), wished=wished,
        datasets=[dataset.name for dataset in here.protocol.datasets.values() if dataset.phase in SUBMITTING],
        states=sorted({submission.state for submission in here.state.submissions.values()}),
    )  # fmt: skip
